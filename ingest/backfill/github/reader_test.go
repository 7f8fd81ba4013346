package github

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"meridian/ingest"
	"meridian/ingest/backfill"
	"meridian/ingest/backfill/fakeapi"
	"meridian/ingest/event"
	decode "meridian/ingest/github"
	"meridian/ingest/payload/decodertest"
	"meridian/streaming/timeline"
)

type world = fakeapi.Object

// base is when the stories begin; all times are hours after it.
var base = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func hour(h int) string { return base.Add(time.Duration(h) * time.Hour).Format(time.RFC3339) }

var mai, jonas = world{"id": 71, "login": "mai", "type": "User"}, world{"id": 72, "login": "jonas", "type": "User"}

func repository(id int, name string) *fakeapi.Repository {
	return &fakeapi.Repository{Object: world{"id": id, "node_id": fmt.Sprint("R_", id), "full_name": name, "name": strings.Split(name, "/")[1], "default_branch": "main", "created_at": hour(-9000), "pushed_at": hour(id)}}
}

func pullRequest(number, updated int) *fakeapi.Pull {
	return &fakeapi.Pull{Object: world{"id": 1000 + number, "number": number, "state": "open", "title": "zebra", "user": mai, "draft": false,
		"created_at": hour(0), "updated_at": hour(updated), "closed_at": nil, "merged_at": nil, "merged": false, "commits": 0, "review_comments": 0, "labels": []world{},
		"head": world{"ref": "x", "sha": strings.Repeat("c", 40), "repo": world{"id": 42}}, "base": world{"ref": "main", "sha": strings.Repeat("b", 40), "repo": world{"id": 42}}}}
}

// memory is a log that decodes, and may fail.
type memory struct {
	t      *testing.T
	events map[event.ID]event.Event
	told   []string
	opened []int64 // numbers of pull requests, in the order of reading
	covers []ingest.Coverage
	fail   func(delivery int) error
	n      int
}

func (k *memory) Deliver(_ context.Context, d ingest.Delivery) error {
	k.n++
	if k.fail != nil {
		if err := k.fail(k.n); err != nil {
			return err
		}
	}
	d.ViaAPI, d.Received = true, timeline.FromTime(base.AddDate(0, 1, 0))
	_, logged, err := ingest.DecodeDelivery(decode.New(decodertest.Hash), d)
	if err != nil || logged.Outcome != ingest.OutcomeAccepted {
		k.t.Errorf("a delivery cannot be decoded: %v %+v\n%s", err, logged, d.Body)
		return nil
	}
	for _, e := range logged.Events {
		k.events[e.ID] = e
	}
	var body struct {
		Action      string
		PullRequest struct {
			Number int64
			Draft  bool
			Merged bool
		} `json:"pull_request"`
		Review struct{ State string }
	}
	err = json.Unmarshal(d.Body, &body)
	k.told = append(k.told, strings.TrimSpace(fmt.Sprintf("%s draft=%v merged=%v %s", body.Action, body.PullRequest.Draft, body.PullRequest.Merged, body.Review.State)))
	if err == nil && body.Action == "opened" && body.PullRequest.Number != 0 {
		k.opened = append(k.opened, body.PullRequest.Number)
	}
	return nil
}

func (k *memory) Cover(_ context.Context, _ string, c ingest.Coverage) error {
	k.covers = append(k.covers, c)
	return nil
}

func serve(t *testing.T, repositories ...*fakeapi.Repository) (*fakeapi.GitHub, *memory) {
	t.Helper()
	api := fakeapi.NewGitHub("gh-token")
	t.Cleanup(api.Close)
	api.Repositories = repositories
	return api, &memory{t: t, events: map[event.ID]event.Event{}}
}

func client(t *testing.T, c Config) *Client {
	t.Helper()
	made, err := NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func work(log *memory, state *backfill.State) backfill.Work {
	return backfill.Work{Since: timeline.FromTime(base.AddDate(0, 0, -30)), Now: timeline.FromTime(base.AddDate(0, 0, 20)), Log: log, State: state}
}

func read(t *testing.T, api *fakeapi.GitHub, log *memory, names ...string) backfill.Report {
	t.Helper()
	report, err := Read(t.Context(), client(t, Config{URL: api.URL(), Token: "gh-token"}), Ask{Repositories: names}, work(log, nil))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func pulls(n int) (list []*fakeapi.Pull) {
	for i := range n {
		list = append(list, pullRequest(i+1, i+1))
	}
	return list
}

func TestRead_PagesNewestFirst(t *testing.T) {
	repo := repository(42, "acme/web")
	repo.Pulls = pulls(5)
	parent := strings.Repeat("0", 40)
	for i := range 5 {
		sha := strings.Repeat(fmt.Sprint(i+1), 40)
		who := world{"name": "Mai", "email": "mai@acme.example", "date": hour(i)}
		repo.Commits = slices.Insert(repo.Commits, 0, world{"sha": sha, "commit": world{"message": "m", "author": who, "committer": who}, "author": mai, "parents": []world{{"sha": parent}}})
		parent = sha
	}
	api, log := serve(t, repo)
	api.PageSize = 2
	report := read(t, api, log, "acme/web")
	if !slices.Equal(log.opened, []int64{5, 4, 3, 2, 1}) {
		t.Errorf("read in the order %v", log.opened)
	}
	if report.Total.PullRequests != 5 || report.Total.Commits != 5 || report.Failed() != 0 {
		t.Errorf("%+v", report)
	}
	if len(log.covers) != 1 || log.covers[0].Scope != "acme/web" || log.covers[0].From != timeline.FromTime(base.AddDate(0, 0, -30)) {
		t.Errorf("covered %+v", log.covers)
	}
}

// What moves while the list is read is read, and what stood behind it too.
func TestRead_ListsThatMove(t *testing.T) {
	for name, change := range map[string]func(*fakeapi.Repository){
		"touched": func(r *fakeapi.Repository) { r.Pulls[0].Object["updated_at"] = hour(90) },
		"deleted": func(r *fakeapi.Repository) { r.Issues = nil },
	} {
		t.Run(name, func(t *testing.T) {
			repo := repository(42, "acme/web")
			repo.Pulls = pulls(5)
			repo.Issues = []*fakeapi.Issue{{Object: world{"id": 500, "number": 50, "state": "open", "user": mai, "created_at": hour(1), "updated_at": hour(80), "labels": []world{}}}}
			api, log := serve(t, repo)
			api.PageSize = 2
			changed := false
			api.Before = func(_ int, r *http.Request) *fakeapi.Answer {
				if !changed && strings.HasSuffix(r.URL.Path, "/issues") && r.URL.Query().Get("page") == "2" {
					changed = true
					change(repo)
				}
				return nil
			}
			report := read(t, api, log, "acme/web")
			slices.Sort(log.opened)
			if !changed || !slices.Equal(log.opened, []int64{1, 2, 3, 4, 5}) {
				t.Errorf("changed: %v, read: %v", changed, log.opened)
			}
			if name == "deleted" && report.Total.Gone != 1 {
				t.Errorf("%d are gone, want the deleted one", report.Total.Gone)
			}
		})
	}
}

func TestRead_OddRepositories(t *testing.T) {
	empty, off, forbidden, last := repository(1, "acme/empty"), repository(2, "acme/off"), repository(3, "acme/secret"), repository(4, "acme/last")
	empty.EmptyGit, off.IssuesOff, forbidden.Forbidden = true, true, true
	off.Pulls, last.Pulls = pulls(3), pulls(1)
	api, log := serve(t, empty, off, forbidden, last)
	report, err := Read(t.Context(), client(t, Config{URL: api.URL() + "/api/v3/", Token: "gh-token"}), Ask{Organization: "acme"}, work(log, nil))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range report.Rows {
		got[row.Unit] = fmt.Sprint(row.PullRequests, " ", strings.Contains(row.Problem, "403"))
	}
	for name, want := range map[string]string{"acme/empty": "0 false", "acme/off": "3 false", "acme/secret": "0 true", "acme/last": "1 false"} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
	if len(log.covers) != 3 || report.Failed() != 1 || !strings.Contains(report.Table(), "not complete: the token may not read it") {
		t.Errorf("%d covered\n%s", len(log.covers), report.Table())
	}
}

// A log that fails ends the job; the next run asks only for what is left.
func TestRead_GoesOnAfterACrash(t *testing.T) {
	repo := repository(42, "acme/web")
	repo.Pulls = pulls(6)
	api, log := serve(t, repo)
	crash := errors.New("the disk is full")
	log.fail = func(n int) error {
		if n > 6 { // two for each pull request
			return crash
		}
		return nil
	}
	var saved []byte
	w := work(log, nil)
	w.Save = func(_ context.Context, s *backfill.State, _ bool) (err error) {
		saved, err = json.Marshal(s)
		return err
	}
	c := client(t, Config{URL: api.URL(), Token: "gh-token"})
	if _, err := Read(t.Context(), c, Ask{Repositories: []string{"acme/web"}}, w); !errors.Is(err, crash) {
		t.Fatalf("%v", err)
	}
	before := api.Count("/timeline")
	log.fail = nil
	w.State = new(backfill.State)
	if err := json.Unmarshal(saved, w.State); err != nil {
		t.Fatal(err)
	}
	report, err := Read(t.Context(), c, Ask{Repositories: []string{"acme/web"}}, w)
	if err != nil {
		t.Fatal(err)
	}
	if n := api.Count("/timeline") - before; before != 4 || n != 3 {
		t.Errorf("%d were asked before the crash and %d after, want 4 and 3", before, n)
	}
	if !slices.Equal(log.opened, []int64{6, 5, 4, 3, 2, 1}) || report.Total.PullRequests != 6 {
		t.Errorf("read %v, %+v", log.opened, report.Total)
	}
	requests := len(api.Requests())
	if _, err := Read(t.Context(), c, Ask{Repositories: []string{"acme/web"}}, w); err != nil || len(api.Requests()) != requests {
		t.Errorf("a job that is complete asks again: %v", err)
	}
}

// clock is the machine's time, and does not wait.
type clock struct{ now time.Time }

func (c clock) Now() time.Time                                   { return c.now }
func (c clock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestRead_AsAnApp(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	api, log := serve(t, repository(42, "acme/web"), repository(43, "other/web"))
	api.Token = ""
	api.AcceptApp(func(token string) error {
		part := strings.Split(token, ".")
		if len(part) != 3 {
			return errors.New("no web token")
		}
		sum := sha256.Sum256([]byte(part[0] + "." + part[1]))
		signature, _ := base64.RawURLEncoding.DecodeString(part[2])
		if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], signature); err != nil {
			return err
		}
		text, _ := base64.RawURLEncoding.DecodeString(part[1])
		var claims struct {
			Iat, Exp int64
			Iss      string
		}
		if err := json.Unmarshal(text, &claims); err != nil || claims.Iss != "7" || claims.Iat > now.Unix() || claims.Exp-claims.Iat > 600 {
			return fmt.Errorf("claims %s", text)
		}
		return nil
	})
	pemKey := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	c := client(t, Config{URL: api.URL(), App: &App{ID: 7, PrivateKey: pemKey}, Send: &backfill.Transport{Clock: clock{now}}})
	report, err := Read(t.Context(), c, Ask{Organization: "acme"}, work(log, nil))
	if err != nil || len(report.Rows) != 1 || report.Failed() != 0 {
		t.Errorf("%v, %+v", err, report)
	}
	if api.Installations() != 1 || api.Denied() != 0 {
		t.Errorf("%d tokens, %d denied", api.Installations(), api.Denied())
	}
	for _, bad := range []App{{PrivateKey: pemKey}, {ID: 7, PrivateKey: "no key"}} {
		if _, err := NewClient(Config{App: &bad}); err == nil {
			t.Errorf("%d and a key of %d bytes are taken", bad.ID, len(bad.PrivateKey))
		}
	}
}
