// Package jobs runs long work on a server: one job after another, each with its
// progress, able to be cancelled, and going on after a restart from what it saved.
//
// It knows jobs, and a store of keys in which they outlive the process. It does not
// know what a job does: kinds are given to it.
//
// The surprising thing: asking for a job and running it are two processes' affair.
// Start and Cancel only write to the store, which every process of an instance
// shares; the one that runs jobs watches it. So a process that shows pages can
// start a job that it could not run.
package jobs
