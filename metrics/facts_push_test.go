package metrics_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

func (w *world) push(f *fact) event.Event {
	repository, branch, _ := strings.Cut(f.words[1], "@")
	repo := w.repository(repository)
	who, times, _ := strings.Cut(strings.Join(f.words[2:], " "), ":")
	who, how, _ := strings.Cut(strings.TrimPrefix(who, "by "), " ")
	author := github(who)
	push := &event.Push{Ref: "refs/heads/main", Default: true, After: strconv.Itoa(f.line), Forced: slices.Contains(strings.Fields(how), "forced")}
	if branch != "" {
		push.Ref, push.Default, push.Created, push.Deleted = "refs/heads/"+branch, false, how == "making", how == "deleting"
	}
	for _, s := range strings.Fields(times) {
		if s == "received" || s == "hook" {
			break
		}
		if s == "impossible" {
			continue
		}
		s, elsewhere := strings.CutSuffix(s, "~")
		s, paths, _ := strings.Cut(s, ",")
		s, merge := strings.CutSuffix(s, "!")
		s, sha, named := strings.Cut(s, "=")
		first, end, many := strings.Cut(s, "..")
		at, east, err := timeline.ParseInstantOffset(first)
		until := at + 1
		if err == nil && many {
			until, err = timeline.ParseInstant(end)
		}
		if err != nil {
			f.fail("%v", err)
		}
		for ; at < until; at += timeline.Minute {
			c := event.Commit{
				SHA: fmt.Sprint(f.line, ".", len(push.Commits)), Author: author, Authored: at,
				Local: event.LocalEvidence{HasOffset: true, Offset: int16(east)}, Elsewhere: elsewhere, Merge: merge,
			}
			if named {
				c.SHA = sha
			}
			if paths != "" {
				c.Paths = strings.Split(paths, ",")
			}
			push.Commits = append(push.Commits, c)
			push.After = c.SHA
		}
	}
	if before, ok := f.option("before"); ok {
		push.Before, _, _ = strings.Cut(before, " ")
		push.Before = strings.TrimSuffix(push.Before, ":")
	}
	if after, ok := f.option("after"); ok {
		push.After, _, _ = strings.Cut(after, " ")
		push.After = strings.TrimSuffix(push.After, ":")
	}
	return event.Event{
		ID: event.PushedID(repo, push.Ref, push.Before, push.After, f.at), Source: event.GitHub, Kind: event.Pushed,
		Entity: event.EntityID(fmt.Sprintf("github/repo/%d", repo)), Scope: event.Scope{Provider: "github", Repository: repository},
		Actor: author, Push: push,
	}
}

// defective returns the commits of a push that cannot be read, each an event of
// its own.
func (w *world) defective(f *fact, push event.Event) (bad []event.Event) {
	if push.Push == nil {
		return nil
	}
	for i, s := range f.words {
		if s == "impossible" {
			e := push
			e.ID, e.Kind, e.Defect = event.CommitDefectiveID(push.ID, i, s), event.CommitDefective, "its author's time has an impossible offset"
			e.Push = &event.Push{Ref: push.Push.Ref, Default: push.Push.Default}
			bad = append(bad, e)
		}
	}
	return bad
}
