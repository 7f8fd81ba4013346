package jira

import (
	"testing"

	"meridian/ingest/payload/decodertest"
)

func decoder() *Decoder { return New(decodertest.Hash) }

func TestFixtures(t *testing.T) { decodertest.Fixtures(t, "testdata", provider, decoder()) }

func FuzzDecode(f *testing.F) { decodertest.Fuzz(f, "testdata", provider, "", decoder()) }

func TestPayloads(t *testing.T) {
	decodertest.Folder(t, provider, provider, decoder(), func(string) map[string]string {
		return map[string]string{"Content-Type": "application/json"}
	})
}
