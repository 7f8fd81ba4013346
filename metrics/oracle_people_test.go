package metrics_test

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// oracleAct is what somebody did, once, however often it was told.
type oracleAct struct {
	key     string
	who     event.Account
	at      timeline.Millis
	teamsAt timeline.Millis // when the person's teams are asked for, if not at
	local   event.LocalEvidence
	home    string
	ignored string
}

// workedAct is an act of one team.
type workedAct struct {
	key     string
	at      timeline.Millis
	class   timeline.Class
	known   event.ZoneSource
	primary bool
}

// acts finds each act of a human once.
func (o *oracle) acts() map[string]oracleAct {
	type begin struct {
		by event.PersonID
		at timeline.Millis
	}
	begun := map[string]begin{}
	acts := map[string]oracleAct{}
	for _, e := range o.events {
		a := oracleAct{who: e.Actor, at: e.Time, local: e.Local, home: o.catalog.Home(e)}
		key := "event/" + e.ID.String()
		switch e.Kind {
		case event.PullRequestOpened, event.ReviewCommentedKind, event.PullRequestCommented, event.IssueTransitioned, event.IssueCommented:
		case event.ReviewSubmitted:
			if e.Review.State == event.ReviewPending {
				continue
			}
		case event.PullRequestMerged:
			if e.PullRequest.AutoMerge {
				a.ignored = "auto_merge"
			}
		case event.DeploymentCreated, event.DeploymentStatus:
			a.at = cmp.Or(e.Deployment.Created, e.Deployment.Started, e.Time)
			key = "deployment/" + string(e.Entity)
			if d := e.Deployment; !d.Creator.IsZero() {
				a.who = d.Creator
			}
			if a.who.IsZero() {
				continue
			}
			// Those who tell of it may differ about when it was begun, and by whom. The
			// first that says so is believed about the person and their teams.
			by := o.catalog.Person(a.who).ID
			if _, told := begun[key]; !told {
				begun[key] = begin{by, a.at}
			}
			if begun[key].by == by {
				a.key, a.teamsAt = key, begun[key].at
				acts[fmt.Sprintf("%s at %d", key, a.at)] = a
			}
			continue
		case event.Pushed:
			for _, c := range e.Push.Commits {
				who := o.catalog.Person(c.Author).ID
				a.who, a.at, a.local = c.Author, c.Authored, c.Local
				a.key = fmt.Sprintf("commit/%s/%d/%s", hex.EncodeToString(who[:]), c.Authored, e.Entity)
				acts[a.key] = a
			}
			continue
		default:
			continue
		}
		if !a.who.IsZero() {
			a.key = key
			acts[key] = a
		}
	}
	return acts
}

func (o *oracle) activities() {
	type worker struct {
		person event.PersonID
		team   string
	}
	worked := map[worker][]workedAct{}
	everyAct := []string{"after_hours", "weekend_work", "after_hours_people", "work_heatmap"}
	acts := o.acts()
	teamsOf := func(a oracleAct) (event.PersonID, []string) {
		who := o.catalog.Person(a.who).ID
		if teams := o.catalog.Teams(who, cmp.Or(a.teamsAt, a.at)); len(teams) > 0 {
			return who, teams
		}
		return who, []string{a.home}
	}
	// Each team that was told of an act has it at the first time that it was told;
	// the organisation has it once.
	first := map[string]timeline.Millis{}
	once := func(team string, a oracleAct) string {
		if o.together {
			return a.key
		}
		return team + " " + a.key
	}
	for _, a := range acts {
		_, teams := teamsOf(a)
		for _, team := range teams {
			if at, ok := first[once(team, a)]; !ok || a.at < at {
				first[once(team, a)] = a.at
			}
		}
	}
	for _, a := range acts {
		who := o.catalog.Person(a.who)
		switch {
		case who.Bot:
			a.ignored = "bot"
		case who.Deleted:
			a.ignored = "deleted_user"
		}
		_, teams := teamsOf(a)
		for i, team := range teams {
			if first[once(team, a)] != a.at {
				continue
			}
			counts := i == 0 || !o.together // elsewhere the person alone is of interest
			if a.ignored != "" {
				if !counts {
					continue
				}
				for _, metric := range everyAct {
					o.ignored(metric, team, a.at, a.ignored)
				}
				continue
			}
			zone, known := o.catalog.ActZone(who.ID, a.local, team, a.at)
			class := timeline.Classify(zone, o.catalog.PersonSchedule(who.ID, team), a.at)
			w := worker{who.ID, team}
			worked[w] = append(worked[w], workedAct{a.key, a.at, class, known, i == 0})
			for _, metric := range everyAct {
				for _, p := range o.in(metric, team, "", a.at) {
					hit := class != timeline.Working
					switch metric {
					case "weekend_work":
						hit = class == timeline.WeekendClass || class == timeline.HolidayClass
					case "work_heatmap":
						hit = false
					}
					if metric != "after_hours_people" || hit {
						p.people[who.ID] = max(p.people[who.ID], known)
					}
					if !counts {
						continue
					}
					p.values = append(p.values, 1)
					p.classes[class]++
					if hit {
						p.hits++
					}
					if metric == "work_heatmap" {
						p.heat[weekHour(zone.Name(), a.at)]++
					}
					if i == 0 {
						p.primary++
					}
				}
			}
		}
	}
	for w, acts := range worked {
		o.lateSessions(w.person, w.team, acts)
	}
}

// lateSessions walks through what one person did for one team.
func (o *oracle) lateSessions(who event.PersonID, team string, acts []workedAct) {
	slices.SortFunc(acts, func(a, b workedAct) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.key, b.key)) })
	for len(acts) > 0 {
		n, late, known := 1, acts[0].class != timeline.Working, acts[0].known
		for ; n < len(acts) && acts[n].at <= acts[n-1].at+timeline.Hour; n++ {
			late = late || acts[n].class != timeline.Working
			known = max(known, acts[n].known)
		}
		first, last := acts[0], acts[n-1]
		acts = acts[n:]
		if !late {
			continue
		}
		for _, p := range o.in("late_sessions", team, "", last.at) {
			p.people[who] = max(p.people[who], known)
			if o.together && !last.primary {
				continue
			}
			p.values = append(p.values, 1)
			p.sum += int64(last.at - first.at)
			p.classes[last.class]++
			if last.primary {
				p.primary++
			}
		}
	}
}

// weekHour is an hour of the week in a zone, by package time: 1 is Monday 00.
func weekHour(zone string, at timeline.Millis) uint8 {
	location, err := time.LoadLocation(zone)
	if err != nil { // an offset, such as +07:00
		t, err := time.Parse("-07:00", zone)
		if err != nil {
			panic(err)
		}
		location = t.Location()
	}
	local := at.Time().In(location)
	day := int(local.Weekday()) - 1
	if day < 0 {
		day = 6
	}
	return uint8(1 + day*24 + local.Hour())
}
