package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"go.yaml.in/yaml/v3"

	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/streaming/timeline"
)

// renamer gives the bodies of the demo's deliveries other names, as inOrganisation does
// the events of decoded ones, so that many organisations can send them over HTTP.
type renamer struct{ each []*strings.Replacer }

// newRenamer knows every name that the demo's catalog has.
func newRenamer(t testing.TB, org *demo.Organisation, organisations int) *renamer {
	t.Helper()
	var all struct {
		Teams    []struct{ Jira []string }
		People   []struct{ GitHub, Jira []string }
		Services []struct {
			Name    string
			Deploys []string
		}
	}
	if err := yaml.Unmarshal(org.Catalog(), &all); err != nil {
		t.Fatal(err)
	}
	var names, keys []string
	for _, p := range all.People {
		names = append(append(names, p.GitHub...), p.Jira...)
	}
	for _, s := range all.Services {
		names = append(append(names, s.Name), s.Deploys...)
	}
	for _, team := range all.Teams {
		keys = append(keys, team.Jira...)
	}
	r := &renamer{}
	for n := range organisations {
		o := organisationName(n)
		pairs := []string{"quillhaven", o.name("quillhaven")}
		for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
			pairs = append(pairs, `"`+name+`"`, `"`+o.name(name)+`"`)
		}
		for _, key := range keys {
			pairs = append(pairs, `"`+key+`"`, `"`+o.key(key)+`"`, `"`+key+`-`, `"`+o.key(key)+`-`, ` `+key+`-`, ` `+o.key(key)+`-`)
		}
		for _, of := range []string{`"repository":{"id":`, `"repo":{"id":`} {
			pairs = append(pairs, of, of+fmt.Sprint(10+n))
		}
		r.each = append(r.each, strings.NewReplacer(pairs...))
	}
	return r
}

// body is a body of an organisation. A form is percent-encoded and keeps its names.
func (r *renamer) body(b []byte, n int) ([]byte, bool) {
	if bytes.HasPrefix(b, []byte("payload=")) {
		return nil, false
	}
	return []byte(r.each[n].Replace(string(b))), true
}

// manyArchive writes the history of many organisations up to an instant as a delivery
// archive, and their catalog.
func manyArchive(t testing.TB, archive, catalog string, organisations int, end timeline.Millis) (org *demo.Organisation, r *renamer, deliveries int) {
	t.Helper()
	org = demo.New(1, end)
	r = newRenamer(t, org, organisations)
	text, err := manyCatalogs(org.Catalog(), organisations, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(catalog, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	out := ingest.NewArchiveWriter(packed)
	for line := range org.History() {
		for n := range organisations {
			d := *line.Delivery
			body, ok := r.body(d.Body, n)
			if !ok {
				continue
			}
			d.Body = body
			if err := out.Write(ingest.ArchiveLine{Delivery: &d}); err != nil {
				t.Fatal(err)
			}
			deliveries++
		}
	}
	if err := errors.Join(packed.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return org, r, deliveries
}
