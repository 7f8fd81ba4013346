// Package fakeapi is GitHub and Jira as far as a backfill sees them: their REST
// APIs over HTTP on loopback, with pages and links, limits and refusals in the
// shapes in which they really come, over a small world that a test writes by hand
// and may change between two requests.
//
// It knows HTTP and JSON and nothing of Meridian.
package fakeapi
