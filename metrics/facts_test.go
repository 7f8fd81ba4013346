package metrics_test

import (
	"slices"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// fact is a line of a script that says what happened:
//
//	09:00 pr opened acme/web#7 by mai [as draft] [from patch-1|fork]        else from a branch of its own
//	09:00 pr ready|drafted|closed|reopened acme/web#7 [by mai]
//	09:00 pr updated acme/web#7 [as ready]
//	09:00 pr merged acme/web#7 by mai [automatically] [as draft]
//	09:00 pr pushed acme/web#7 by mai                       new commits on its branch
//	09:00 pr asked|unasked acme/web#7 of jonas|team core    for a review
//	09:00 pr reviewed acme/web#7 by jonas [approving|pending|demanding] [review 5]
//	09:00 pr dismissed acme/web#7 review 5
//	09:00 pr noted acme/web#7 by jonas                      a comment on a line of the diff
//	09:00 pr commented acme/web#7 by jonas                  in the conversation
//	09:00 pushed acme/web by mai: 2026-03-01T22:30:00+07:00 ...   author times of its commits;
//	                                                        A..B is one a minute from A until B, and A~ was in the
//	                                                        repository before; impossible is one that cannot be read
//	09:00 pushed acme/web@patch-1 by mai [making|deleting]: ...     to a branch that is not the default one
//	09:00 pushed acme/web by mai [forced] [before c1] [after c2]: 2026-03-02T08:00:00Z=c3   with names of commits; c3! is a
//	                                                        merge commit, and c3,services/a.go says what it touches
//	09:00 pr merged acme/web#7 by mai commit c3 [commits 4] [into develop]     the commit that it became
//	09:00 deploy success run-42 of checkout to production [from acme/web] [by mai] [at c3] [begun 08:55] [labelled hotfix] [fixing OPS-7]
//	09:00 deployment success 501 from acme/web to production [of checkout] [by mai]     GitHub's
//	09:00 argocd synced checkout at 9f2c to production
//	09:00 issue created OPS-7 in To Do [by mai]
//	09:00 issue moved OPS-7 from To Do to In Progress [by mai]
//	09:00 issue updated OPS-7 [as Incident] [labelled service:checkout] [component Checkout] [causedby run-42]    of all facts of it
//	09:00 issue created|closed|reopened|updated acme/web#9   of GitHub
//	09:00 issue deleted OPS-7
//	09:00 issue commented OPS-7 by mai
//
// and of any: received 11:00, and hook NAME for the source that it comes
// through; of a pull request how large it now is, adding 120 removing 30, and of one whose opening is not told, created 1h before author
// mai. ghost is a deleted account, a name that ends in [bot] a bot's. A
// status may say its category: Shipped/done.
type fact struct {
	at, received timeline.Millis
	words        []string
	line         int
	fail         func(format string, args ...any)
	day          timeline.Date // of times in options
}

// instant reads 09:00 of the fact's day, or a whole instant.
func (f *fact) instant(s string) timeline.Millis {
	if !strings.Contains(s, "T") {
		s = f.day.String() + "T" + s + ":00Z"
	}
	m, err := timeline.ParseInstant(s)
	if err != nil {
		f.fail("%v", err)
	}
	return m
}

var optionNames = []string{"by", "from", "to", "in", "of", "at", "as", "received", "hook", "review", "created", "author", "adding", "removing",
	"begun", "labelled", "fixing", "causedby", "commit", "commits", "before", "after", "into", "component"}

// option returns what stands behind a word, up to the next one of these.
func (f *fact) option(name string) (string, bool) {
	for i := 2; i < len(f.words); i++ {
		if f.words[i] != name {
			continue
		}
		end := i + 1
		for end < len(f.words) && !slices.Contains(optionNames, f.words[end]) && f.words[end] != "automatically" {
			end++
		}
		return strings.Join(f.words[i+1:end], " "), true
	}
	return "", false
}

func (f *fact) get(name string) string { s, _ := f.option(name); return s }

// login is one word, whatever stands behind it.
func (f *fact) login(name string) string {
	login, _, _ := strings.Cut(f.get(name), " ")
	return login
}

func (f *fact) length(name string) timeline.Millis {
	m, err := timeline.ParseLength(strings.TrimSuffix(f.get(name), " before"))
	if err != nil {
		f.fail("%v", err)
	}
	return m
}

func (f *fact) has(word string) bool { return slices.Contains(f.words, word) }

func (f *fact) is(noun string, verbs ...string) bool {
	return f.words[0] == noun && slices.Contains(verbs, f.words[1])
}

// world knows what is true, so that a payload can state it as of its fact.
type world struct {
	pulls  map[string][]*fact         // by name, acme/web#7
	issues map[string]timeline.Millis // when they were created, by key
	repos  map[string]int64

	deployed map[string]timeline.Millis // when deployments of GitHub were created, by number
	tickets  map[string][]*fact         // what is told of an issue, by key
}

func newWorld() *world {
	return &world{map[string][]*fact{}, map[string]timeline.Millis{}, map[string]int64{}, map[string]timeline.Millis{}, map[string][]*fact{}}
}

func (w *world) learn(f *fact) {
	if f.words[0] == "issue" {
		w.tickets[f.words[2]] = append(w.tickets[f.words[2]], f)
	}
	switch {
	case f.words[0] == "pr":
		w.pulls[f.words[2]] = append(w.pulls[f.words[2]], f)
	case f.is("issue", "created"):
		w.issues[f.words[2]] = f.at
	case f.is("deployment", "created"):
		w.deployed[f.words[2]] = f.at
	}
}

func (w *world) repository(name string) int64 {
	if w.repos[name] == 0 {
		w.repos[name] = int64(len(w.repos) + 40)
	}
	return w.repos[name]
}

// events returns what a decoder would have made of the delivery.
func (w *world) events(f *fact) []event.Event {
	var e event.Event
	switch f.words[0] {
	case "pr":
		e = w.pullRequest(f)
	case "pushed":
		e = w.push(f)
	case "deploy", "deployment", "argocd":
		e = w.deployment(f)
	case "issue":
		e = w.issue(f)
	default:
		f.fail("there are pr, pushed, deploy, deployment, argocd and issue")
	}
	e.Time = f.at
	e.Scope.Name = f.get("hook")
	return append([]event.Event{e}, w.defective(f, e)...)
}

func github(login string) event.Account {
	switch login {
	case "":
		return event.Account{}
	case "ghost":
		return event.Account{Provider: "github", Deleted: true}
	}
	return event.Account{Provider: "github", Key: "key of " + login, Login: login, Bot: strings.HasSuffix(login, "[bot]")}
}
