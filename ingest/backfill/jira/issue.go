package jira

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"meridian/ingest"
	"meridian/ingest/backfill"
)

// issue delivers an issue with its whole changelog, and its comments.
func (r *reader) issue(ctx context.Context, data json.RawMessage, l listed, unit *backfill.Unit) error {
	changes, comments := l.Changelog.Histories, l.Fields.Comment.Comments
	var err error
	path := "rest/api/2/issue/" + url.PathEscape(l.ID)
	if len(changes) < l.Changelog.Total {
		if changes, err = r.client.rest(ctx, path+"/changelog", func(p page) []json.RawMessage { return p.Values }); err != nil {
			return err
		}
	}
	if len(comments) < l.Fields.Comment.Total {
		if comments, err = r.client.rest(ctx, path+"/comment", func(p page) []json.RawMessage { return p.Comments }); err != nil {
			return err
		}
	}
	bare, err := without(data, changes)
	if err != nil {
		return err
	}
	if err := r.deliver(ctx, bare, unit); err != nil {
		return err
	}
	about, err := without(data, nil)
	if err != nil {
		return err
	}
	for _, comment := range comments {
		body, err := json.Marshal(map[string]any{"webhookEvent": "comment_created", "comment": comment, "issue": json.RawMessage(about)})
		if err != nil {
			return err
		}
		if err := r.deliver(ctx, body, unit); err != nil {
			return err
		}
		unit.Counts.Comments++
	}
	unit.Counts.Issues++
	unit.Counts.Transitions += transitions(changes)
	return nil
}

// without is the issue with this changelog (nil: none), and without the comments,
// which are delivered on their own.
func without(data json.RawMessage, changes []json.RawMessage) ([]byte, error) {
	var issue, fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &issue); err != nil {
		return nil, fmt.Errorf("an issue cannot be read: %w", err)
	}
	if err := json.Unmarshal(issue["fields"], &fields); err != nil {
		return nil, fmt.Errorf("the fields of an issue cannot be read: %w", err)
	}
	delete(fields, "comment")
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	issue["fields"] = text
	delete(issue, "changelog")
	if changes != nil {
		if issue["changelog"], err = json.Marshal(map[string]any{"histories": changes}); err != nil {
			return nil, err
		}
	}
	return json.Marshal(issue)
}

func transitions(changes []json.RawMessage) (n int64) {
	for _, data := range changes {
		var c struct {
			Items []struct {
				Field string `json:"field"`
			} `json:"items"`
		}
		if json.Unmarshal(data, &c) != nil {
			continue
		}
		for _, item := range c.Items {
			if item.Field == "status" {
				n++
			}
		}
	}
	return n
}

func (r *reader) deliver(ctx context.Context, body []byte, unit *backfill.Unit) error {
	err := r.work.Log.Deliver(ctx, ingest.Delivery{
		Provider: "jira", Name: r.ask.Source, Body: body, Headers: map[string]string{"Content-Type": "application/json"},
	})
	if err != nil {
		return backfill.Lost(err)
	}
	r.sent++
	unit.Counts.Deliveries++
	r.track.Appended(r.sent)
	return nil
}
