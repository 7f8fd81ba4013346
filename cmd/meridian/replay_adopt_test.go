package main

import (
	"strings"
	"testing"

	"meridian/streaming"
)

func TestSamePins(t *testing.T) {
	same := streaming.GenerationManifest{Logic: 4, Config: []byte(`{"zone":"UTC","decoders":{"github":1}}`)}
	for why, change := range map[string]func(*streaming.GenerationManifest){
		"":                                 func(m *streaming.GenerationManifest) { m.Number, m.Reason, m.Begun = 7, "other", 9 },
		"the program's logic is version 5": func(m *streaming.GenerationManifest) { m.Logic = 5 },
		"the time zone data has changed":   func(m *streaming.GenerationManifest) { m.ZoneHash[0] = 1 },
		"the catalog has changed":          func(m *streaming.GenerationManifest) { m.CatalogHash[0] = 1 },
		"a setting that changes results": func(m *streaming.GenerationManifest) {
			m.Config = []byte(`{"zone":"Asia/Tokyo","decoders":{"github":1}}`)
		},
		"what sources send is read by newer ": func(m *streaming.GenerationManifest) { m.Config = []byte(`{"zone":"UTC","decoders":{"github":2}}`) },
	} {
		now := same
		change(&now)
		ok, got := samePins(same, now)
		if ok != (why == "") || !strings.HasPrefix(got, why) {
			t.Errorf("%q: %v, %q", why, ok, got)
		}
		if (pinsKey(same) == pinsKey(now)) != ok {
			t.Errorf("%q: the keys of the pins say otherwise", why)
		}
	}
}

// A setting that changes results begins a generation at the next start, as a catalog
// does, and pages say afterwards what has changed. One that changes none begins none.
func TestASettingBeginsAGeneration(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	s.stop()
	s = in.start(t, "one", "replay: {max_procs: 2}")
	s.deploy(t, "run-2", "checkout")
	s.deploys(t, "checkout", 2)
	if list, err := runsOf(t, s); err != nil || len(list.Items) != 1 {
		t.Fatalf("a setting that changes nothing: %+v, %v", list, err)
	}
	s.stop()
	s = in.start(t, "one", "metrics: {disabled: [deploy_duration]}")
	s.answers(t)
	s.becomes(t, 2, "live")
	list, err := runsOf(t, s)
	if err != nil || list.Items[0].Reason != "a setting that changes results has changed" || list.Items[1].Kind != "first" {
		t.Errorf("%+v, %v", list, err)
	}
	if text := s.get(t, "/"); !strings.Contains(text, "these numbers are those of generation 2, because a setting that changes results has changed") {
		t.Errorf("the page does not say what has changed: %s", text)
	}
	s.deploys(t, "checkout", 2)
	if rest := in.ask(t, "SELECT count() FROM points_live WHERE generation = 2 AND metric = 'deploy_duration'"); strings.TrimSpace(rest) != "0" {
		t.Errorf("%s rows of a metric that is switched off", rest)
	}
}
