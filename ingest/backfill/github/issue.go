package github

import (
	"context"
	"encoding/json"
	"time"
)

// issue reads an issue's history and delivers its facts: opened, closed and
// reopened, its labels, and what was said.
func (p *repo) issue(ctx context.Context, l listed) error {
	now, err := parse(l.raw)
	if err != nil {
		return err
	}
	h, err := p.history(ctx, l.Number)
	if err != nil {
		return err
	}
	at := func(t time.Time) object {
		o := now.with("updated_at", t)
		if h.open(t) {
			return o.with("state", "open", "closed_at", nil, "closed_by", nil)
		}
		return o
	}
	tell := func(action string, as object, more ...any) error {
		return p.deliver(ctx, "issues", object{}.with("action", action, "issue", as).with(more...))
	}
	if err := tell("opened", at(l.CreatedAt), "sender", now["user"]); err != nil {
		return err
	}
	for _, one := range h {
		switch one.Event {
		case "closed":
			err = tell("closed", at(one.CreatedAt).with("closed_at", one.CreatedAt), "sender", one.Actor)
		case "reopened":
			err = tell("reopened", at(one.CreatedAt), "sender", one.Actor)
		case "labeled", "unlabeled":
			err = tell(one.Event, at(one.CreatedAt), "label", one.Label, "sender", one.Actor)
		case "commented":
			err = p.comment(ctx, at(one.CreatedAt), one)
		}
		if err != nil {
			return err
		}
	}
	p.unit.Counts.Issues++
	return nil
}

// deployments lists those of the time asked for, the newest first. GitHub lists
// them in order of their making, so new ones push others over a page's border and
// are seen twice; what is deleted meanwhile pulls one over it the other way, so the
// list is read until two passes agree.
func (p *repo) deployments(ctx context.Context) ([]item, error) {
	type facts struct {
		ID        int64     `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	since := p.work.Since.Time()
	seen := map[int64]bool{}
	var items []item
	for range stablePasses {
		fresh := 0
		err := p.client.pages(ctx, "repos/"+p.FullName+"/deployments", func(list []json.RawMessage) (bool, error) {
			for _, data := range list {
				var f facts
				if err := json.Unmarshal(data, &f); err != nil || f.ID == 0 {
					continue
				}
				if f.CreatedAt.Before(since) {
					return false, nil
				}
				if seen[f.ID] {
					continue
				}
				seen[f.ID] = true
				fresh++
				items = append(items, item{key: "deployment/" + itoa(f.ID), at: f.CreatedAt, read: func(ctx context.Context) error { return p.deployment(ctx, f.ID, data) }})
			}
			return true, nil
		})
		if err != nil {
			return nil, err
		}
		if fresh == 0 {
			break
		}
	}
	return items, nil
}

// deployment delivers a deployment and all of its states.
func (p *repo) deployment(ctx context.Context, id int64, data json.RawMessage) error {
	_, creator := stampOf(data)
	states, err := p.client.all(ctx, "repos/"+p.FullName+"/deployments/"+itoa(id)+"/statuses")
	if err != nil {
		return err
	}
	if err := p.deliver(ctx, "deployment", object{}.with("action", "created", "deployment", data, "sender", creator)); err != nil {
		return err
	}
	for i := len(states) - 1; i >= 0; i-- { // oldest first, as they came
		body := object{}.with("action", "created", "deployment", data, "deployment_status", states[i])
		if err := p.deliver(ctx, "deployment_status", body); err != nil {
			return err
		}
	}
	p.unit.Counts.Deployments++
	return nil
}
