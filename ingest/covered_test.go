package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// What is said of a scope goes to the teams that own it then, and of a whole
// source to every partition; it counts as no event.
func TestCoverageGoesToTheTeamsOfItsScope(t *testing.T) {
	c, err := catalog.Parse("catalog.yaml", []byte(`
teams:
  - {name: shop, repositories: [{value: acme/web, to: 2026-02-28}], jira: [SHOP]}
  - {name: web, repositories: [{value: acme/web, from: 2026-03-01}]}
  - {name: pay, services: [ledger]}
services:
  - {name: ledger, repositories: [acme/mono], paths: ["ledger/**"]}
`), catalog.Options{Key: make([]byte, 32), Zone: timeline.UTC()})
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) timeline.Millis {
		m, err := timeline.ParseInstant(s)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	const jan, mar, apr = "2026-01-10T00:00:00Z", "2026-03-10T00:00:00Z", "2026-04-10T00:00:00Z"
	for _, x := range []struct {
		source   event.Source
		scope    string
		from, to string
		want     []string
	}{
		{event.GitHub, "acme/web", jan, apr, []string{"shop", "web"}},
		{event.GitHub, "acme/web", mar, apr, []string{"web"}},
		{event.GitHub, "acme/other", jan, apr, []string{"acme/other"}},
		{event.GitHub, "acme/mono", jan, apr, []string{"acme/mono", "pay"}},
		{event.Jira, "SHOP", jan, apr, []string{"shop"}},
		{event.Jira, "OPS", jan, apr, []string{"OPS"}},
		{event.Jira, "", jan, apr, []string{"", "", "", ""}},
		{event.GitHub, "acme/web", apr, mar, nil}, // no time at all
		{event.Deploy, "checkout", jan, apr, nil},
	} {
		r := testRoute(t, func(rc *RouteConfig) { rc.Catalog = c })
		var teams []string
		partitions := map[int32]bool{}
		entry := Entry{Coverage: &Coverage{x.source, x.scope, at(x.from), at(x.to)}}
		r.Apply(0, EntryMessage(0, 7, entry).Record, func(copied Copy) {
			v := copied.Message.Value
			if v.Copy != event.Aside || v.Event.Kind != event.ScopeCovered || v.Event.Created != at(x.from) || v.Event.Time != at(x.to) || v.Event.Source != x.source ||
				v.Event.Scope.Repository+v.Event.Scope.Project != x.scope || copied.Message.Origin.Offset != 7 || int(copied.Message.Origin.Ordinal) != len(teams) {
				t.Errorf("%s: copy %+v", x.scope, copied)
			}
			teams, partitions[copied.Partition] = append(teams, v.Team), true
		})
		if !slices.Equal(teams, x.want) || x.scope == "" && len(partitions) != 4 {
			t.Errorf("%s %s from %s: teams %q, not %q; partitions %v", x.source, x.scope, x.from, teams, x.want, partitions)
		}
		if n := r.Counts(); fmt.Sprint(n) != fmt.Sprint(newCounts()) {
			t.Errorf("counted as %+v", n)
		}
	}
}

func newCounts() Counts { return Counts{ByReason: map[string]int64{}} }

// Archives say it in a line, which stands where it stands and moves no clock.
func TestArchiveKeepsCoverageAndGaps(t *testing.T) {
	const text = `{"source":"github","received":"2026-03-02T09:00:00Z","headers":{},"body":"{}"}
{"coverage":{"source":"github","scope":"acme/web","from":"2026-01-01T00:00:00Z","to":"2026-03-02T09:00:00Z"}}
{"gap":{"source":"jira","from":"2026-02-01T00:00:00Z","to":"2026-02-02T00:00:00Z"}}
`
	read := func(text string) (lines []string) {
		a, err := NewArchiveReader(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		ticked := NewTickedArchive(a, ArchiveTicks{})
		for {
			line, err := ticked.Next()
			if err != nil {
				return append(lines, err.Error())
			}
			e := line.Control()
			switch {
			case line.Delivery != nil:
				lines = append(lines, "delivery")
			case e.Coverage != nil:
				lines = append(lines, fmt.Sprintf("coverage %+v", *e.Coverage))
			case e.Gap != nil:
				lines = append(lines, fmt.Sprintf("gap %+v", *e.Gap))
			default:
				lines = append(lines, "tick "+line.Tick.String())
			}
		}
	}
	want := []string{
		"delivery",
		"coverage {Source:github Scope:acme/web From:2026-01-01T00:00:00Z To:2026-03-02T09:00:00Z}",
		"gap {Source:jira Scope: From:2026-02-01T00:00:00Z To:2026-02-02T00:00:00Z}",
		"tick 2026-03-02T09:00:00Z", "EOF",
	}
	if got := read(text); !slices.Equal(got, want) {
		t.Errorf("read as %q", got)
	}
	a, err := NewArchiveReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := NewArchiveWriter(&b)
	for range 3 {
		line, err := a.Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(b.String()); !slices.Equal(got, want) {
		t.Errorf("written and read again: %q", got)
	}
	for text, want := range map[string]string{
		`{"coverage":{"source":"mail","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}}`:                          "its source is none",
		`{"gap":{"source":"jira","from":"yesterday","to":"2026-01-02T00:00:00Z"}}`:                                          "from: ",
		`{"tick":"2026-01-01T00:00:00Z","gap":{"source":"jira","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}}`: "several things at once",
	} {
		if got := read(text); !strings.Contains(got[0], want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// What an API read brings beyond the horizon is late for this generation, and told
// apart: the next one's history takes it.
func TestCountsTellWhatAnAPIHasBrought(t *testing.T) {
	const now = 20_000 * timeline.Day
	r := testRoute(t, nil)
	api := fact(1, event.GitHub, now-400*timeline.Day, now)
	api.Delivery.ViaAPI = true
	drive(r, []step{{tick: now}, {delivery: api}, {delivery: fact(2, event.GitHub, now-400*timeline.Day, now)}, {tick: now + timeline.Minute}}, func(Copy) {}, nil)
	if n := r.Counts(); n.Decoded != 2 || n.Late != 2 || n.LateByAPI != 1 || n.Accepted != 0 {
		t.Errorf("%+v", n)
	}
}
