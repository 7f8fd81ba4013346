package main

import (
	"os"
	"runtime/debug"
)

// servedGarbage is how much garbage a server lets grow, in percent of what lives.
// Nearly all that lives is bytes in which the engine's state rests, and the collector
// has nothing to follow in them: so four times as many collections as usual cost
// little, and a state of 350 MiB takes 480 and not 700.
const servedGarbage = 25

// keepLean sets that, unless GOGC says how it is wanted. A history lets more
// grow while it runs, and puts it back.
func keepLean() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(servedGarbage)
	}
}
