// Package service decides what a test does when a program that it needs (Kafka, Chromium, chDB) is not on
// the machine.
//
// On a person's machine the test is skipped and says the one command that brings the program. Where
// MERIDIAN_REQUIRE_SERVICES=1 is set, as .ci/run does, the same absence is a failure: a suite that skips
// everything must not look like one that passed.
package service

import (
	"os"
	"testing"
)

// Required reports whether an absent service fails a test instead of skipping it.
func Required() bool { return os.Getenv("MERIDIAN_REQUIRE_SERVICES") == "1" }

// Missing ends the test: err says what is absent and how to get it.
func Missing(t testing.TB, err error) {
	t.Helper()
	if Required() {
		t.Fatalf("%v (MERIDIAN_REQUIRE_SERVICES=1, so this is a failure)", err)
	}
	t.Skip(err)
}
