// Package webtest is a made-up organisation behind the interfaces of package
// web, for tests and for the storybook. It computes points from a list of
// observations the plain way, so that a page of it adds up.
//
// It knows the shapes of results and nothing of pages. The numbers come from a
// fixed seed: the same organisation in every run, on every machine.
package webtest
