package github

import (
	"path/filepath"
	"testing"

	"meridian/ingest/payload/decodertest"
)

func decoder() *Decoder { return New(decodertest.Hash) }

func TestFixtures(t *testing.T) { decodertest.Fixtures(t, "testdata", provider, decoder()) }

func FuzzDecode(f *testing.F) { decodertest.Fuzz(f, "testdata", provider, "X-Github-Event", decoder()) }

// The folder of a payload is the name of its event.
func TestPayloads(t *testing.T) {
	decodertest.Folder(t, provider, provider, decoder(), func(path string) map[string]string {
		name := filepath.Base(filepath.Dir(path))
		if name == "issue" {
			name = "issues"
		}
		return map[string]string{"X-Github-Event": name, "Content-Type": "application/json"}
	})
}
