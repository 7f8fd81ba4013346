package views

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

func TestGolden(t *testing.T) {
	site := Site{Base: "/m", Style: "/m/static/style.css", Script: "/m/static/meridian.js", Live: "/m/static/live.js", UPlot: "/m/static/chart.js", UPlotUI: "/m/static/uplot.css", Icon: "/m/static/mark.svg", SignOut: true, Tokens: true, Audit: true}
	seen := map[string]bool{}
	for _, s := range Stories(site) {
		name := s.Name
		if seen[name] {
			t.Errorf("two stories are called %s", name)
		}
		seen[name] = true
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := s.Component.Render(context.Background(), &got); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, append(readable(got.Bytes()), '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(append(readable(got.Bytes()), '\n'), want) {
				t.Errorf("differs from %s; look at it, then run go test ./web/views -update\n%s", file, readable(got.Bytes()))
			}
			if bytes.Contains(got.Bytes(), []byte(" style=")) || bytes.Contains(got.Bytes(), []byte("<script>")) {
				t.Error("an inline style or script, which the policy forbids")
			}
		})
	}
}

// readable puts each element on a line of its own.
func readable(b []byte) []byte { return bytes.ReplaceAll(b, []byte("><"), []byte(">\n<")) }
