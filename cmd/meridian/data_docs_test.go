package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every command of docs/data.md is run, in its order, on an instance whose server
// runs.
func TestDataPage_CommandsAreTrue(t *testing.T) {
	page, err := os.ReadFile("../../docs/data.md")
	if err != nil {
		t.Fatal(err)
	}
	history, _, _ := organisation(t, 100)
	t.Chdir(t.TempDir())
	t.Setenv("MERIDIAN_LISTEN", "127.0.0.1:0")
	meridian := func(stdin string, args ...string) string {
		t.Helper()
		var out, said bytes.Buffer
		if code := run(t.Context(), args, streams{in: strings.NewReader(stdin), out: &out, err: &said}); code != exitOK {
			t.Errorf("meridian %s: exit code %d: %s", strings.Join(args, " "), code, said.String())
		}
		return out.String()
	}
	meridian("", "import", history)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve"}, streams{in: strings.NewReader(""), out: io.Discard, err: outputOf(t)})
	}()
	defer func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("serve: exit code %d", code)
		}
	}()
	await(t, ended, func() error {
		if _, err := os.Stat(filepath.Join("meridian-data", adminSocket)); err != nil {
			return err
		}
		if n := meridianQuietly("sql", "--format", "TabSeparated", "SELECT count() > 100 AND (SELECT count() FROM generations) > 0 FROM points_live"); strings.TrimSpace(n) != "1" {
			return fmt.Errorf("no points yet")
		}
		return nil
	})

	commands := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for _, line := range strings.Split(strings.TrimSpace(block[1]), "\n") {
			commands++
			stdin := ""
			if text, rest, ok := strings.Cut(line, " | meridian"); ok { // echo "..." | meridian ...
				stdin, line = strings.Trim(strings.TrimPrefix(text, "echo "), `"`), "meridian"+rest
			}
			line, _, _ = strings.Cut(line, " | head")
			args := words(line)
			out := meridian(stdin, args[1:]...)
			switch {
			case strings.HasPrefix(line, "meridian sql"):
				if strings.Count(out, "\n") < 2 {
					t.Errorf("%s prints %q", line, out)
				}
			case strings.HasSuffix(line, " -"):
				if !strings.HasPrefix(out, `{"metric":`) {
					t.Errorf("%s prints %.80q", line, out)
				}
			}
		}
	}
	for _, file := range []string{"log.jsonl.zst", "points.parquet", "evidence.csv.gz", "backup.tar.zst", "backup-folder/instance.json", "restored/instance.json", "moved/instance.json"} {
		if info, err := os.Stat(file); err != nil || info.Size() < 50 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if commands < 12 {
		t.Errorf("only %d commands were found", commands)
	}
}

func meridianQuietly(args ...string) string {
	var out bytes.Buffer
	run(context.Background(), args, streams{in: strings.NewReader(""), out: &out, err: io.Discard})
	return out.String()
}

// words cuts a line of shell that quotes with " alone.
func words(line string) (all []string) {
	for i, piece := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, piece)
		} else {
			all = append(all, strings.Fields(piece)...)
		}
	}
	return all
}
