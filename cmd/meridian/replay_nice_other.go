//go:build !linux

package main

// stepBack does nothing where threads have no priority of their own.
func stepBack() {}
