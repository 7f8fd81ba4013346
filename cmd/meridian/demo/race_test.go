//go:build race

package demo

// There is nothing concurrent here, and the race detector makes it ten times slower:
// one organisation and a short day are enough for it.
const underRace = true
