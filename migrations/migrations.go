// Package migrations holds the schema of the results, as numbered SQL files.
//
// It knows tables and nothing of who writes or reads them. The files are
// templates of goose migrations: [Render] fills in what depends on where they
// run (embedded, a server, a cluster), and storage runs the result.
//
// To change the schema: add a file with the next number, which may be run
// again after it was cut off half-way (IF NOT EXISTS, IF EXISTS). A released
// file is never edited.
package migrations

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"text/template"

	"golang.org/x/tools/txtar"
)

//go:embed *.sql
var files embed.FS

// Target is where the tables are made.
type Target struct {
	// Cluster makes replicated tables on a cluster of this name; "" makes
	// plain ones.
	Cluster string

	// Embedded adds fsync after each insert: a snapshot of the engine vouches
	// only for rows that survive a power cut, and there is no replica. (A
	// cluster has its quorum instead.)
	Embedded bool
}

// Render returns the migrations for a target, under the names that goose sorts.
func Render(t Target) (fs.FS, error) {
	out := new(txtar.Archive)
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		tmpl, err := template.New(path.Base(name)).Option("missingkey=error").Funcs(t.functions()).Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
		var b bytes.Buffer
		if err := tmpl.Execute(&b, nil); err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
		out.Files = append(out.Files, txtar.File{Name: name, Data: b.Bytes()})
	}
	return txtar.FS(out)
}

// Newest is the number of the last migration.
func Newest() (n int64, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		one, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("migrations: %s has no number: %w", name, err)
		}
		n = max(n, one)
	}
	return n, nil
}

func (t Target) functions() template.FuncMap {
	return template.FuncMap{
		"cluster": func() string {
			if t.Cluster == "" {
				return ""
			}
			return " ON CLUSTER '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(t.Cluster) + "'"
		},
		// The replica's path holds the table's UUID, so that a table that was
		// dropped and made again does not meet its old self.
		"replacing": func(columns string) string {
			if t.Cluster == "" {
				return "ReplacingMergeTree(" + columns + ")"
			}
			return "ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', " + columns + ")"
		},
		"settings": func(more ...string) string {
			if t.Embedded {
				more = append(more, "fsync_after_insert = 1", "fsync_part_directory = 1")
			}
			if len(more) == 0 {
				return ""
			}
			return "\nSETTINGS " + strings.Join(more, ", ")
		},
		"sides": func() []string { return []string{"live", "replay"} },
	}
}
