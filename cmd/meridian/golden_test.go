package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"meridian/metrics"
)

var rewriteGolden = flag.Bool("rewrite-golden", false, "take the rows of the golden log as they are, after the logic version was raised")

// The golden log is nine days of a made-up organisation, as its sources sent
// them. Its rows are what numbers on somebody's page are: when they change, a
// new logic version has to begin a new generation, and the changelog names the
// metrics. So each metric's rows, every emission and the last of each key, are
// kept as a hash beside the version that gave them.
func TestGoldenLog_RowsChangeWithTheLogicVersionAlone(t *testing.T) {
	if underRace {
		t.Skip("rows are the same with and without the race detector, which other tests give enough to look at")
	}
	folder := filepath.Join("testdata", "golden")
	got := map[string]string{}
	for _, mode := range [][]string{nil, {"--final"}, {"--mode", "restate"}} {
		var out, errs bytes.Buffer
		args := append([]string{"replay", "--input", filepath.Join(folder, "log.jsonl.zst"), "--catalog", filepath.Join(folder, "catalog.yaml"), "--print"}, mode...)
		if code := run(t.Context(), args, streams{in: bytes.NewReader(nil), out: &out, err: &errs}); code != exitOK {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		for metric, sum := range hashesByMetric(t, out.Bytes()) {
			got[metric] += " " + sum
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "logic %s\n", metrics.LogicVersion)
	for _, metric := range slices.Sorted(maps.Keys(got)) {
		fmt.Fprintf(&b, "%s%s\n", metric, got[metric])
	}
	path := filepath.Join(folder, "rows.txt")
	was, err := os.ReadFile(path)
	if err != nil && !*rewriteGolden {
		t.Fatal(err)
	}
	if b.String() == string(was) {
		return
	}
	var changed []string
	for line := range strings.Lines(b.String()) {
		if !bytes.Contains(was, []byte(line)) {
			changed = append(changed, strings.Fields(line)[0])
		}
	}
	version, _, _ := bytes.Cut(was, []byte("\n"))
	raised := string(version) != "logic "+metrics.LogicVersion
	switch {
	case !raised && len(was) > 0:
		t.Fatalf("rows of %s are others than %s gave: raise metrics.LogicVersion, name the metrics there and in the changelog, and take the rows with -rewrite-golden", strings.Join(changed, ", "), version)
	case !*rewriteGolden:
		t.Fatalf("the logic version was raised; say which metrics changed (%s) beside it and in the changelog, and take the rows with -rewrite-golden", strings.Join(changed, ", "))
	}
	before, err := parseLogic(strings.TrimPrefix(string(version), "logic "))
	if len(was) > 0 && err != nil {
		t.Fatal(err)
	}
	for _, name := range changed {
		if name != "logic" && !slices.Contains(metrics.LogicChanges(before, logicVersion()), metrics.Name(name)) {
			t.Fatalf("rows of %s change and logic %s does not name it in metrics.logicChanges: every instance would wait for somebody to promote its numbers", name, metrics.LogicVersion)
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func hashesByMetric(t *testing.T, lines []byte) map[string]string {
	t.Helper()
	sums := map[string]hash.Hash{}
	s := bufio.NewScanner(bytes.NewReader(lines))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var p struct{ Metric string }
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		if sums[p.Metric] == nil {
			sums[p.Metric] = sha256.New()
		}
		sums[p.Metric].Write(append(s.Bytes(), '\n'))
	}
	if s.Err() != nil || len(sums) < 20 {
		t.Fatalf("the golden log gives rows of %d metrics: %v", len(sums), s.Err())
	}
	short := map[string]string{}
	for metric, h := range sums {
		short[metric] = fmt.Sprintf("%x", h.Sum(nil)[:8])
	}
	return short
}
