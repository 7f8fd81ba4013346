package metrics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Vary is how a variation reads what a built-in metric reads: from another start
// fact, for another environment, about another class of people. The zero Vary is
// the built-in metric. It reaches a metric's formula as [View.Vary].
type Vary struct {
	Start        StartFact
	Environments []string // patterns with * and ?; none: what the catalog calls production
	People       Whose
}

// StartFact is where the clock of a pull request starts.
type StartFact string

// Start facts.
const (
	StartDefault   StartFact = ""          // as the built-in metric has it
	StartOpened    StartFact = "opened"    // also while it is a draft
	StartReady     StartFact = "ready"     // first ready for review
	StartRequested StartFact = "requested" // a review is first asked for, once it is open

	StartIncident StartFact = "incident" // of a failed deployment: the first incident charged to it is created
)

// Whose says whose pull requests a metric is about.
type Whose string

// Classes of people.
const (
	Humans   Whose = "" // bots' own pull requests are excluded
	Bots     Whose = "bots"
	Everyone Whose = "everyone"
)

func (p Whose) includes(bot bool) bool { return p == Everyone || bot == (p == Bots) }

// Production reports whether a deployment is of the population: to production,
// as route found it, or to an environment of the variation. A metric of
// deployments asks it instead of event.Routed.Production.
func (v *Vary) Production(production bool, environment string) bool {
	if len(v.Environments) == 0 {
		return production
	}
	name := strings.ToLower(environment)
	return slices.ContainsFunc(v.Environments, func(pattern string) bool { return matches(strings.ToLower(pattern), name) })
}

// matches compares a name with a pattern in which * is any text and ? any byte.
func matches(pattern, name string) bool {
	if pattern == "" {
		return name == ""
	}
	switch pattern[0] {
	case '*':
		return matches(pattern[1:], name) || name != "" && matches(pattern, name[1:])
	case '?':
		return name != "" && matches(pattern[1:], name[1:])
	}
	return name != "" && pattern[0] == name[0] && matches(pattern[1:], name[1:])
}

// Variable is something that a variation of a metric may choose.
type Variable string

// Variables.
const (
	VariesStart       Variable = "start"
	VariesEnvironment Variable = "environment"
	VariesPeople      Variable = "people"
)

// What metrics of pull requests may choose.
var (
	startAndPeople = []Variable{VariesStart, VariesPeople}
	onlyPeople     = []Variable{VariesPeople}
)

// Variation declares a metric of an organisation's own: a built-in one that
// differs in some variable, under a name of its own. The built-in one stays.
type Variation struct {
	Name         Name      `json:"name"`
	Of           Name      `json:"of"`
	Title        string    `json:"title,omitempty"` // "" makes one of the name
	Start        StartFact `json:"start,omitempty"`
	Environments []string  `json:"environments,omitempty"`
	People       Whose     `json:"people,omitempty"`
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// With returns the built-in metrics and the variations of them, each behind the
// one that it is made of. All problems are reported at once.
func With(variations []Variation) ([]*Definition, error) {
	all := Definitions()
	var problems []string
	for _, v := range variations {
		d, problem := v.definition(all)
		if problem != "" {
			problems = append(problems, problem)
			continue
		}
		i := slices.IndexFunc(all, func(d *Definition) bool { return d.Name == v.Of }) + 1
		for i < len(all) && all[i].VariationOf == v.Of {
			i++
		}
		all = slices.Insert(all, i, d)
	}
	if problems != nil {
		return nil, fmt.Errorf("metrics.variations: %s", strings.Join(problems, "; "))
	}
	return all, nil
}

// definition makes the metric, or says what is wrong with its declaration.
func (v *Variation) definition(all []*Definition) (*Definition, string) {
	base := Find(v.Of)
	switch {
	case !validName.MatchString(string(v.Name)):
		return nil, fmt.Sprintf("%q is no name; write it in small letters, digits and _", v.Name)
	case slices.ContainsFunc(all, func(d *Definition) bool { return d.Name == v.Name }):
		return nil, fmt.Sprintf("%s is the name of a metric already", v.Name)
	case base == nil:
		return nil, fmt.Sprintf("%s: no built-in metric is called %q; `meridian metrics list` names them all", v.Name, v.Of)
	}
	for _, chosen := range []struct {
		variable Variable
		set      bool
	}{{VariesStart, v.Start != ""}, {VariesEnvironment, len(v.Environments) > 0}, {VariesPeople, v.People != ""}} {
		if chosen.set && !slices.Contains(base.Varies, chosen.variable) {
			return nil, fmt.Sprintf("%s: %s has no other %s; %s", v.Name, v.Of, chosen.variable, base.mayVary())
		}
	}
	switch {
	case v.Start == "" && len(v.Environments) == 0 && v.People == "":
		return nil, fmt.Sprintf("%s is %s itself; %s", v.Name, v.Of, base.mayVary())
	case base.Subject == SubjectDelivery && v.Start != StartIncident:
		return nil, fmt.Sprintf("%s: start of %s is incident, not %q", v.Name, v.Of, v.Start)
	case base.Subject != SubjectDelivery && !slices.Contains([]StartFact{StartDefault, StartOpened, StartReady, StartRequested}, v.Start):
		return nil, fmt.Sprintf("%s: start is opened, ready or requested, not %q", v.Name, v.Start)
	case !slices.Contains([]Whose{Humans, Bots, Everyone}, v.People):
		return nil, fmt.Sprintf("%s: people is bots or everyone, not %q", v.Name, v.People)
	case slices.Contains(v.Environments, ""):
		return nil, fmt.Sprintf("%s: an environment has no name; * stands for any", v.Name)
	}
	return v.of(base), ""
}

func (d *Definition) mayVary() string {
	if len(d.Varies) == 0 {
		return "nothing of it can be varied"
	}
	return "what can be varied is its " + varyNames(d.Varies)
}

func varyNames(list []Variable) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return strings.Join(words, ", ")
}

// of makes the metric: the same formula with another view, and a passport that
// says so.
func (v *Variation) of(base *Definition) *Definition {
	d, vary := *base, Vary{v.Start, slices.Clone(v.Environments), v.People}
	d.Name, d.VariationOf, d.Vary, d.Varies = v.Name, base.Name, vary, nil
	d.Reads = 0 // another start may be in any aspect
	d.Observe = func(f Fold, view View, yield func(Observation)) {
		view.Vary = vary
		base.Observe(f, view, yield)
	}
	p := &d.Passport
	if p.Title = v.Title; p.Title == "" {
		p.Title = strings.ToUpper(string(v.Name[:1])) + strings.ReplaceAll(string(v.Name[1:]), "_", " ")
	}
	says := []string{fmt.Sprintf("A variation of %s, declared in this organisation's configuration. Where it says otherwise below, what stands here counts.", base.Name)}
	switch v.Start {
	case StartOpened:
		p.Start = "the pull request is opened, also as a draft"
	case StartReady:
		p.Start = "the pull request is first ready for review: opened, or, if it was opened as a draft, marked as ready"
	case StartRequested:
		p.Start = "a review is first asked of anybody, a person or a team, once the pull request is open"
		says = append(says, "Without a request it has no start, and reviews before the first request are not looked at.")
	case StartIncident:
		p.Start = "the first incident charged to the failed deployment is created"
		says = append(says, "A failure without an incident has no start, and is not counted.")
	}
	if len(v.Environments) > 0 {
		says = append(says, "Counts deployments to "+strings.Join(v.Environments, ", ")+" instead of those to production; whatever goes elsewhere is left out (not_production).")
	}
	switch v.People {
	case Bots:
		says = append(says, "About the pull requests that bots open, and no others.")
	case Everyone:
		says = append(says, "About the pull requests of bots as well as of people.")
	}
	p.Caveats = slices.Concat(says, p.Caveats)
	return &d
}
