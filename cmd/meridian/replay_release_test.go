package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"meridian/metrics"
	"meridian/storage"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// ofLogic makes generation 1 one of an earlier logic, as a release finds it. Nobody
// runs meanwhile.
func (in *instanceTest) ofLogic(t *testing.T, version int32) {
	t.Helper()
	l := in.ledger(t)
	m, ok, err := l.manifestOf(1)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	m.Logic = version
	data, err := kafka.EncodeGeneration(m)
	if err == nil {
		err = l.control.Put(t.Context(), kafka.GenerationKey(1), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

const oneDeploymentMore = "ALTER TABLE points_live UPDATE n = n + 1, value = value + 1 WHERE team = 'checkout' AND metric = 'deploy_frequency' AND grain = 'day' AND service = '' SETTINGS mutations_sync = 2"

// A release takes over by itself when what differs is what it says that it changes.
// When anything else does, it waits for somebody who has looked, and says so
// wherever one may look.
func TestRelease_TakesOverByItselfInsideItsList(t *testing.T) {
	notUnderRace(t)
	latest := logicVersion()
	for _, c := range []struct {
		name    string
		logic   int32 // of what readers see
		changed string
		waits   bool
	}{
		{"nothing differs", latest - 1, "", false},
		{"what it names differs", 2, oneDeploymentMore, false}, // logic 3 changed deploy_frequency
		{"something else differs", latest - 1, oneDeploymentMore, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := newInstanceTest(t)
			s := in.start(t, "one", "")
			s.deploy(t, "run-1", "checkout")
			s.deploys(t, "checkout", 1)
			s.stop()
			in.ofLogic(t, c.logic)
			if c.changed != "" {
				changeTables(t, in, c.changed)
			}

			s = in.start(t, "one", "")
			s.answers(t)
			if !c.waits {
				s.becomes(t, 2, "live")
				return
			}
			s.becomes(t, 2, "ready")
			await(t, s.ended, func() error {
				list, err := runsOf(t, s)
				if err != nil || list.Current != 1 || !strings.Contains(list.Items[0].Says, "does not mean to change (deploy_frequency)") || !strings.Contains(list.Items[0].Says, "replay promote 2") {
					return fmt.Errorf("%+v, %v", list, err)
				}
				return nil
			})
			out := s.get(t, "/status")
			for _, part := range []string{"waits to be promoted: it differs in metrics", "so they wait for somebody to promote them (run 2)"} {
				if !strings.Contains(out, part) {
					t.Errorf("the status page, or the foot of every page, does not say %q: %s", part, out)
				}
			}
			s.stop()
			s = in.start(t, "one", "") // it is not compared again, and still waits
			s.answers(t)
			s.becomes(t, 2, "ready")
			if g := in.live(t); g != 1 {
				t.Errorf("after a restart generation %d is live", g)
			}
			if _, err := command(t, "replay", "promote", "2", "--data-dir", s.dir); err != nil {
				t.Fatal(err)
			}
			s.deploy(t, "run-2", "checkout")
			s.deploys(t, "checkout", 2)
		})
	}
}

// answers waits until the server does. Commands that ask one would start one of their
// own before.
func (s *server) answers(t *testing.T) {
	t.Helper()
	await(t, s.ended, func() error {
		res, err := overSocket(s.socket).Get("http://localhost/livez")
		if err == nil {
			err = res.Body.Close()
		}
		return err
	})
}

// get returns a page, as the owner of the data directory sees it.
func (s *server) get(t *testing.T, path string) string {
	t.Helper()
	client := overSocket(s.socket)
	res, err := client.Get("http://localhost" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", path, res.Status, text)
	}
	return string(text)
}

// What one has read that the other has not, or has taken that was too late for it,
// is no doing of a release's.
func TestExcuses(t *testing.T) {
	e := excuses{"web": {"jira": true}}
	for _, x := range []struct {
		team   string
		metric metrics.Name
		want   bool
	}{{"web", "issue_cycle_time", true}, {"web", "pr_size", false}, {"api", "issue_cycle_time", false}, {"web", "a_metric_of_one's_own", true}} {
		if got := e.any(x.team, x.metric); got != x.want {
			t.Errorf("%s of %s: %v", x.metric, x.team, got)
		}
	}
}

// Only what both generations had to compute is compared.
func TestComputedByBoth(t *testing.T) {
	const day = timeline.Day
	b := computedByBoth{end: streaming.RoundOf(200 * day), clock: 199 * day, behind: true, oldest: 108 * day}
	w := storage.DiffWindow{Start: 150 * day, End: 180 * day, First: storage.DiffSide{There: true, Round: streaming.RoundOf(180 * day)}}
	is := func(what string, b computedByBoth, w storage.DiffWindow, want bool) {
		t.Helper()
		if b.have(w) != want {
			t.Errorf("%s is compared: %v", what, !want)
		}
	}
	is("a window", b, w, true)
	late := w
	late.Second.Round = b.end + 1
	is("one that was written behind the history", b, late, false)
	old := w
	old.Start = b.oldest - 1
	is("one that begins before the horizon", b, old, false)
	alone := w
	alone.First = storage.DiffSide{}
	is("one that readers lack", b, alone, true)
	alone.End = b.clock + 1
	is("one that readers have not come to", b, alone, false)
	b.behind = false
	is("one that they should have come to", b, alone, true)
}

func TestJudgement(t *testing.T) {
	j := judgement{Against: 1}
	if j.String() != "" {
		t.Errorf("%q", j)
	}
	j.Outside = append(j.Outside, "a", "b", "c", "d", "e", "f", "g")
	if want := "it differs in metrics that this release does not mean to change (a, b, c, d, e, 2 more)"; j.String() != want {
		t.Errorf("%q", j)
	}
}

// A variation changes with what it is a variation of.
func TestChangedBy(t *testing.T) {
	settings, err := json.Marshal(object{"variations": []object{{"name": "deploys_of_staging", "of": "deploy_frequency"}, {"name": "small_changes", "of": "pr_size"}}})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := changedBy(streaming.GenerationManifest{Logic: 2}, streaming.GenerationManifest{Logic: 3, Config: settings})
	if err != nil || !changed["deploy_frequency"] || !changed["deploys_of_staging"] || changed["pr_size"] || changed["small_changes"] {
		t.Errorf("%v, %v", changed, err)
	}
}
