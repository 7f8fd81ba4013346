package senders

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A Received is a delivery with its time of receipt.
type Received struct {
	Delivery
	At time.Time
}

// History is a made-up past of the catalog's two teams: the same for the same seed, in order of receipt. It has what
// makes time hard: deliveries that come again, in another order, hours, weeks and months late, one from 2099, reviews
// by a bot, by the author and of drafts, deployments that fail, issues that are reopened, and nights and weekends.
func History(seed uint64, from time.Time, days int) []Received {
	h := &history{dice: rand.New(rand.NewPCG(seed, 1)), number: 100}
	for day := range days {
		morning := from.AddDate(0, 0, day)
		for _, repository := range []Repository{Web, Shop} {
			for range 1 + h.dice.IntN(3) {
				h.change(repository, h.after(morning, 20*time.Hour))
			}
			h.deploy(repository, h.after(morning, 22*time.Hour))
			h.issue(map[string]string{"acme/web": "WEB", "acme/shop": "SHOP"}[repository.Name], h.after(morning, 15*time.Hour))
		}
	}
	h.oddities(from, days)
	slices.SortStableFunc(h.all, func(a, b Received) int { return a.At.Compare(b.At) })
	return h.all
}

type history struct {
	dice   *rand.Rand
	number int
	all    []Received
}

var humans = []User{Mai, Jonas, Lena, Ravi, Ada, Nobody}

func (h *history) human() User { return humans[h.dice.IntN(len(humans))] }

// after is some whole second within a while after t.
func (h *history) after(t time.Time, within time.Duration) time.Time {
	return t.Add(time.Duration(1+h.dice.Int64N(int64(within/time.Second))) * time.Second)
}

// send has a delivery received soon after its fact, or late, and now and then twice.
func (h *history) send(d Delivery, fact time.Time) {
	at := h.after(fact, 20*time.Second)
	switch h.dice.IntN(40) {
	case 0:
		at = h.after(fact, 20*time.Minute)
	case 1:
		at = h.after(fact, 3*24*time.Hour)
	}
	h.all = append(h.all, Received{d, at})
	if h.dice.IntN(12) == 0 {
		h.all = append(h.all, Received{d, h.after(at, 6*time.Hour)})
	}
}

func (h *history) change(repository Repository, created time.Time) {
	h.number++
	p := PullRequest{repository, h.number, h.human(), created, h.dice.IntN(4) == 0}
	h.send(p.Opened(), created)
	at := created
	if p.Draft {
		if h.dice.IntN(3) == 0 {
			at = h.after(at, 3*time.Hour)
			h.send(p.Reviewed(10*h.number, h.human(), at), at)
		}
		at = h.after(at, 8*time.Hour)
		h.send(p.Ready(at), at)
	}
	if h.dice.IntN(2) == 0 {
		bot := at.Add(20 * time.Second)
		h.send(p.Reviewed(10*h.number+1, Robot, bot), bot)
	}
	for i := range 1 + h.dice.IntN(3) {
		at = h.after(at, 20*time.Hour)
		h.send(p.Reviewed(10*h.number+2+i, h.human(), at), at)
	}
	end := h.after(at, 30*time.Hour)
	switch h.dice.IntN(6) {
	case 0:
		h.send(p.Closed(p.Author, end), end)
	case 1: // nobody ends it
	default:
		by := h.human()
		h.send(p.Merged(by, end), end)
		push := end.Add(time.Second)
		h.send(repository.Push(by, push, Commit{fmt.Sprintf("%040d", h.number), p.Author, created.Add(-time.Hour)}, Commit{fmt.Sprintf("%040d", -h.number), by, end}), push)
	}
}

func (h *history) deploy(repository Repository, at time.Time) {
	h.number++
	environment := "production"
	if h.dice.IntN(4) == 0 {
		environment = "staging"
	}
	if repository == Shop {
		status := "success"
		if h.dice.IntN(5) == 0 {
			status = "failure"
		}
		service := []string{"cart", "search"}[h.dice.IntN(2)]
		id := fmt.Sprintf("run-%d", h.number)
		h.send(Deployed(id, service, environment, status, "", at), at)
		if status == "success" && h.dice.IntN(5) == 0 {
			at = h.after(at, time.Hour)
			h.send(Deployed(id, service, environment, "rolled_back", "", at), at)
		}
		return
	}
	d := Deployment{repository, h.number, environment, h.human(), at}
	h.send(d.Begun(), at)
	at = h.after(at, 10*time.Minute)
	h.send(d.Status(10*h.number, []string{"success", "success", "success", "failure"}[h.dice.IntN(4)], at), at)
	at = h.after(at, 48*time.Hour)
	h.send(d.Status(10*h.number+1, "inactive", at), at)
}

func (h *history) issue(project string, created time.Time) {
	h.number++
	names := []string{"mai", "jonas", "lena", "ravi", "ada"}
	who := func() string { return names[h.dice.IntN(len(names))] }
	i := Issue{h.number, project, created}
	h.send(i.Opened(who()), created)
	at := h.after(created, 10*time.Hour)
	h.send(i.Moved(who(), ToDo, InProgress, at), at)
	at = h.after(at, 30*time.Hour)
	h.send(i.Commented(who(), 10*h.number, at), at)
	at = h.after(at, 30*time.Hour)
	h.send(i.Moved(who(), InProgress, Done, at), at)
	if h.dice.IntN(4) == 0 {
		at = h.after(at, 10*time.Hour)
		h.send(i.Moved(who(), Done, InProgress, at), at)
		if h.dice.IntN(2) == 0 {
			at = h.after(at, 10*time.Hour)
			h.send(i.Moved(who(), InProgress, Done, at), at)
		}
	}
}

// oddities are what must leave the numbers alone.
func (h *history) oddities(from time.Time, days int) {
	middle := from.AddDate(0, 0, days/2)
	h.send(Web.Ping(Mai), middle)
	h.send(Web.Unknown(Mai), middle)
	h.send(Web.DeletedBranch(Jonas, middle), middle)
	old := PullRequest{Web, 1, Mai, middle.AddDate(0, 0, -101), false}
	h.all = append(h.all,
		Received{old.Reviewed(1, Jonas, middle.AddDate(0, 0, -100)), middle},                                              // beyond the horizon
		Received{PullRequest{Web, 2, Mai, time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC), false}.Opened(), middle},           // from the future
		Received{Delivery{"github", map[string]string{"X-GitHub-Event": "pull_request"}, []byte(`{"action":7}`)}, middle}, // no pull request at all
	)
}

// Archive writes deliveries as the lines of an archive. Without ticked it has no tick lines, and whoever reads it
// makes its ticks.
func Archive(all []Received, ticked bool) string {
	var b strings.Builder
	last := time.Time{}
	for i, r := range all {
		b.WriteString(r.Line(r.At))
		next := r.At.Add(48 * time.Hour)
		if i+1 < len(all) {
			next = all[i+1].At
		}
		// One soon after, as ingesters give them, unless more comes; then one now and then.
		if at := r.At.Truncate(500 * time.Millisecond).Add(time.Second); ticked && at.After(last) && at.Before(next) {
			for ; at.Before(next) && (i+1 < len(all) || at.Before(r.At.Add(time.Hour))); at = at.Add(13 * time.Minute) {
				b.WriteString(Tick(at))
				last = at
			}
		}
	}
	return b.String()
}

// LastTick is the last tick of such an archive, in it or made of it.
func LastTick(all []Received, ticked bool) time.Time {
	last := all[len(all)-1].At
	if !ticked {
		return last
	}
	lines := strings.Split(strings.TrimSpace(Archive(all, true)), "\n")
	_, text, _ := strings.Cut(lines[len(lines)-1], `{"tick": "`)
	if at, err := time.Parse(time.RFC3339Nano, strings.TrimSuffix(text, `"}`)); err == nil {
		last = at
	}
	return last
}
