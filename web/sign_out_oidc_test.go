package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
	"golang.org/x/net/html"

	"meridian/web/webtest"
)

// endsSessions is a provider that says where it signs people out.
func endsSessions(endpoint func(issuer string) string) func(*mockoidc.MockOIDC) func(http.Handler) http.Handler {
	return func(p *mockoidc.MockOIDC) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != mockoidc.DiscoveryEndpoint {
					next.ServeHTTP(w, r)
					return
				}
				recorder := httptest.NewRecorder()
				next.ServeHTTP(recorder, r)
				var answer map[string]any
				if json.Unmarshal(recorder.Body.Bytes(), &answer) == nil {
					answer["end_session_endpoint"] = endpoint(p.Issuer())
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(answer)
			})
		}
	}
}

// signsOut presses the button as a browser does, and returns where the page that
// answers leads, "" where it is a redirect.
func signsOut(t *testing.T, b *http.Client, base string) (status int, next string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/sign-out", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Accept", asBrowser)
	once := *b
	once.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := once.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	for z := html.NewTokenizer(strings.NewReader(string(text))); z.Next() != html.ErrorToken; {
		for tag := z.Token(); len(tag.Attr) > 0; tag.Attr = tag.Attr[1:] {
			if rest, ok := strings.CutPrefix(tag.Attr[0].Val, "0; url="); ok {
				next = rest
			}
		}
	}
	return res.StatusCode, next
}

func TestOIDC_SigningOutIsToldTheProvider(t *testing.T) {
	var mu sync.Mutex
	var asked []url.Values
	end := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Query())
		http.Redirect(w, r, r.URL.Query().Get("post_logout_redirect_uri"), http.StatusSeeOther)
	}))
	t.Cleanup(end.Close)
	p := identityProvider(t, endsSessions(func(string) string { return end.URL + "/end?tenant=acme" }))
	_, base := overHTTP(t, webtest.Acme(), withProvider(p))
	p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering"}})
	b := newBrowser(t)
	if status, text := visit(t, b, base+"/sign-in/start"); status != 200 {
		t.Fatalf("%d %.300s", status, text)
	}
	status, next := signsOut(t, b, base)
	if status != 200 || !strings.HasPrefix(next, end.URL+"/end?") {
		t.Fatalf("%d, leads to %q", status, next)
	}
	if status, _ := visit(t, b, base+"/"); status != http.StatusUnauthorized {
		t.Errorf("signed out here: %d", status)
	}
	if status, text := visit(t, b, next); status != http.StatusUnauthorized || !strings.Contains(text, "Sign in with") {
		t.Errorf("back from the provider: %d", status) // the page to sign in, which is answered 401
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 {
		t.Fatalf("the provider was asked %d times", len(asked))
	}
	q := asked[0]
	if q.Get("client_id") != p.ClientID || q.Get("post_logout_redirect_uri") != base+"/sign-in" || q.Get("tenant") != "acme" {
		t.Errorf("asked with %v", q)
	}
	token, err := jwt.Parse(q.Get("id_token_hint"), func(*jwt.Token) (any, error) { return p.Keypair.PublicKey, nil })
	if err != nil {
		t.Fatalf("the hint is no token of this provider: %v", err)
	}
	if subject, err := token.Claims.GetSubject(); err != nil || subject != "s-1" {
		t.Errorf("the hint is of %q, %v", subject, err)
	}
}

func TestOIDC_SigningOutStaysHereWhereTheProviderHasNoWay(t *testing.T) {
	for name, endpoint := range map[string]func(string) string{
		"none":      func(string) string { return "" },
		"a script":  func(string) string { return "javascript:alert(1)" },
		"no server": func(string) string { return "/end" },
	} {
		p := identityProvider(t, endsSessions(endpoint))
		s, base := overHTTP(t, webtest.Acme(), withProvider(p))
		p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering"}})
		b := newBrowser(t)
		if status, text := visit(t, b, base+"/sign-in/start"); status != 200 {
			t.Fatalf("%s: %d %.300s", name, status, text)
		}
		if status, next := signsOut(t, b, base); status != http.StatusSeeOther || next != "" {
			t.Errorf("%s: %d, leads to %q", name, status, next)
		}
		// The owner came in by the link: the provider knows nothing of it.
		owner := newBrowser(t)
		if status, _ := visit(t, owner, s.SignInLink()); status != 200 {
			t.Fatalf("%s: the owner: %d", name, status)
		}
		if status, next := signsOut(t, owner, base); status != http.StatusSeeOther || next != "" {
			t.Errorf("%s: the owner: %d, leads to %q", name, status, next)
		}
	}
}
