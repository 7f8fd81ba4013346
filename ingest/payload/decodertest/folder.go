package decodertest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"meridian/ingest"
)

func mustParse(t testing.TB, provider, path string) ingest.Delivery {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return deliveryOf(t, provider, archive)
}

// Folder decodes all .json files below a folder of real payloads, which is named by
// MERIDIAN_PAYLOADS, and logs what each decodes to. Payloads are not in the
// repository.
func Folder(t *testing.T, provider, below string, d ingest.Decoder, headers func(path string) map[string]string) {
	root := os.Getenv("MERIDIAN_PAYLOADS")
	if root == "" {
		t.Skip("MERIDIAN_PAYLOADS names no folder of payloads")
	}
	root = filepath.Join(root, below)
	counts := map[string]int{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" || strings.HasSuffix(path, ".headers.json") {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		got := Check(t, d, ingest.Delivery{Provider: provider, Name: "acme", Received: received, Headers: headers(path), Body: body})
		var kinds []string
		for _, e := range got.Events {
			kinds = append(kinds, e.Kind.String())
		}
		name, _ := filepath.Rel(root, path)
		t.Logf("%-70s %-11s %-45s %s %s (%d of %d bytes kept)",
			name, outcomes[got.Outcome], got.Type, strings.Join(kinds, ","), got.Reason, len(got.Body), len(body))
		counts[fmt.Sprintf("%s [%s] %s", outcomes[got.Outcome], strings.Join(kinds, ","), got.Reason)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[line], line)
	}
}
