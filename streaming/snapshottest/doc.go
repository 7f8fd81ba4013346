// Package snapshottest holds what every store of snapshots must do, as one
// suite of tests that each implementation runs, and a store in memory.
//
// It knows [streaming.Snapshots] and nothing of how a store keeps its bytes; a
// [Harness] does the damage for it.
package snapshottest
