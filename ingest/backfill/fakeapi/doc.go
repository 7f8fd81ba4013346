// Package fakeapi is GitHub and Jira as far as a backfill sees them: their REST
// APIs over HTTP on loopback, with pages and links, limits and refusals in the
// shapes in which they really come, over a small world that a test writes by hand
// and may change between two requests.
//
// The world is written before the first request. From then on the server reads it at
// any time, and a test changes it, or reads what the server changes in it, inside
// Change or in a hook (Before, OnRedeliver), which hold its lock.
//
// It knows HTTP and JSON and nothing of Meridian.
package fakeapi
