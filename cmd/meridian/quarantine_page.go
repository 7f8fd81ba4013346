package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/ingest/deploy"
	"meridian/streaming/timeline"
	"meridian/web"
)

// shelf shows the quarantine to pages.
type shelf struct{ q *quarantine }

// Open implements web.Quarantine.
func (s shelf) Open(ctx context.Context, limit int) (items []web.Aside, more bool, err error) {
	list, next, err := s.q.list(ctx, false, "", quarantinePage)
	if err != nil {
		return nil, false, err
	}
	for _, x := range list[:min(len(list), limit)] {
		items = append(items, x.page())
	}
	return items, next != "" || len(list) > limit, nil
}

func (x quarantined) page() web.Aside {
	at, _ := timeline.ParseInstant(x.At) // "" while it is open
	return web.Aside{
		ID: x.ID, Source: x.Source, Since: x.Received, Reasons: x.Reasons, Detail: x.Detail, Kinds: x.Kinds, Entities: x.Entities,
		State: x.State, By: x.By, At: at,
	}
}

// Show implements web.Quarantine.
func (s shelf) Show(ctx context.Context, id string) (web.AsideDelivery, error) {
	d, err := s.q.show(ctx, id)
	if err != nil {
		return web.AsideDelivery{}, toPage(err, http.StatusNotFound)
	}
	out := web.AsideDelivery{Aside: d.page(), Type: d.Type, Sent: d.Sent, Body: d.Body, Kept: d.Kept}
	for _, name := range slices.Sorted(maps.Keys(d.Headers)) {
		out.Headers = append(out.Headers, [2]string{name, d.Headers[name]})
	}
	return out, nil
}

// Retry implements web.Quarantine.
func (s shelf) Retry(ctx context.Context, id, by string) (string, error) {
	said, err := s.q.retry(ctx, id, by)
	return said, toPage(err, http.StatusConflict)
}

// Drop implements web.Quarantine.
func (s shelf) Drop(ctx context.Context, id, by string) (string, error) {
	said, err := s.q.drop(ctx, id, by)
	return said, toPage(err, http.StatusConflict)
}

func toPage(err error, status int) error {
	if errors.Is(err, errQuarantine) {
		return &web.Error{Status: status, Title: "That cannot be done", Detail: err.Error()}
	}
	return err
}

// schemas are those that a server has for editors.
func schemas() map[string][]byte {
	return map[string][]byte{"catalog.json": catalog.Schema, "config.json": config.Schema(), "deployment.json": deploy.Schema}
}
