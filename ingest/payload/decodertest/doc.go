// Package decodertest tests decoders: fixtures as txtar files, a fuzz target, and
// a look at what a decoder makes of a folder of real payloads. Only tests import
// it.
//
// A fixture holds a delivery and what it must decode to:
//
//	What this shows, in a sentence.
//	-- headers --
//	X-GitHub-Event: push
//	-- body --
//	{"ref": "refs/heads/main", ...}
//	-- want --
//	outcome: accepted
//	...
//
// All free text in bodies says "zebra" somewhere: no stored byte may.
package decodertest
