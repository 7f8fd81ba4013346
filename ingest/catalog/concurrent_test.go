package catalog

import (
	"fmt"
	"sync"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// Answers do not depend on who asks first, nor on what was forgotten.
func TestConcurrentAnswers(t *testing.T) {
	c := mustParse(t, organisation+staffBesideIt)
	answers := func(i int) string {
		login := fmt.Sprintf("user%d", i%50)
		repository := fmt.Sprintf("acme/web-%d", i%50)
		p := c.Person(github(login))
		e := event.Event{Created: 1772442000000, Scope: event.Scope{Repository: repository, Service: fmt.Sprintf("checkout-%d", i%50), Environment: fmt.Sprintf("prod%d", i%50)}}
		home := c.Home(e)
		e.Deployment = &event.Deployment{}
		zone, known := c.ActZone(p.ID, event.LocalEvidence{Profile: "Europe/London"}, home, 1772442000000)
		day := c.PersonSchedule(p.ID, home).On(timeline.Date(20514 + i%50))
		return fmt.Sprint(p, home, c.Home(e), c.Service(e), c.Production(e), c.Teams(p.ID, 1772442000000), zone, known, day, c.Touched("acme/mono", []string{"go.mod"}, 1772442000000))
	}
	var want [50]string
	for i := range want {
		want[i] = answers(i)
	}
	c = mustParse(t, organisation+staffBesideIt)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				if got := answers(i + g); got != want[(i+g)%50] {
					t.Errorf("%s, alone %s", got, want[(i+g)%50])
					return
				}
			}
		})
	}
	wg.Wait()
}

const staffBesideIt = `
holidays: {de: {calendar: de}}
people: [{name: Mai, github: [user1, user2], teams: [web]}, {name: Jonas, github: user3, teams: [search], hours: "22:00-06:00"}]
`

func TestMemoForgets(t *testing.T) {
	var m memo[int, int]
	for i := range 2*memoMax + 10 {
		if got := m.get(i, func(k int) int { return 2 * k }); got != 2*i {
			t.Fatalf("%d gives %d", i, got)
		}
	}
	if n := max(len(*m.known.Load()), len(m.fresh)); n > memoMax {
		t.Errorf("%d are remembered", n)
	}
	if got := m.get(2*memoMax+9, func(int) int { return -1 }); got != 2*(2*memoMax+9) {
		t.Error("what was just computed is forgotten")
	}
}
