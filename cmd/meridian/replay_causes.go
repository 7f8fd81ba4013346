package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/timeline"
	"meridian/web"
)

// causes are what two generations were computed with that differs: why numbers can
// differ, as far as that stands in manifests, catalogs and records of runs.
type causes struct {
	whole   []web.RunCause
	catalog []catalogCause
	changed bool // the catalog has
}

// catalogCause is a change of the catalog, and the teams whose numbers it concerns.
type catalogCause struct {
	web.RunCause
	teams []string // nil: any
}

// causesOf compares what two generations are pinned to. teams are those whose
// numbers differ: without a catalog a repository is one, and can move.
func (x runs) causesOf(first, second streaming.GenerationManifest, teams []string) (c causes) {
	add := func(cause, format string, args ...any) {
		c.whole = append(c.whole, web.RunCause{Cause: cause, Text: fmt.Sprintf(format, args...)})
	}
	if first.Logic != second.Logic {
		add("logic", "the program's logic is version %d, and was %d", second.Logic, first.Logic)
	}
	if first.ZoneHash != second.ZoneHash {
		add("zones", "the time zone data is another one")
	}
	for _, text := range settingsChanges(first.Config, second.Config) {
		add("settings", "%s", text)
	}
	if first.CatalogHash != second.CatalogHash {
		c.changed = true
		c.catalog = x.catalogCauses(first, second, teams)
		for _, change := range c.catalog {
			c.whole = append(c.whole, change.RunCause)
		}
		if len(c.catalog) == 0 {
			add("catalog", "the catalog is another one")
		}
	}
	for _, m := range []streaming.GenerationManifest{first, second} {
		if r, err := x.m.room.runOf(m.Number); err == nil && !r.Limits.none() {
			add("limits", "run %d was written in part: %s", m.Number, r.Limits)
		}
	}
	return c
}

// of are the causes that concern a team.
func (c causes) of(team string) (all []web.RunCause) {
	for _, cause := range c.whole {
		if cause.Cause != "catalog" && cause.Cause != "limits" {
			all = append(all, cause)
		}
	}
	found := false
	for _, change := range c.catalog {
		if change.teams == nil || slices.Contains(change.teams, team) {
			all, found = append(all, change.RunCause), true
		}
	}
	if c.changed && !found {
		all = append(all, web.RunCause{Cause: "catalog", Text: "the catalog is another one, and says nothing else of this team by name"})
	}
	return all
}

// limits say which run was written in part.
func (c causes) limits() (all []web.RunCause) {
	for _, cause := range c.whole {
		if cause.Cause == "limits" {
			all = append(all, cause)
		}
	}
	return all
}

// settingsChanges are the settings that differ, a clause each.
func settingsChanges(first, second []byte) (all []string) {
	if bytes.Equal(first, second) {
		return nil
	}
	var a, b map[string]any
	if json.Unmarshal(first, &a) != nil || json.Unmarshal(second, &b) != nil {
		return []string{"a setting that changes results is another one"}
	}
	names := map[string]string{
		"zone": "zone", "horizon": "time.horizon", "github": "time.bounds.github", "jira": "time.bounds.jira", "deploy": "time.bounds.deploy",
		"future_skew": "time.future_skew", "disabled": "metrics.disabled", "variations": "metrics.variations", "decoders": "the decoders' versions",
	}
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	var sorted []string
	for k := range keys {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	for _, k := range sorted {
		if reflect.DeepEqual(a[k], b[k]) {
			continue
		}
		name := names[k]
		if name == "" {
			name = k
		}
		all = append(all, fmt.Sprintf("%s is %s, and was %s", name, settingText(b[k]), settingText(a[k])))
	}
	return all
}

func settingText(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return v
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

var project = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)

// catalogCauses compares the catalogs of two generations, and finds the lines.
func (x runs) catalogCauses(first, second streaming.GenerationManifest, teams []string) (all []catalogCause) {
	old, err1 := x.m.room.catalogOf(first)
	now, err2 := x.m.room.catalogOf(second)
	if err1 != nil || err2 != nil {
		return nil // one that nobody has any more
	}
	var seen catalog.Seen
	for _, t := range teams {
		switch {
		case strings.Contains(t, "/"):
			seen.Repositories = append(seen.Repositories, t)
		case project.MatchString(t):
			seen.Projects = append(seen.Projects, t)
		default:
			seen.Services = append(seen.Services, t)
		}
	}
	oldFiles, _, _ := x.m.room.catalogFiles(first.CatalogHash)
	newFiles, _, _ := x.m.room.catalogFiles(second.CatalogHash)
	at := timeline.FromTime(time.Now())
	for _, change := range catalog.Diff(old, now, at, seen) {
		where := lineOf(newFiles, change)
		if where == "" {
			if where = lineOf(oldFiles, change); where != "" {
				where += " (before)"
			}
		}
		all = append(all, catalogCause{
			RunCause: web.RunCause{Cause: "catalog", Text: change.Text, Where: where},
			teams:    concerned(change, old.On(old.Today(at)), now.On(now.Today(at))),
		})
	}
	return all
}

// concerned are the teams whose numbers a change concerns; nil: any.
func concerned(change catalog.Change, before, after catalog.View) []string {
	moved := append(strings.Split(change.From, ", "), strings.Split(change.To, ", ")...)
	moved = slices.DeleteFunc(moved, func(t string) bool { return t == "" })
	switch change.What {
	case "team":
		return []string{change.Name}
	case "repository", "project", "deployment":
		return moved
	case "person":
		for _, v := range []catalog.View{before, after} {
			for _, p := range v.People {
				if p.Name == change.Name {
					moved = append(moved, p.Teams...)
				}
			}
		}
		if len(moved) > 0 {
			return moved
		}
	}
	return nil
}

// lineOf is where a catalog says what a change is about: file and line.
func lineOf(files []catalog.File, change catalog.Change) string {
	list, name := map[string]string{"team": "teams", "person": "people", "service": "services"}[change.What], change.Name
	if moved := change.What == "repository" || change.What == "project" || change.What == "deployment"; moved {
		list, name = "teams", change.To // which owns it now
	}
	for _, f := range files {
		var doc yaml.Node
		if yaml.Unmarshal(f.Data, &doc) != nil || len(doc.Content) == 0 {
			continue
		}
		if n := nodeOf(doc.Content[0], list, name); n != nil {
			return fmt.Sprintf("%s:%d", filepath.Base(f.Name), n.Line)
		}
	}
	return ""
}

// nodeOf finds the entry of a list by its name, or a key of the whole.
func nodeOf(root *yaml.Node, list, name string) *yaml.Node {
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if list == "" && key.Value == name {
			return key
		}
		if list == "" || key.Value != list {
			continue
		}
		for _, entry := range value.Content {
			for k := 0; k+1 < len(entry.Content); k += 2 {
				if entry.Content[k].Value == "name" && entry.Content[k+1].Value == name {
					return entry
				}
			}
		}
	}
	return nil
}
