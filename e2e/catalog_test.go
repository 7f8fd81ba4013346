package e2e_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// From nothing to a catalog: what has come in is drafted, checked and applied to the running server, which says what
// it changes, computes history anew, and shows the numbers under the new teams.
func TestCatalog_FromADraftToNewNumbers(t *testing.T) {
	folder := instance.Folder(t)
	dir := filepath.Join(folder, "data")
	inForce := instance.Write(t, folder, "inforce.yaml", "zone: Asia/Kolkata\n")
	in := instance.Serve(t, instance.Config{Dir: dir, More: "catalog: " + inForce})
	in.AwaitParts()
	day := monday()
	pr := senders.PullRequest{Repository: senders.Web, Number: 7, Author: senders.Mai, Created: at(day, "09:00")}
	in.MustSend("accepted", pr.Opened(), pr.Reviewed(1, senders.Jonas, at(day, "11:30")), pr.Merged(senders.Mai, at(day, "12:30")),
		senders.Issue{ID: 10, Project: "WEB", Created: at(day, "08:00")}.Opened("mai"))
	merged := func(team string) func() error {
		return func() error {
			points, err := in.Points("metric=pr_merged&team="+team+"&grain=day&from="+day.AddDate(0, 0, -3).Format("2006-01-02T15:04:05Z"), 100)
			if err != nil {
				return err
			}
			for _, p := range points {
				if p.N == 1 {
					return nil
				}
			}
			return errors.New(team + " has merged nothing")
		}
	}
	name := strings.ReplaceAll(senders.Web.Name, "/", "%2F")
	instance.Await(t, merged(name)) // a repository is its own team

	draft := filepath.Join(folder, "draft.yaml")
	instance.Must(t, "catalog", "discover", "--data-dir", dir, "--output", draft)
	text, err := os.ReadFile(draft)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"# yaml-language-server: $schema=", "/schemas/catalog.json", "repositories: [" + senders.Web.Name + "]", "jira: [WEB]", "github: [mai]", "# guess:"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("the draft does not say %q:\n%s", part, text)
		}
	}
	if strings.Contains(string(text), "zone: Asia/Kolkata") {
		t.Errorf("the draft repeats what is in force:\n%s", text)
	}
	instance.Must(t, "catalog", "check", draft)
	if o := instance.Run(t, "catalog", "discover", "--data-dir", dir, "--output", draft); o.Code != 2 || !strings.Contains(o.Err, "there already") {
		t.Errorf("over a file: %d, %s", o.Code, o.Err)
	}

	next := instance.Write(t, folder, "next.yaml", "zone: Asia/Kolkata\nteams: [{name: shop, repositories: ["+senders.Web.Name+"]}]\npeople: [{name: Mai, github: mai, teams: [shop]}]\n")
	before, _ := os.ReadFile(inForce)
	preview := instance.Must(t, "catalog", "apply", next, "--data-dir", dir, "--dry-run")
	for _, part := range []string{"team shop is new", "Mai is new, in shop", "repository " + senders.Web.Name + " moves from team " + senders.Web.Name + " to team shop", "Nothing was changed"} {
		if !strings.Contains(preview, part) {
			t.Errorf("the preview does not say %q:\n%s", part, preview)
		}
	}
	if after, _ := os.ReadFile(inForce); string(after) != string(before) {
		t.Error("a dry run has changed the file")
	}
	bad := instance.Write(t, folder, "bad.yaml", "teams: [{nam: x}]\n")
	if o := instance.Run(t, "catalog", "apply", bad, "--data-dir", dir); o.Code != 3 || !strings.Contains(o.Err, "bad.yaml:1") || !strings.Contains(o.Err, "did you mean name?") {
		t.Errorf("a catalog with a mistake: %d, %s", o.Code, o.Err)
	}
	applied := instance.Must(t, "catalog", "apply", next, "--data-dir", dir)
	if !strings.Contains(applied, "team shop is new") || !strings.Contains(applied, "computed anew") {
		t.Errorf("applied:\n%s", applied)
	}
	instance.Await(t, merged("shop"))
	if s, err := in.Status(); err != nil || s.AsOf.Generation != 2 {
		t.Errorf("as of %+v, %v", s.AsOf, err)
	}
	var again struct {
		Same    bool
		Applied bool
	}
	if err := json.Unmarshal([]byte(instance.Must(t, "catalog", "apply", next, "--data-dir", dir, "--json")), &again); err != nil || !again.Same || again.Applied {
		t.Errorf("applied again: %+v, %v", again, err)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "catalogs", "inforce.yaml.before")); err != nil || string(kept) != string(before) {
		t.Errorf("what was in force before is kept as %q, %v", kept, err)
	}
	if body, err := in.Get("/schemas/catalog.json"); err != nil || !json.Valid(body) {
		t.Errorf("the schema: %v", err)
	}
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}

	// Without a server the log is read all the same, and nothing can be applied.
	if out := instance.Must(t, "catalog", "discover", "--data-dir", dir); !strings.Contains(out, "github: [mai]") {
		t.Errorf("of a stopped server:\n%s", out)
	}
	if o := instance.Run(t, "catalog", "apply", next, "--data-dir", dir); o.Code != 4 || !strings.Contains(o.Err, "no server answers") {
		t.Errorf("without a server: %d, %s", o.Code, o.Err)
	}
}

// Commands of catalog and configuration that need no server.
func TestCatalog_CommandsThatStandAlone(t *testing.T) {
	folder := instance.Folder(t)
	file := instance.Write(t, folder, "catalog.yaml", `
zone: Europe/Berlin
teams: [{name: web, repositories: [{value: acme/web, to: 2026-02-28}, {value: acme/shop, from: 2026-03-01}]}]
people: [{name: Mai, github: mai, zone: [{value: Asia/Tokyo, to: 2026-02-28}, {value: Asia/Seoul, from: 2026-03-01}], teams: [web]}]
`)
	if out := instance.Must(t, "catalog", "show", file, "--at", "2026-02-28"); !strings.Contains(out, "acme/web") || strings.Contains(out, "acme/shop") || !strings.Contains(out, "zone: Asia/Tokyo") {
		t.Errorf("before:\n%s", out)
	}
	var shown struct {
		Date    string
		Catalog struct {
			Teams []struct {
				Name, Zone   string
				Repositories []string
				People       []string
			}
		}
	}
	if err := json.Unmarshal([]byte(instance.Must(t, "catalog", "show", file, "--at", "2026-03-01", "--json")), &shown); err != nil ||
		shown.Date != "2026-03-01" || shown.Catalog.Teams[0].Repositories[0] != "acme/shop" || shown.Catalog.Teams[0].Zone != "Europe/Berlin" || shown.Catalog.Teams[0].People[0] != "Mai" {
		t.Errorf("after: %+v, %v", shown, err)
	}
	if o := instance.Run(t, "catalog", "show", file, "--at", "soon"); o.Code != 2 {
		t.Errorf("--at soon: %d, %s", o.Code, o.Err)
	}
	archive := instance.Write(t, folder, "deliveries.jsonl", senders.Archive(senders.History(2, spring, 3), true))
	out := instance.Must(t, "catalog", "discover", "--input", archive)
	if !strings.Contains(out, "teams:") || !strings.Contains(out, "people:") {
		t.Errorf("of an archive:\n%s", out)
	}
	instance.Must(t, "catalog", "check", instance.Write(t, folder, "drafted.yaml", out))
	for _, command := range []string{"catalog", "config"} {
		if out := instance.Must(t, command, "schema"); !json.Valid([]byte(out)) || !strings.Contains(out, `"$schema"`) {
			t.Errorf("%s schema: %.100s", command, out)
		}
	}
	wrong := instance.Write(t, folder, "meridian.yaml", "lisen: x\ntime: {horizont: 92d}\n")
	o := instance.Run(t, "config", "check", "--json", "--config", wrong)
	var said struct {
		Problems []struct{ Where, Text string }
	}
	if err := json.Unmarshal([]byte(o.Out), &said); err != nil || o.Code != 3 || len(said.Problems) != 2 || said.Problems[0].Where != wrong+":1" ||
		!strings.Contains(said.Problems[0].Text, "did you mean listen?") || !strings.Contains(said.Problems[1].Text, "did you mean horizon?") {
		t.Errorf("config check --json: %d, %+v, %v", o.Code, said, err)
	}
}
