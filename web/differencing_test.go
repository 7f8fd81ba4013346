package web_test

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/metrics"
	"meridian/streaming/timeline"
	"meridian/web"
	"meridian/web/webtest"
)

// The attack: somebody asks every question that the API answers about a metric of
// people, and solves the equations that the answers are. They must not find out
// what was withheld, nor anything about fewer people than are needed.

const (
	attackedDays = 70
	daysBefore   = 80 // that are asked for, too
	enough       = 5
)

// attacked is an organisation with what an attack can hang on to: teams below
// the minimum, people in two teams, zones, weekends on which one person works,
// holidays of whole teams, and a run that differs by one person.
type attacked struct {
	*webtest.Organisation
	first   timeline.Date
	clock   timeline.Date
	primary map[event.PersonID]string
	acts    map[act]bool
}

type act struct {
	team   string
	day    timeline.Date
	person event.PersonID
}

func newAttacked(t testing.TB, seed uint64) *attacked {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	first, err := timeline.ParseDate("2026-01-05")
	if err != nil {
		t.Fatal(err)
	}
	first += timeline.Date(rng.IntN(28))
	a := &attacked{Organisation: webtest.Empty(), first: first, clock: first + attackedDays - 1, primary: map[event.PersonID]string{}, acts: map[act]bool{}}
	zones := []string{"Europe/Berlin", "Asia/Ho_Chi_Minh", "America/New_York", "UTC"}
	teams := []struct {
		name, group string
		people      int
	}{{"web", "shop", 9}, {"payments", "shop", 5 + rng.IntN(3)}, {"data", "shop", 1 + rng.IntN(4)}, {"platform", "core", 7}, {"mobile", "core", 2 + rng.IntN(4)}}
	clock := webtest.Zone("Pacific/Kiritimati").Midnight(a.clock) + 2*timeline.Day + 3*timeline.Hour // the same date is over everywhere
	a.AsOfAnswer = metrics.AsOf{Generation: 2, Clock: clock}
	for i, tm := range teams {
		z := webtest.Zone(zones[(i+int(seed))%len(zones)])
		a.List = append(a.List, web.Team{Name: tm.name, Group: tm.group, Zone: z})
		a.Covered = append(a.Covered, metrics.CoverageRow{Team: tm.name, Source: event.GitHub, From: z.Midnight(first - 40), Last: clock})
		for person := range tm.people {
			id := webtest.Person(i*100 + person + 1)
			a.primary[id] = tm.name
			of := []string{tm.name}
			if person == 0 && rng.IntN(2) == 0 { // somebody who works for the next team, too
				of = append(of, teams[(i+1)%len(teams)].name)
			}
			busy := .5 + rng.Float64()*.5
			for day := first; day < first+attackedDays; day++ {
				chance := busy
				if w := day.Weekday(); w == 0 || w == 6 {
					chance = .04
				}
				if tm.name == "payments" && day > first+30 && day < first+40 || rng.Float64() >= chance {
					continue
				}
				for range 1 + rng.IntN(4) {
					at := z.Midnight(day) + timeline.Millis(8+rng.IntN(14))*timeline.Hour
					for _, team := range of {
						// An act of somebody in two teams is dated in each one's days; noon is the same day in both.
						when := at
						if len(of) > 1 {
							when = webtest.Zone("UTC").Midnight(day) + 10*timeline.Hour
						}
						a.Rows = append(a.Rows, metrics.ObservationRow{Team: team, Observation: metrics.Observation{
							Metric: "after_hours", Entity: event.EntityID(fmt.Sprint(len(a.Rows))), At: when, Value: 1, Hit: rng.IntN(5) == 0,
							Outcome: metrics.Observed, Person: id, Primary: team == tm.name, Known: event.ZoneConfigured, Class: timeline.Class(rng.IntN(2)),
						}})
						local := a.Team(team).Zone.Date(when)
						a.acts[act{team, local, id}] = true
					}
				}
			}
		}
	}
	return a
}

// question is a sum over strands and days.
type question struct {
	several  bool
	teams    []string
	from, to timeline.Date // inclusive
}

// people are who is behind a question's answer.
func (a *attacked) people(q question) map[event.PersonID]bool {
	found := map[event.PersonID]bool{}
	for x := range a.acts {
		if slices.Contains(q.teams, x.team) && x.day >= q.from && x.day <= q.to && (!q.several || a.primary[x.person] == x.team) {
			found[x.person] = true
		}
	}
	return found
}

// absent reports whether somebody asks about four weeks in which nobody of the
// teams did anything, which is no secret: other pages show it.
func (a *attacked) absent(q question) bool {
	for day := q.from; day <= q.to; day++ {
		const weeks = 28
		monday := day - (day-4)%weeks
		if len(a.people(question{q.several, q.teams, monday, monday + weeks - 1})) > 0 {
			return false
		}
	}
	return true
}

// sum is a question as an equation over running sums: a window is the
// difference of two of them, which keeps the equations short. Who is knowing
// knows besides that nobody was there before the beginning.
func (a *attacked) sum(q question, knowing bool) equation {
	e := equation{}
	at := func(strand int, day timeline.Date, sign int64) {
		i := int(day - a.first)
		if i <= 0 && knowing {
			return
		}
		i = max(min(i, attackedDays), -daysBefore) + daysBefore
		e.add(strand*(attackedDays+daysBefore+1)+i, big.NewInt(sign))
	}
	for i, t := range a.List {
		if !slices.Contains(q.teams, t.Name) {
			continue
		}
		for second := range 2 {
			if second == 1 && q.several {
				continue
			}
			at(i*2+second, q.to+1, 1)
			at(i*2+second, q.from, -1)
		}
	}
	return e
}

// equation is sparse, modulo a prime that no chance will hit.
type equation map[int]*big.Int

var prime = big.NewInt(1<<61 - 1)

func (e equation) add(i int, v *big.Int) {
	sum := new(big.Int).Set(v)
	if old := e[i]; old != nil {
		sum.Add(sum, old)
	}
	if sum.Mod(sum, prime); sum.Sign() == 0 {
		delete(e, i)
	} else {
		e[i] = sum
	}
}

// attacker solves equations.
type attacker struct{ basis map[int]equation }

// reduce takes away from e all that is known; what is left of a known sum is
// nothing.
func (s *attacker) reduce(e equation) equation {
	e = cloneEquation(e)
	for {
		pivot := -1
		for i := range e {
			if s.basis[i] != nil && i > pivot {
				pivot = i
			}
		}
		if pivot < 0 {
			return e
		}
		factor := new(big.Int).Neg(e[pivot])
		for i, v := range s.basis[pivot] {
			e.add(i, new(big.Int).Mul(factor, v))
		}
	}
}

func (s *attacker) learn(e equation) {
	e = s.reduce(e)
	pivot := -1
	for i := range e {
		pivot = max(pivot, i)
	}
	if pivot < 0 {
		return
	}
	inverse := new(big.Int).ModInverse(e[pivot], prime)
	for i, v := range e {
		e[i] = new(big.Int).Mod(new(big.Int).Mul(v, inverse), prime)
	}
	s.basis[pivot] = e
}

func (s *attacker) knows(e equation) bool { return len(s.reduce(e)) == 0 }

func cloneEquation(e equation) equation {
	c := make(equation, len(e))
	for i, v := range e {
		c[i] = v
	}
	return c
}

// asked is what was asked and whether it was answered.
type asked struct {
	question
	n     int64
	shown bool
}

// askAll asks for each scope, at each grain, for ranges of all sorts, as JSON and
// as CSV, with and without services.
func (a *attacked) askAll(t testing.TB, s *web.Server) (all []asked) {
	t.Helper()
	scopes := map[string]question{"scope=org": {several: true}, "scope=group:shop": {several: true}, "scope=group:core": {several: true}}
	for _, tm := range a.List {
		scopes["team="+tm.Name] = question{teams: []string{tm.Name}}
		for _, scope := range []string{"scope=org", "scope=group:" + tm.Group} {
			q := scopes[scope]
			q.teams = append(q.teams, tm.Name)
			scopes[scope] = q
		}
	}
	last := a.clock
	ask := func(scope string, q question, grain string, from, to timeline.Date, more string) {
		query := url.Values{"metric": {"after_hours"}, "grain": {grain}, "from": {from.String()}, "to": {to.String()}}.Encode() + "&" + scope + more
		for _, p := range points(t, s, query).Points {
			z := webtest.Zone(p.Zone)
			start, end := at(t, p.Start), at(t, p.End)
			q.from, q.to = z.Date(start), z.Date(end-1)
			if p.Service != "" {
				t.Fatalf("a service of people: %+v", p)
			}
			shown := p.Missing != string(metrics.BelowMinPeople)
			if !shown && (p.N != 0 || p.Value != nil || p.Numerator != nil) {
				t.Fatalf("withheld, and yet %+v", p)
			}
			all = append(all, asked{q, p.N, shown})
		}
		if grain == "range" && from%21 != 0 {
			return
		}
		// CSV comes through the same guard.
		r := request(t, s, "GET", "/api/v1/points?"+query+"&format=csv")
		records, err := csv.NewReader(strings.NewReader(body(t, r))).ReadAll()
		if err != nil || len(records) == 0 {
			t.Fatal(err, records)
		}
		n, missing := slices.Index(records[0], "n"), slices.Index(records[0], "missing")
		for i, record := range records[1:] {
			same := &all[len(all)-len(records)+1+i]
			if got, err := strconv.ParseInt(record[n], 10, 64); err != nil || got != same.n || (record[missing] == string(metrics.BelowMinPeople)) == same.shown {
				t.Fatalf("CSV says %v where JSON says %+v", record, same)
			}
		}
	}
	names := make([]string, 0, len(scopes))
	for name := range scopes {
		names = append(names, name)
	}
	slices.Sort(names)
	rng := rand.New(rand.NewPCG(uint64(a.first), 9))
	for _, name := range names {
		q := scopes[name]
		for _, grain := range []string{"day", "day30", "week", "month"} {
			ask(name, q, grain, a.first-35, last, "&service=*")
		}
		for length := range timeline.Date(9) { // ranges that slide, and so overlap
			for from := a.first + 20; from < a.first+28; from++ {
				ask(name, q, "range", from, from+length, "")
			}
		}
		for range 25 {
			from := a.first + timeline.Date(rng.IntN(attackedDays))
			ask(name, q, "range", from, from+timeline.Date(rng.IntN(40)), "")
		}
	}
	return all
}

func TestGuard_NobodyIsFoundByDifferencing(t *testing.T) {
	seeds := uint64(2)
	if n, err := strconv.ParseUint(os.Getenv("MERIDIAN_TEST_SEEDS"), 10, 64); err == nil {
		seeds = n
	}
	var shown, hidden, naive int
	for seed := range seeds {
		a := newAttacked(t, seed)
		shared := seed%2 == 0
		// On one's own machine it may be found that nobody was active.
		secret := func(q question) bool { return !a.absent(q) && (shared || len(a.people(q)) > 0) }
		s := newServer(t, a.Organisation, func(c *web.Config) {
			c.Shared = shared
			c.Primary = func(id event.PersonID, _ timeline.Millis) string { return a.primary[id] }
		})
		all := a.askAll(t, s)
		guarded, knowing, simple := &attacker{map[int]equation{}}, &attacker{map[int]equation{}}, &attacker{map[int]equation{}}
		for i := range all {
			x := &all[i]
			if x.shown {
				shown++
				if n := len(a.people(x.question)); n < enough {
					t.Fatalf("seed %d: %+v is about %d people", seed, x, n)
				}
				guarded.learn(a.sum(x.question, false))
				knowing.learn(a.sum(x.question, true))
			} else {
				hidden++
			}
			if len(a.people(x.question)) >= enough {
				simple.learn(a.sum(x.question, false))
			}
		}
		for i := range all {
			x := &all[i]
			if x.shown || !secret(x.question) {
				continue
			}
			if x.to > a.clock && !shared && len(a.people(x.question)) >= enough {
				continue // what runs on is withheld until it is over, and holds nothing yet that is not shown
			}
			if guarded.knows(a.sum(x.question, false)) {
				t.Fatalf("seed %d: what was withheld can be worked out: %+v, of %d people", seed, x.question, len(a.people(x.question)))
			}
			if n := len(a.people(x.question)); n < enough && simple.knows(a.sum(x.question, false)) {
				naive++
			}
		}
		// Anything about too few people, whether somebody has asked for it or not.
		for _, tm := range a.List {
			for from := a.first; from < a.first+attackedDays; from++ {
				for to := from; to < min(from+10, a.first+attackedDays); to++ {
					for _, several := range []bool{false, true} {
						q := question{several, []string{tm.Name}, from, to}
						if n := len(a.people(q)); n < enough && secret(q) && knowing.knows(a.sum(q, true)) {
							t.Fatalf("seed %d: %+v is about %d people and can be worked out", seed, q, n)
						}
					}
				}
			}
		}
		a.subtract(t, seed, all)
	}
	t.Logf("%d answers shown, %d withheld; with the minimum alone %d of those would have been found", shown, hidden, naive)
	if shown < 100*int(seeds) || naive < 10*int(seeds) {
		t.Errorf("%d shown and %d found by an attack on a guard that only counts: this attack attacks nothing", shown, naive)
	}
}

// subtract takes each shown answer away from each that holds it: who is left are
// enough, or nobody.
func (a *attacked) subtract(t *testing.T, seed uint64, all []asked) {
	seen := map[string]bool{}
	var some []question
	for _, x := range all {
		if key := fmt.Sprint(x.question); x.shown && !seen[key] {
			seen[key] = true
			some = append(some, x.question)
		}
	}
	for _, big := range some {
		for _, small := range some {
			if !covers(big, small) {
				continue
			}
			left := map[event.PersonID]bool{}
			for x := range a.acts {
				if holds(a, big, x) && !holds(a, small, x) {
					left[x.person] = true
				}
			}
			if n := len(left); n > 0 && n < enough {
				t.Fatalf("seed %d: %+v less %+v is about %d people", seed, big, small, n)
			}
		}
	}
}

func holds(a *attacked, q question, x act) bool {
	return slices.Contains(q.teams, x.team) && x.day >= q.from && x.day <= q.to && (!q.several || a.primary[x.person] == x.team)
}

func covers(big, small question) bool {
	if big.from > small.from || big.to < small.to || big.several && !small.several {
		return false
	}
	for _, t := range small.teams {
		if !slices.Contains(big.teams, t) {
			return false
		}
	}
	return true
}

// Runs differ by what was mended, which can be about one person.
func TestGuard_PeopleAreShownOfTheRunThatReadersSeeAlone(t *testing.T) {
	a := newAttacked(t, 1)
	s := newServer(t, a.Organisation)
	for run, want := range map[string]bool{"live": true, "2": true, "1": false} {
		shown := false
		for _, p := range points(t, s, "metric=after_hours&team=web&grain=week&from=2026-01-01&run="+run).Points {
			shown = shown || p.Value != nil
		}
		if shown != want {
			t.Errorf("run %s shows people: %v", run, shown)
		}
	}
}
