package main

import (
	"runtime/debug"
	"testing"
)

func TestKeepLeanLeavesGOGCAlone(t *testing.T) {
	before := debug.SetGCPercent(120)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "200")
	keepLean()
	if now := debug.SetGCPercent(120); now != 120 {
		t.Errorf("with GOGC it sets %d percent", now)
	}
	t.Setenv("GOGC", "")
	keepLean()
	if now := debug.SetGCPercent(120); now != servedGarbage {
		t.Errorf("without it sets %d percent, want %d", now, servedGarbage)
	}
}
