package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// erasePlan is who would be erased, by which names, and what stands against it.
type erasePlan struct {
	Person   string       `json:"person"`
	Names    []eraseName  `json:"names"`
	Events   int          `json:"events"`   // on the log that name them
	Catalogs int          `json:"catalogs"` // that are kept and name them
	Refused  string       `json:"refused,omitempty"`
	ids      []personHash // of names and of people in catalogs
}

// eraseName is one name of the person, as it was found.
type eraseName struct {
	Provider string     `json:"provider"` // github, jira or email
	Name     string     `json:"name"`     // of email, a hash
	ID       personHash `json:"id"`
}

// personHash is a pseudonym as text.
type personHash string

func hashText(id event.PersonID) personHash { return personHash(hex.EncodeToString(id[:])) }

// eraseAsk is what somebody wants erased.
type eraseAsk struct {
	Person   string   `json:"person"`             // as a catalog names them, a login, an account's id, an address, or a pseudonym
	Accounts []string `json:"accounts,omitempty"` // github:LOGIN, jira:ID, email:ADDRESS, besides
	DryRun   bool     `json:"dry_run,omitempty"`
	By       string   `json:"by,omitempty"`
}

// keptCatalog is a catalog in the ledger.
type keptCatalog struct {
	key string
	*catalog.Catalog
}

// keptCatalogs are all that the ledger has and this version can read.
func (m *machine) keptCatalogs() (all []keptCatalog) {
	for _, e := range m.control.All(catalogKeys) {
		var hash = strings.TrimPrefix(e.Key, catalogKeys)
		manifests, _ := m.room.manifests()
		for _, g := range manifests {
			if g.CatalogHash.String() != hash {
				continue
			}
			files, ok, err := m.room.catalogFiles(g.CatalogHash)
			if err != nil || !ok {
				break
			}
			if c, err := catalog.ParseFiles(files, catalog.Options{Key: m.instance.Key, Zone: timeline.UTC()}); err == nil {
				all = append(all, keptCatalog{e.Key, c})
			}
			break
		}
	}
	return all
}

// planErasure finds every name of a person: what was said, what kept catalogs know
// of them, and what the log calls the same account besides.
func (m *machine) planErasure(ctx context.Context, ask eraseAsk) (erasePlan, error) {
	names := m.catalog
	plan := erasePlan{Person: ask.Person, Names: []eraseName{}}
	found := map[[2]string]bool{}
	add := func(provider, name string) {
		if name != "" {
			found[[2]string{provider, name}] = true
		}
	}
	addPerson := func(p catalog.PersonNames) {
		for _, n := range p.GitHub {
			add("github", strings.ToLower(n))
		}
		for _, n := range p.Jira {
			add("jira", n)
		}
		for _, n := range p.Emails {
			add("email", names.EmailHash(n))
		}
	}
	for _, account := range ask.Accounts {
		provider, name, ok := strings.Cut(account, ":")
		switch {
		case !ok || name == "" || !slices.Contains([]string{"github", "jira", "email"}, provider):
			return plan, refuse("an account is github:LOGIN, jira:ID or email:ADDRESS, and %q is none", account)
		case provider == "github":
			name = strings.ToLower(name)
		case provider == "email":
			name = names.EmailHash(name)
		}
		add(provider, name)
	}
	pseudonym, isPseudonym := pseudonymOf(ask.Person)
	people := map[event.PersonID]bool{}
	for _, c := range m.keptCatalogs() {
		named := false
		for _, p := range c.People() {
			if id := c.PersonIDOf(p.Name); p.Name == ask.Person || isPseudonym && id == pseudonym || slices.ContainsFunc(slices.Concat(p.GitHub, p.Jira, p.Emails), func(n string) bool { return strings.EqualFold(n, ask.Person) }) {
				addPerson(p)
				people[id], named = true, true
			}
		}
		if named {
			plan.Catalogs++
		}
	}
	if !isPseudonym && len(found) == 0 {
		add("github", strings.ToLower(ask.Person))
		add("jira", ask.Person)
		if strings.Contains(ask.Person, "@") {
			add("email", names.EmailHash(ask.Person))
		}
	}

	accounts := map[event.Account]int{}
	err := eachDelivery(ctx, m.log, func(d *ingest.LoggedDelivery) {
		for i := range d.Events {
			ingest.EachAccount(&d.Events[i], func(a event.Account) { accounts[a]++ })
		}
	})
	if err != nil {
		return plan, err
	}
	widen(names, accounts, found, pseudonym)
	seen := map[[2]string]bool{}
	for a, n := range accounts {
		all := ingest.NamesOf(names, a)
		if slices.ContainsFunc(all, func(n [2]string) bool { return found[n] }) {
			plan.Events += n
		}
		for _, n := range all {
			seen[n] = true
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		// A guess that nobody has ever had is no name.
		if seen[n] || plan.Catalogs > 0 || len(ask.Accounts) > 0 {
			id := names.NameID(n[0], n[1])
			plan.Names = append(plan.Names, eraseName{n[0], n[1], hashText(id)})
			plan.ids = append(plan.ids, hashText(id))
		}
	}
	for id := range people {
		plan.ids = append(plan.ids, hashText(id))
	}
	slices.Sort(plan.ids)
	plan.Refused = m.refusesErasure(ask, plan)
	return plan, nil
}

// widen adds what the log calls an account besides: a login that was changed, the
// number behind it. An address is theirs when nobody else has ever used it, for
// some are shared by all who press a button.
func widen(names ingest.Names, accounts map[event.Account]int, found map[[2]string]bool, pseudonym event.PersonID) {
	owners := map[[2]string][][2]string{} // of an address
	for {
		before := len(found)
		for a := range accounts {
			all := ingest.NamesOf(names, a)
			if a.Provider != "github" && a.Provider != "git" && a.Provider != "jira" {
				continue // a deploy system's word for somebody is a guess
			}
			theirs := slices.ContainsFunc(all, func(n [2]string) bool {
				return found[n] || pseudonym != (event.PersonID{}) && names.NameID(n[0], n[1]) == pseudonym
			})
			for _, n := range all {
				switch {
				case n[0] != "email":
					if theirs {
						found[n] = true
					}
				case len(all) > 1 && !slices.Contains(owners[n], all[0]):
					owners[n] = append(owners[n], all[0])
				case theirs && len(all) == 1:
					found[n] = true
				}
			}
		}
		for address, who := range owners {
			if !slices.ContainsFunc(who, func(n [2]string) bool { return !found[n] }) {
				found[address] = true
			}
		}
		if len(found) == before {
			return
		}
	}
}

// refusesErasure says why a person cannot be erased now; "" is that they can.
func (m *machine) refusesErasure(ask eraseAsk, plan erasePlan) string {
	if len(plan.Names) == 0 {
		return fmt.Sprintf("nobody on the log and in no kept catalog is called %s; name an account with --account github:LOGIN, jira:ID or email:ADDRESS", ask.Person)
	}
	current := m.coordinator.catalogNow()
	for _, p := range current.People() {
		if p.Name == ask.Person {
			return fmt.Sprintf("the catalog still names %s; take them out of it first, and apply it", p.Name)
		}
	}
	for _, n := range plan.Names {
		a := event.Account{Provider: n.Provider, Login: n.Name}
		switch n.Provider {
		case "email":
			a = event.Account{Provider: "git", Email: n.Name}
		case "jira":
			a = event.Account{Provider: "jira", Key: n.Name, Login: n.Name}
		}
		if who := current.Named(a); who != "" {
			what := n.Name
			if n.Provider == "email" {
				what = "an address"
			}
			return fmt.Sprintf("the catalog still names %s (%s of %s); take them out of it first, and apply it", what, n.Provider, who)
		}
	}
	if !m.coordinator.leads.Load() {
		return "another process coordinates this instance; ask that one"
	}
	return ""
}
