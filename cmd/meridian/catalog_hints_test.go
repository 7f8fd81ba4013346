package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
)

// github answers as its API does, in pages of two.
func fakeOrganisation(t *testing.T) string {
	t.Helper()
	lists := map[string][]any{
		"/orgs/acme/teams": {
			map[string]any{"name": "The Shop", "slug": "shop"}, map[string]any{"name": "Core", "slug": "core"}, map[string]any{"name": "Nobody", "slug": "empty"},
		},
		"/orgs/acme/teams/shop/members":  {map[string]any{"login": "mai"}, map[string]any{"login": "jonas"}, map[string]any{"login": "ada"}},
		"/orgs/acme/teams/core/members":  {map[string]any{"login": "lena"}},
		"/orgs/acme/teams/empty/members": {},
		"/orgs/acme/teams/shop/repos": {
			repository("acme/web", true, false), repository("acme/shared", true, false), repository("acme/docs", false, false), repository("acme/old", true, true),
		},
		"/orgs/acme/teams/core/repos":  {repository("acme/shared", true, false)},
		"/orgs/acme/teams/empty/repos": {},
	}
	files := map[string]string{
		"/repos/acme/shared/contents/CODEOWNERS":      "# who\n* @acme/shop\n*   @ACME/core lena@acme.example # the last rule holds\n/docs/ @acme/shop\n",
		"/repos/acme/web/contents/.github/CODEOWNERS": "/docs/ @acme/core\n",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api/v3")
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if text, ok := files[path]; ok {
			_ = json.NewEncoder(w).Encode(map[string]string{"encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte(text)) + "\n"})
			return
		}
		list, ok := lists[path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"message": "Not Found"}`))
			return
		}
		page := 1
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
		from, to := min(2*(page-1), len(list)), min(2*page, len(list))
		if to < len(list) {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d>; rel="next"`, r.Host, r.URL.Path, page+1))
		}
		_ = json.NewEncoder(w).Encode(list[from:to])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func repository(name string, push, archived bool) any {
	return map[string]any{"full_name": name, "archived": archived, "permissions": map[string]bool{"push": push, "pull": true}}
}

// Teams and CODEOWNERS of an organisation, as a catalog starts from them: those
// who may only read a repository do not own it, and of several who may write the
// one that CODEOWNERS names does.
func TestHintsOfGitHub(t *testing.T) {
	a := &app{}
	c := config.Default()
	c.APIs.GitHub = []config.GitHubAPI{{URL: fakeOrganisation(t), Token: "t"}}
	hints, err := a.githubHints(t.Context(), c, "acme")
	if err != nil {
		t.Fatal(err)
	}
	want := catalog.Hints{Teams: []catalog.HintedTeam{
		{Name: "shop", Why: "team shop of acme on GitHub", Members: []string{"ada", "jonas", "mai"}, Repositories: []string{"acme/web"}},
		{Name: "core", Why: "team core of acme on GitHub", Members: []string{"lena"}, Repositories: []string{"acme/shared"}},
	}}
	if !reflect.DeepEqual(hints, want) {
		t.Errorf("got %+v\nwant %+v", hints, want)
	}
	if _, err := a.githubHints(t.Context(), c, "nobody"); codeOf(err) != exitUnavailable {
		t.Errorf("an organisation that is not there: %v", err)
	}
	if _, err := a.githubHints(t.Context(), config.Default(), "acme"); codeOf(err) != exitConfig || !strings.Contains(err.Error(), "apis.github") {
		t.Errorf("without an API: %v", err)
	}
}
