//go:build race

package main

// The race detector makes what is computed ten times slower, and finds as much in half
// of it.
const underRace = true
