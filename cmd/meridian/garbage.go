package main

import (
	"os"
	"runtime/debug"
)

// servedGarbage is how much garbage a server lets grow, in percent of what lives.
// Most of what lives is bytes in which the engine's state rests, and the collector
// has nothing to follow in them: so ten times as many collections as usual cost
// little, and a state of 400 MB takes 440 and not 800.
const servedGarbage = 10

// keepLean sets that, unless GOGC says how it is wanted. A history lets more
// grow while it runs, and puts it back.
func keepLean() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(servedGarbage)
	}
}
