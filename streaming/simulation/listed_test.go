package simulation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docs/proof.md lists the scripts: each that it names is there, and each of the
// machine's is named.
func TestScriptsAreListed(t *testing.T) {
	const top = "../.."
	text, err := os.ReadFile(filepath.Join(top, "docs/proof.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## Scripts\n")
	if !found {
		t.Fatal("docs/proof.md has no list of scripts")
	}
	var listed []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || !strings.HasSuffix(strings.TrimSpace(cells[2]), ".txt") {
			continue
		}
		path := strings.TrimSpace(cells[2])
		if !strings.Contains(path, "/") {
			path = "streaming/simulation/testdata/scripts/" + path
		}
		listed = append(listed, path)
		if _, err := os.Stat(filepath.Join(top, path)); err != nil {
			t.Errorf("docs/proof.md names a script that is not there: %v", err)
		}
	}
	scripts, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(scripts) < 30 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, s := range scripts {
		if !slices.Contains(listed, "streaming/simulation/"+s) {
			t.Errorf("docs/proof.md does not name %s", s)
		}
	}
}
