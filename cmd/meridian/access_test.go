package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Each of the three addresses answers what it is for and nothing else, and what
// only the owner may do is on the socket. The base URL has a path, as behind a
// proxy that leaves it on.
func TestServe_ThreeListenersAndASocket(t *testing.T) {
	pages, webhooks, admin := freeAddress(t), freeAddress(t), freeAddress(t)
	folder := t.TempDir()
	dir, file := filepath.Join(folder, "data"), filepath.Join(folder, "meridian.yaml")
	text := fmt.Sprintf("listen: %s\nwebhook_listen: %s\nadmin_listen: %s\nbase_url: http://%s/m\ndata_dir: %s\nsources: {deploy: [{name: ci, secrets: [zebra]}]}\ncatalog: %s\n",
		pages, webhooks, admin, pages, dir, filepath.Join(folder, "catalog.yaml"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "catalog.yaml"), []byte("teams: [{name: web}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := serving(t, "serve", "--config", file)
	await(t, ended, func() error { return deliver("http://"+webhooks+"/webhooks/deploy/ci", "zebra", []byte(aDeployment)) })
	await(t, ended, func() error { // the tables are there, and a first tick
		_, err := pointsOver(filepath.Join(dir, adminSocket), "metric=deploy_frequency")
		return err
	})

	ask := func(method, address, path string, headers ...string) int {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "Host" {
				req.Host = headers[i+1]
			}
			req.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	everything := []string{"/", "/m/", "/sources", "/sign-in", "/api/v1/points", "/api/v1/jobs", "/openapi.json", "/metrics", "/readyz", "/static/style.css", "/favicon.ico", "/tokens", "/tokens/list", "/audit/log", "/lag", "/debug/engine", "/debug/pprof/", "/docs/sources/github"}
	for _, path := range everything {
		if got := ask("GET", webhooks, path); got != http.StatusNotFound {
			t.Errorf("the webhooks' address answers %s with %d", path, got)
		}
	}
	for _, c := range []struct {
		method, address, path string
		want                  int
		headers               []string
	}{
		{"GET", webhooks, "/livez", 200, nil},
		{"POST", webhooks, "/webhooks/deploy/ci", 415, nil},
		{"POST", webhooks, "/webhooks/deploy/ci", 401, []string{"Content-Type", "application/json"}},
		{"POST", webhooks, "/clock/trust", 404, nil},
		{"POST", webhooks, "/webhooks/../clock/trust", 307, nil}, // to the address without dots, which is not there

		{"GET", pages, "/livez", 200, nil},
		{"GET", pages, "/api/v1/points", 401, nil},
		{"GET", pages, "/m/api/v1/points", 401, nil},
		{"GET", pages, "/metrics", 401, nil},
		{"POST", pages, "/webhooks/deploy/ci", 404, []string{"Content-Type", "application/json"}},
		{"GET", pages, "/debug/pprof/", 404, nil},
		{"GET", pages, "/debug/engine", 404, nil},
		{"GET", pages, "/lag", 404, nil},
		{"GET", pages, "/tokens/list", 404, nil},
		{"GET", pages, "/audit/log", 404, nil},
		{"POST", pages, "/clock/trust", 404, nil},
		{"POST", pages, "/sign-in/link", 404, nil},

		{"GET", admin, "/metrics", 200, nil},
		{"GET", admin, "/livez", 200, nil},
		{"GET", admin, "/api/v1/points", 401, nil}, // pages are signed in to here, too
		{"GET", admin, "/metrics", 421, []string{"Host", "rebound.example"}},
		{"POST", admin, "/clock/trust", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"POST", admin, "/clock/trust", 403, []string{"Origin", "https://evil.example"}},
	} {
		if got := ask(c.method, c.address, c.path, c.headers...); got != c.want {
			t.Errorf("%s %s at %s %v: %d, want %d", c.method, c.path, map[string]string{pages: "pages", webhooks: "webhooks", admin: "admin"}[c.address], c.headers, got, c.want)
		}
	}

	// Over the socket: a link, tokens, and who did it.
	link, err := command(t, "sign-in", "--data-dir", dir)
	if err != nil || !strings.HasPrefix(link, "http://"+pages+"/m/sign-in?token=") {
		t.Fatalf("link %q, %v", link, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	status := func(address string) int {
		t.Helper()
		res, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	if got := status(strings.TrimSpace(link)); got != 200 {
		t.Errorf("the link: %d", got)
	}
	if got := status("http://" + pages + "/m/sources"); got != 200 {
		t.Errorf("signed in: %d", got)
	}
	made, err := command(t, "token", "create", "--name", "grafana", "--team", "web", "--expires", "7d", "--json", "--data-dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	var token tokenAnswer
	if err := json.Unmarshal([]byte(made), &token); err != nil || token.Token == "" {
		t.Fatal(made, err)
	}
	bearer := []string{"Authorization", "Bearer " + token.Token}
	if got := ask("GET", pages, "/api/v1/points?team=web", bearer...); got != 200 {
		t.Errorf("with the token: %d", got)
	}
	if got := ask("GET", pages, "/api/v1/points?scope=org", bearer...); got != 403 {
		t.Errorf("beyond the token: %d", got)
	}
	if list, err := command(t, "token", "list", "--data-dir", dir); err != nil || !strings.Contains(list, "grafana") || strings.Contains(list, token.Token) || strings.Contains(list, "never") {
		t.Errorf("list %q, %v", list, err)
	}
	for _, bad := range [][]string{{"--role", "king", "--name", "x"}, {"--name", ""}, {"--name", "x", "--expires", "999d"}, {"--name", "x", "--team", "wbe"}, {"--name", "x", "--team", "nobody-*"}} {
		if _, err := command(t, append([]string{"token", "create", "--data-dir", dir}, bad...)...); err == nil {
			t.Errorf("%v was made", bad)
		}
	}
	if _, err := command(t, "token", "revoke", token.ID, "--data-dir", dir); err != nil {
		t.Error(err)
	}
	if got := ask("GET", pages, "/api/v1/points?team=web", bearer...); got != 401 {
		t.Errorf("with the token that was ended: %d", got)
	}
	if _, err := command(t, "clock", "trust", "--data-dir", dir); err != nil {
		t.Error(err)
	}
	adminTokens(t, dir, "http://"+admin, ask, admin)
	log, err := command(t, "audit", "--data-dir", dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"make", "revoke", "token " + token.ID, "trust", "clock", "link", "sign in"} {
		if !strings.Contains(log, want) {
			t.Errorf("the audit log does not say %q:\n%s", want, log)
		}
	}
	for _, secret := range []string{token.Token, strings.TrimSpace(link)[strings.Index(link, "token=")+6:], "zebra"} {
		if strings.Contains(log, secret) {
			t.Errorf("the audit log tells a secret:\n%s", log)
		}
	}
}

const aDeployment = `{"id": "run-1", "service": "checkout", "environment": "production", "status": "success", "finished_at": "2026-03-02T09:00:00Z"}`

// serving runs a server until the test ends.
func serving(t *testing.T, args ...string) (ended chan int) {
	t.Helper()
	_, ended = servingUntil(t, args...)
	return ended
}

// servingUntil runs a server until it is stopped, or the test ends.
func servingUntil(t *testing.T, args ...string) (stop func(), ended chan int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended = make(chan int, 1)
	go func() { ended <- run(ctx, args, streams{in: bytes.NewReader(nil), out: io.Discard, err: outputOf(t)}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("exit code %d at the end", code)
		}
	})
	t.Cleanup(stop)
	return stop, ended
}

// adminTokens wants whatever the admin address answers itself to be for who runs the
// instance, and metrics for everybody.
func adminTokens(t *testing.T, dir, server string, ask func(method, address, path string, headers ...string) int, admin string) {
	t.Helper()
	token := func(role string, more ...string) []string {
		t.Helper()
		made, err := command(t, append([]string{"token", "create", "--name", role, "--role", role, "--json", "--data-dir", dir}, more...)...)
		var token tokenAnswer
		if err != nil || json.Unmarshal([]byte(made), &token) != nil || token.Token == "" {
			t.Fatal(made, err)
		}
		return []string{"Authorization", "Bearer " + token.Token}
	}
	all, some, viewer := token("admin"), token("admin", "--team", "web"), token("viewer")
	for _, c := range []struct {
		method, path string
		with         int // the token of who runs the instance
	}{
		{"GET", "/debug/engine", 200}, {"GET", "/debug/pprof/", 200}, {"GET", "/lag", 200}, {"GET", "/api/v1/jobs", 200}, {"GET", "/export?what=catalog", 200},
		{"POST", "/erase", 400}, {"POST", "/sql", 400}, {"POST", "/catalog", 400}, {"POST", "/clock/trust", 200}, {"POST", "/verify", 200},
		{"GET", "/backup", 403}, {"GET", "/tokens/list", 403}, {"GET", "/audit/log", 403}, {"POST", "/tokens/make", 403}, {"POST", "/sign-in/link", 403},
	} {
		for who, headers := range map[string][]string{"nobody": nil, "a viewer": viewer, "who runs one team": some, "who made up a token": {"Authorization", "Bearer meridian_x"}} {
			if got := ask(c.method, admin, c.path, headers...); got != 401 {
				t.Errorf("%s %s, asked by %s: %d, want 401", c.method, c.path, who, got)
			}
		}
		if got := ask(c.method, admin, c.path, all...); got != c.with {
			t.Errorf("%s %s, asked by who runs the instance: %d, want %d", c.method, c.path, got, c.with)
		}
	}

	if _, err := command(t, "lag", "--server", server); err == nil || !strings.Contains(err.Error(), "token create") || !strings.Contains(err.Error(), "MERIDIAN_TOKEN") {
		t.Errorf("without a token the command says %v", err)
	}
	t.Setenv("MERIDIAN_TOKEN", strings.TrimPrefix(all[1], "Bearer "))
	for _, args := range [][]string{{"lag"}, {"jobs"}, {"export", "--what", "catalog", "-"}, {"export", "-"}, {"sql", "SELECT 1"}, {"clock", "trust"}} {
		if out, err := command(t, append(args, "--server", server)...); err != nil || out == "" {
			t.Errorf("%q with a token: %q, %v", args, out, err)
		}
	}
	for _, args := range [][]string{{"sql", "--write", "TRUNCATE TABLE points_live"}, {"backup", "-"}, {"token", "list"}} {
		if _, err := command(t, append(args, "--server", server)...); err == nil || !strings.Contains(err.Error(), "data directory") {
			t.Errorf("%q with a token: %v; want it to be the socket's alone", args, err)
		}
	}
	if log, err := command(t, "audit", "--data-dir", dir); err != nil || !strings.Contains(log, "token:") {
		t.Errorf("the audit log does not say whose token it was: %v\n%s", err, log)
	}
}
