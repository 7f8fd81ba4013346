// Package instance runs the built binary for tests: commands that end by themselves, and served instances that are
// asked over HTTP, stopped, or killed.
//
// It knows where the binary comes from, how an instance tells its address, and what must be gone when it is gone. It
// knows nothing of Meridian's code and imports none of it: what it reads are the shapes that other programs read too.
//
// Surprising: an instance listens on a port that the system chooses, and another one after every restart. Nothing but
// the link that it prints tells which.
package instance
