package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// staff has zones on both sides of UTC, one with a border inside the tests'
// days, people in several teams and in none, and hours that cross midnight.
const staff = `
production: ["prod*", eu-1]
bots: ["*-ci"]
statuses: {done: [Shipped]}
holidays: {own: [2026-03-04]}
teams:
  - {name: web, zone: America/Chicago, repositories: [acme/web], jira: [WEB]}
  - {name: api, zone: Asia/Kathmandu, repositories: [acme/api], services: [api], jira: [API]}
  - {name: ops}
  - {name: platform, repositories: [acme/shop], jira: [OPS]}
  - {name: shop, zone: Asia/Kolkata, services: [cart, mail]}
incidents: {types: [Incident], labels: [sev1], resolved: [Mitigated], link_window: 12h}
people:
  - {name: Mai, github: [mai, mai2], jira: [mai], zone: Asia/Ho_Chi_Minh, teams: [{team: web, to: 2026-03-06}, ops]}
  - {name: Jonas, github: [jonas], zone: America/Chicago, hours: [{value: "22:00-06:00", to: 2026-03-07}, {value: "09:00-17:00", from: 2026-03-08}], teams: [{team: api, from: 2026-03-05}, web], holidays: own}
  - {name: Lena, github: [lena], jira: [lena]}
services:
  - {name: checkout, repositories: [acme/web]}
  - {name: cart, repositories: [acme/shop], paths: ["cart/**"], incidents: {jira: OPS, components: [Cart]}}
  - {name: mail, repositories: [acme/shop], paths: ["mail/**"]}
`

func staffCatalog() *catalog.Catalog {
	c, err := catalog.Parse("catalog.yaml", []byte(staff), catalog.Options{Key: make([]byte, 32)})
	if err != nil {
		panic(err)
	}
	return c
}

var monday = timeline.MakeDate(2026, 3, 2)

// organisation is a random one: everything that happened in some days around
// a change to summer time, as facts of scripts.
type organisation struct {
	world *world
	facts []*fact
	rand  *rand.Rand
	line  int

	shas map[string][]string // commits of a repository, so far
	runs []string            // deployments, so far
}

// drawOrganisation draws its entities one by one, so that a failure shrinks to
// few.
func drawOrganisation(t *rapid.T) *organisation {
	return organisationOf(rapid.SliceOfN(rapid.Uint64(), 1, 14).Draw(t, "entities"), t.Fatalf)
}

// organisationOf makes an organisation of entities, each of which is one number.
func organisationOf(seeds []uint64, fail func(format string, args ...any)) *organisation {
	o := &organisation{world: newWorld(), shas: map[string][]string{}}
	for i, seed := range seeds {
		o.rand = rand.New(rand.NewPCG(seed, 0))
		switch o.rand.IntN(8) {
		case 5, 6:
			o.delivery(i)
		case 7:
			o.trouble(i)
		case 0, 1:
			o.pullRequest(i)
		case 2:
			o.deployment(i)
		case 3:
			o.issue(i)
		case 4:
			o.push()
		}
	}
	for _, f := range o.facts {
		f.fail = fail
		o.world.learn(f)
	}
	return o
}

func (o *organisation) say(at timeline.Millis, format string, args ...any) {
	o.line++
	o.facts = append(o.facts, &fact{at: at, received: at, line: o.line, words: strings.Fields(fmt.Sprintf(format, args...))})
}

func (o *organisation) pick(from ...string) string { return from[o.rand.IntN(len(from))] }

func (o *organisation) person() string {
	return o.pick("mai", "mai", "mai2", "jonas", "jonas", "lena", "stranger", "copilot[bot]", "acme-ci", "ghost")
}

// start is some time in the days, on a grid of 5 min so that instants meet.
func (o *organisation) start() timeline.Millis {
	return timeline.UTC().Midnight(monday) + timeline.Millis(o.rand.IntN(9*24*12))*5*timeline.Minute
}

// soon is some time around t, often the same, sometimes before it.
func (o *organisation) soon(t timeline.Millis) timeline.Millis {
	return t + timeline.Millis(o.rand.IntN(40)-4)*5*timeline.Minute
}

func (o *organisation) chance(percent int) bool { return o.rand.IntN(100) < percent }

func (o *organisation) pullRequest(i int) {
	name := fmt.Sprintf("%s#%d", o.pick("acme/web", "acme/api", "acme/other"), i+1)
	opened := o.start()
	as := ""
	if o.chance(40) {
		as = " as draft"
	}
	from := ""
	switch o.rand.IntN(8) {
	case 0:
		from = " from fork"
	case 1, 2:
		from = " from patch-1"
	case 3, 4, 5:
		from = " from its-own-" + strconv.Itoa(i)
	}
	o.say(opened, "pr opened %s by %s%s%s adding %d removing %d", name, o.person(), as, from, o.rand.IntN(3), o.rand.IntN(3))
	o.pushesTo(name, strings.TrimPrefix(from, " from "), opened)
	turn := opened
	for draft := as != ""; o.chance(60); draft = !draft {
		turn += timeline.Millis(1+o.rand.IntN(12)) * 5 * timeline.Minute
		if draft {
			o.say(turn, "pr ready %s", name)
		} else {
			o.say(turn, "pr drafted %s", name)
		}
	}
	for range o.rand.IntN(10) {
		switch at := o.soon(opened); o.rand.IntN(11) {
		case 0, 1:
			o.say(at, "pr reviewed %s by %s %s", name, o.person(), o.pick("", "approving", "demanding", "demanding"))
		case 2:
			o.say(at, "pr reviewed %s by %s pending", name, o.person())
		case 3:
			o.say(at, "pr noted %s by %s", name, o.person())
		case 4:
			o.say(at, "pr commented %s by %s", name, o.person())
		case 5:
			o.say(max(at, opened), "pr updated %s", name)
		case 6:
			o.say(at, "pr reviewed %s by %s review %d", name, o.person(), 1000+i)
			o.say(max(at, opened)+timeline.Hour, "pr dismissed %s by mai review %d", name, 1000+i)
		case 7, 8:
			o.say(max(at, opened), "pr pushed %s by mai adding %d removing 2", name, o.rand.IntN(3))
		case 9:
			o.say(max(at, opened), "pr asked %s of %s", name, o.pick("mai", "mai2", "jonas", "jonas", "lena", "acme-ci", "team web", "team ops", "team guild"))
		case 10:
			o.say(max(at, opened), "pr unasked %s of %s", name, o.pick("mai", "jonas", "team web"))
		}
	}
	if o.chance(30) {
		closed := max(o.soon(opened), opened)
		o.say(closed, "pr closed %s by mai", name)
		if o.chance(60) {
			o.say(closed+5*timeline.Minute, "pr reopened %s by mai", name)
			if o.chance(30) {
				o.say(closed+10*timeline.Minute, "pr closed %s by mai", name)
			}
		}
	}
	if o.chance(70) {
		o.say(o.soon(opened), "pr merged %s by %s %s", name, o.person(), o.pick("", "", "automatically"))
	}
}

func (o *organisation) deployment(i int) {
	at := o.start()
	environment := o.pick("production", "production", "prod-2", "eu-1", "staging")
	repository := o.pick("acme/web", "acme/api", "acme/other")
	by := ""
	if who := o.person(); o.chance(70) && who != "ghost" {
		by = " by " + who
	}
	for range 1 + o.rand.IntN(4) {
		at := o.soon(at)
		if i%2 == 0 {
			state := o.pick("created", "queued", "in_progress", "success", "success", "failure", "inactive")
			o.say(at, "deployment %s %d from %s to %s%s", state, i, repository, environment, by)
			continue
		}
		state := o.pick("pending", "running", "success", "success", "failure", "rolled_back", "cancelled")
		o.say(at, "deploy %s run-%d of %s to %s from %s%s", state, i, "search", o.pick(environment, environment, "staging"), repository, by)
	}
}

// issue walks through statuses, at most two steps in one instant: which of more
// came first cannot be told.
func (o *organisation) issue(i int) {
	key := fmt.Sprintf("%s-%d", o.pick("WEB", "API", "OTHER"), i+1)
	statuses := []string{"To Do", "Backlog", "In Progress", "In Review", "Cooking", "Done", "Done", "Closed", "Shipped", "Released/done"}
	at, now := o.start(), o.pick(statuses...)
	o.say(at, "issue created %s in %s by %s", key, now, o.pick("mai", "lena", "stranger"))
	at += 5 * timeline.Minute
	together := false
	for range o.rand.IntN(6) {
		next := o.pick(statuses...)
		if next == now {
			continue
		}
		// From is a name; only the status it moves to has its category.
		from, _, _ := strings.Cut(now, "/")
		o.say(at, "issue moved %s from %s to %s by %s", key, from, next, o.pick("mai", "lena", "stranger"))
		now = next
		if together = !together && o.chance(30); !together {
			at += timeline.Millis(1+o.rand.IntN(60)) * 5 * timeline.Minute
		}
	}
	if o.chance(40) {
		o.say(at, "issue commented %s by %s", key, o.pick("mai", "lena", "stranger"))
	}
	if o.chance(15) {
		o.say(at+timeline.Hour, "issue deleted %s", key)
	}
}

// pushesTo pushes to the branch of a pull request, before it is opened and after.
func (o *organisation) pushesTo(name, branch string, opened timeline.Millis) {
	if branch == "" || branch == "fork" {
		return
	}
	repository, _, _ := strings.Cut(name, "#")
	for range o.rand.IntN(5) {
		at := opened + timeline.Millis(o.rand.IntN(40)-25)*5*timeline.Minute
		var commits []string
		for range o.rand.IntN(3) {
			commits = append(commits, commitAt(at-timeline.Millis(o.rand.IntN(20))*timeline.Hour/2)+o.pick("", "", "", "~"))
		}
		how := o.pick("", "", "", " making", " deleting")
		if how == " deleting" {
			commits = nil
		}
		o.say(at, "pushed %s@%s by %s%s: %s", repository, branch, o.pick("mai", "jonas", "stranger"), how, strings.Join(commits, " "))
	}
}

// commitAt writes an author time. One commit, one offset: two that differ in
// nothing else are one.
func commitAt(authored timeline.Millis) string {
	zone := []string{"Z", "+07:00", "-06:00"}[authored/timeline.Hour%3]
	if zone == "Z" {
		return authored.String()
	}
	offset, _ := timeline.ParseZone(zone)
	return strings.TrimSuffix((authored+offset.Offset(authored)).String(), "Z") + zone
}

// push pushes some commits, and some of them again.
func (o *organisation) push() {
	who, repository, at := o.person(), o.pick("acme/web", "acme/api", "acme/other"), o.alone(o.start())
	if who == "ghost" {
		who = "mai"
	}
	var commits []string
	for range 1 + o.rand.IntN(3) {
		authored := at - timeline.Millis(o.rand.IntN(30))*timeline.Hour
		commits = append(commits, commitAt(authored))
	}
	o.say(at, "pushed %s by %s: %s", repository, who, strings.Join(commits, " "))
	if o.chance(50) {
		o.say(at+timeline.Hour, "pushed %s by %s: %s", repository, who, strings.Join(commits[:1], " "))
	}
}

// deliver sends all facts, some of them twice, in an order that is nearly or
// not at all that of their times, with ticks between. It returns the events,
// each once.
func (o *organisation) deliver(seed uint64, s *stages) []event.Event {
	r := rand.New(rand.NewPCG(seed, 1))
	order := make([]*fact, 0, 2*len(o.facts))
	order = append(order, o.facts...)
	for _, f := range o.facts {
		if r.IntN(5) == 0 {
			order = append(order, f)
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })

	var events []event.Event
	seen := map[event.ID]bool{}
	end := timeline.UTC().Midnight(monday + 20)
	ticks := r.IntN(6)
	for i, f := range order {
		if r.IntN(len(order)) < ticks {
			s.tick(end - timeline.Millis(len(order)-i)*3*timeline.Hour)
		}
		es := o.world.events(f)
		s.deliver(end, es)
		for _, e := range es {
			if !seen[e.ID] {
				seen[e.ID] = true
				events = append(events, e)
			}
		}
	}
	s.tick(end)
	return events
}
