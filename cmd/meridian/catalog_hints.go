package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"meridian/cmd/meridian/config"
	backfill "meridian/ingest/backfill/github"
	"meridian/ingest/catalog"
)

// githubHints reads an organisation's teams and CODEOWNERS files. They are read
// through the first API that apis.github names.
func (a *app) githubHints(ctx context.Context, c config.Config, org string) (catalog.Hints, error) {
	if len(c.APIs.GitHub) == 0 {
		return catalog.Hints{}, withCode(exitConfig, errors.New("--github needs apis.github in the configuration: [{token: ...}], with read access to organisation and contents"))
	}
	api := c.APIs.GitHub[0]
	how := backfill.Config{URL: api.URL, Token: api.Token}
	if api.App.ID != 0 {
		how.App = &backfill.App{ID: api.App.ID, Installation: api.App.Installation, PrivateKey: api.App.PrivateKey}
	}
	client, err := backfill.NewClient(how)
	if err != nil {
		return catalog.Hints{}, withCode(exitConfig, err)
	}
	return readHints(ctx, client, org)
}

func readHints(ctx context.Context, client *backfill.Client, org string) (catalog.Hints, error) {
	var hints catalog.Hints
	teams, err := backfill.Teams(ctx, client, org)
	if err != nil {
		return hints, withCode(exitUnavailable, err)
	}
	// Of several teams that may write to a repository, CODEOWNERS says which looks
	// after it: that team is the first that names it.
	first := map[string]string{}
	for _, t := range teams {
		for _, r := range t.Repositories {
			if _, asked := first[r]; asked {
				continue
			}
			owners, err := backfill.CodeOwners(ctx, client, r)
			if err != nil {
				return hints, withCode(exitUnavailable, err)
			}
			first[r] = ""
			for _, o := range owners {
				if team, ok := strings.CutPrefix(strings.ToLower(o), strings.ToLower(org)+"/"); ok && first[r] == "" {
					first[r] = team
				}
			}
		}
	}
	for _, t := range teams {
		h := catalog.HintedTeam{Name: t.Name, Why: fmt.Sprintf("team %s of %s on GitHub", t.Name, org), Members: t.Members}
		for _, r := range t.Repositories {
			if owner := first[r]; owner == "" || owner == strings.ToLower(t.Name) {
				h.Repositories = append(h.Repositories, r)
			}
		}
		hints.Teams = append(hints.Teams, h)
	}
	return hints, nil
}
