// Package senders plays GitHub, Jira and a pipeline for tests: payloads written by hand in the shapes that those
// systems send, their signatures, and the lines of a delivery archive.
//
// It knows the wire and nothing of Meridian: a mistake in the product's own types cannot hide in a copy of it here.
//
// Surprising: a payload holds more than Meridian reads (titles, addresses, descriptions), all of it with the word
// zebra, so that a test can look for what must not be kept.
package senders
