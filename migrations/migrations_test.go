package migrations

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

var targets = map[string]Target{
	"embedded": {Embedded: true},
	"plain":    {},
	"cluster":  {Cluster: "meridian"},
}

// What is run where is reviewed as SQL, not as a template.
func TestRenderedFiles(t *testing.T) {
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			out, err := Render(target)
			if err != nil {
				t.Fatal(err)
			}
			names, err := fs.Glob(out, "*.sql")
			if err != nil || len(names) == 0 {
				t.Fatalf("no files: %v", err)
			}
			for _, n := range names {
				got, err := fs.ReadFile(out, n)
				if err != nil {
					t.Fatal(err)
				}
				golden := filepath.Join("testdata", strings.TrimSuffix(n, ".sql")+"."+name+".golden.sql")
				if *update {
					if err := os.WriteFile(golden, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatalf("%v; run the test with -update and review what it writes", err)
				}
				if string(got) != string(want) {
					t.Errorf("%s for %s is not %s; run with -update and review the difference", n, name, golden)
				}
			}
		})
	}
}

// Promotion moves partitions between the halves of a pair, which ClickHouse
// allows only between tables of one structure.
func TestPairsHaveOneSchema(t *testing.T) {
	create := regexp.MustCompile(`(?s)CREATE TABLE IF NOT EXISTS (\w+)_(live|replay)\b(.*?;)\n`)
	for name, target := range targets {
		out, err := Render(target)
		if err != nil {
			t.Fatal(err)
		}
		pairs := map[string]map[string]string{}
		names, _ := fs.Glob(out, "*.sql")
		for _, n := range names {
			text, err := fs.ReadFile(out, n)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range create.FindAllStringSubmatch(string(text), -1) {
				if pairs[m[1]] == nil {
					pairs[m[1]] = map[string]string{}
				}
				pairs[m[1]][m[2]] = m[3]
			}
		}
		if len(pairs) != 5 {
			t.Errorf("%s: %d pairs of tables, want 5", name, len(pairs))
		}
		for table, sides := range pairs {
			if len(sides) != 2 || sides["live"] != sides["replay"] {
				t.Errorf("%s: %s_live and %s_replay differ", name, table, table)
			}
		}
	}
}

// A cluster's name is quoted like any text that comes from a configuration.
func TestClusterNameIsQuoted(t *testing.T) {
	out, err := Render(Target{Cluster: `o'clock\`})
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(out, "00001_results.sql")
	if err != nil {
		t.Fatal(err)
	}
	if want := `ON CLUSTER 'o\'clock\\'`; !strings.Contains(string(text), want) {
		t.Errorf("%s is not in the rendered file", want)
	}
}

// Numbers go up by one, so that no two branches add the same one unseen.
func TestNumbersHaveNoGaps(t *testing.T) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for i, n := range names {
		if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(n, want) {
			t.Errorf("file %d is %s, its name must begin with %s", i+1, n, want)
		}
	}
}
