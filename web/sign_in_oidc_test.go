package web_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"meridian/ingest/event"
	"meridian/web"
	"meridian/web/webtest"
)

// mai is somebody at the identity provider, with the claims that large ones send.
type mai struct {
	subject, email string
	verified       bool
	groups         []string
}

func (u mai) ID() string { return u.subject }

func (u mai) Userinfo([]string) ([]byte, error) {
	return json.Marshal(map[string]any{"sub": u.subject, "email": u.email})
}

type maiClaims struct {
	*mockoidc.IDTokenClaims
	Name          string   `json:"name"`
	Email         string   `json:"email"`
	EmailVerified bool     `json:"email_verified"`
	Groups        []string `json:"groups"`
}

func (u mai) Claims(_ []string, c *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	return &maiClaims{c, "Mai", u.email, u.verified, u.groups}, nil
}

// identityProvider runs a provider that signs tokens and answers over HTTP.
func identityProvider(t *testing.T, spoil ...func(*mockoidc.MockOIDC) func(http.Handler) http.Handler) *mockoidc.MockOIDC {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p, err := mockoidc.NewServer(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range spoil {
		if err := p.AddMiddleware(f(p)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(l, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// overHTTP serves web over a real listener, since browsers and providers send
// each other there, and returns its address.
func overHTTP(t *testing.T, o *webtest.Organisation, change ...func(*web.Config)) (*web.Server, string) {
	t.Helper()
	var handler http.Handler
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	t.Cleanup(ts.Close)
	s := newServer(t, o, append(change, func(c *web.Config) { c.BaseURL = ts.URL + strings.TrimPrefix(c.BaseURL, "http://127.0.0.1:8080") })...)
	handler = s.Handler()
	return s, ts.URL
}

func withProvider(p *mockoidc.MockOIDC) func(*web.Config) {
	return func(c *web.Config) {
		c.Mode, c.Now = web.ModeOIDC, time.Now
		c.OIDC = web.OIDC{Issuer: p.Issuer(), ClientID: p.ClientID, ClientSecret: p.ClientSecret}
		c.Groups = []web.Group{
			{Name: "engineering", Roles: web.Viewer, Teams: []string{"web"}},
			{Name: "leads", Roles: web.People, Teams: []string{"payments"}},
			{Members: []string{"subject-of-the-boss"}, Roles: web.Admin},
		}
		c.PersonOf = func(email string) event.PersonID {
			if email == "mai@acme.example" {
				return webtest.Person(1)
			}
			return event.PersonID{}
		}
	}
}

// newBrowser keeps cookies and follows redirects, as people's do.
func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func visit(t *testing.T, b *http.Client, address string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", asBrowser)
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestOIDC_SignsInAndComesBackToThePage(t *testing.T) {
	p := identityProvider(t)
	_, base := overHTTP(t, webtest.Acme(), withProvider(p))
	p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering", "something else"}})
	b := newBrowser(t)
	status, text := visit(t, b, base+"/teams/web?grain=day")
	if status != http.StatusUnauthorized {
		t.Fatalf("before: %d", status)
	}
	start := "/sign-in/start?next=%2Fteams%2Fweb%3Fgrain%3Dday"
	contains(t, text, start, "Sign in with")
	status, text = visit(t, b, base+start)
	if status != 200 {
		t.Fatalf("after: %d %.300s", status, text)
	}
	contains(t, text, `url=/teams/web?grain=day`) // a page, and not a redirect, so that the strict cookie comes along
	if status, _ = visit(t, b, base+"/teams/web?grain=day"); status != 200 {
		t.Errorf("signed in: %d", status)
	}
	if status, _ = visit(t, b, base+"/teams/payments"); status != http.StatusNotFound {
		t.Errorf("another team: %d", status)
	}
	if status, _ = visit(t, b, base+"/sources"); status != http.StatusForbidden {
		t.Errorf("what admins see: %d", status)
	}
}

func TestOIDC_GroupsAndSubjectsGiveRoles(t *testing.T) {
	p := identityProvider(t)
	for name, c := range map[string]struct {
		user  mai
		paths map[string]int
	}{
		"two groups": {mai{"s-1", "a@acme.example", true, []string{"engineering", "leads"}}, map[string]int{"/": 200, "/teams/web": 200, "/teams/payments": 200, "/teams/data": 404, "/audit": 403}},
		"no group":   {mai{"s-2", "b@acme.example", true, nil}, map[string]int{"/": 403, "/teams/web": 403}},
		"by subject": {mai{"subject-of-the-boss", "c@acme.example", false, nil}, map[string]int{"/": 200, "/teams/data": 200, "/sources": 200}},
		// A name or an address proves nothing: they can be chosen.
		"an address like the boss's subject": {mai{"s-4", "subject-of-the-boss", true, nil}, map[string]int{"/": 403}},
	} {
		_, base := overHTTP(t, webtest.Acme(), withProvider(p))
		p.QueueUser(c.user)
		b := newBrowser(t)
		if status, text := visit(t, b, base+"/sign-in/start"); status != 200 {
			t.Fatalf("%s: %d %.300s", name, status, text)
		}
		for path, want := range c.paths {
			if status, _ := visit(t, b, base+path); status != want {
				t.Errorf("%s: %s: %d, want %d", name, path, status, want)
			}
		}
	}
}

// What a step of the sign-in carries is of one browser, one attempt and once.
func TestOIDC_AnswersOfOtherSignInsAreRefused(t *testing.T) {
	p := identityProvider(t)
	_, base := overHTTP(t, webtest.Acme(), withProvider(p))
	// begin goes to the provider and stops where it sends the browser back to.
	begin := func(b *http.Client) (back *url.URL, authorize url.Values) {
		t.Helper()
		b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		res, err := b.Get(base + "/sign-in/start")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		to, err := res.Location()
		if err != nil {
			t.Fatal(err)
		}
		p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering"}})
		if res, err = b.Get(to.String()); err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		back, err = res.Location()
		if err != nil {
			t.Fatal(err)
		}
		return back, to.Query()
	}
	one := newBrowser(t)
	back, authorize := begin(one)
	if authorize.Get("code_challenge_method") != "S256" || authorize.Get("code_challenge") == "" || authorize.Get("state") == "" || authorize.Get("nonce") == "" || authorize.Get("redirect_uri") != base+"/sign-in/done" {
		t.Errorf("asked the provider %v", authorize)
	}
	if status, _ := visit(t, newBrowser(t), back.String()); status != http.StatusForbidden {
		t.Errorf("another browser: %d", status)
	}
	two := newBrowser(t)
	other, _ := begin(two)
	mixed := *other
	q := mixed.Query()
	q.Set("state", back.Query().Get("state"))
	mixed.RawQuery = q.Encode()
	if status, _ := visit(t, two, mixed.String()); status != http.StatusForbidden {
		t.Errorf("the state of another sign-in: %d", status)
	}
	// Another sign-in's code fits neither this verifier nor this nonce.
	q = back.Query()
	q.Set("code", other.Query().Get("code"))
	swapped := *back
	swapped.RawQuery = q.Encode()
	if status, _ := visit(t, one, swapped.String()); status != http.StatusForbidden {
		t.Errorf("the code of another sign-in: %d", status)
	}
	if status, _ := visit(t, one, base+"/"); status != http.StatusUnauthorized {
		t.Errorf("signed in after all: %d", status)
	}
	three := newBrowser(t)
	back, _ = begin(three)
	if status, _ := visit(t, three, back.String()); status != 200 {
		t.Fatalf("the right one: %d", status)
	}
	if status, _ := visit(t, three, back.String()); status != http.StatusForbidden {
		t.Errorf("a second time: %d", status)
	}
}

func TestOIDC_TokensThatAreNotRightAreRefused(t *testing.T) {
	spoil := map[string]func(*mockoidc.MockOIDC) func(http.Handler) http.Handler{
		"as it should be": func(*mockoidc.MockOIDC) func(http.Handler) http.Handler {
			return func(next http.Handler) http.Handler { return next }
		},
		"for another client": claiming(func(c jwt.MapClaims) { c["aud"] = "another" }),
		"of another issuer":  claiming(func(c jwt.MapClaims) { c["iss"] = "https://id.example" }),
		"over":               claiming(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-time.Minute).Unix() }),
		"with another nonce": claiming(func(c jwt.MapClaims) { c["nonce"] = "another" }),
		"signed by nobody": func(*mockoidc.MockOIDC) func(http.Handler) http.Handler {
			return changing(func(token string) string {
				parts := strings.Split(token, ".")
				return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
			})
		},
		"signed by somebody else": func(*mockoidc.MockOIDC) func(http.Handler) http.Handler {
			return changing(func(token string) string { return token[:len(token)-8] + "AAAAAAAA" })
		},
	}
	for name, how := range spoil {
		t.Run(name, func(t *testing.T) {
			p := identityProvider(t, how)
			_, base := overHTTP(t, webtest.Acme(), withProvider(p))
			p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering"}})
			b := newBrowser(t)
			first, then := http.StatusForbidden, http.StatusUnauthorized
			if name == "as it should be" {
				first, then = http.StatusOK, http.StatusOK
			}
			if status, text := visit(t, b, base+"/sign-in/start"); status != first {
				t.Errorf("%d %.300s", status, text)
			}
			if status, _ := visit(t, b, base+"/"); status != then {
				t.Errorf("afterwards: %d", status)
			}
		})
	}
}

// claiming changes what a provider's tokens say, and signs them again.
func claiming(change func(jwt.MapClaims)) func(*mockoidc.MockOIDC) func(http.Handler) http.Handler {
	return func(p *mockoidc.MockOIDC) func(http.Handler) http.Handler {
		return changing(func(token string) string {
			claims := jwt.MapClaims{}
			if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil {
				return err.Error()
			}
			change(claims)
			signed, err := p.Keypair.SignJWT(claims)
			if err != nil {
				return err.Error()
			}
			return signed
		})
	}
}

// changing changes the ID token in a provider's answer.
func changing(change func(token string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != mockoidc.TokenEndpoint {
				next.ServeHTTP(w, r)
				return
			}
			recorder := httptest.NewRecorder()
			next.ServeHTTP(recorder, r)
			var answer map[string]any
			if json.Unmarshal(recorder.Body.Bytes(), &answer) == nil {
				if token, ok := answer["id_token"].(string); ok {
					answer["id_token"] = change(token)
				}
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(recorder.Code)
			_ = json.NewEncoder(w).Encode(answer)
		})
	}
}

func TestOIDC_NobodyIsSentElsewhere(t *testing.T) {
	p := identityProvider(t)
	_, base := overHTTP(t, webtest.Acme(), withProvider(p))
	for _, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "/%5cevil.example\\", "javascript:alert(1)", "http:/evil.example", "", "/a//b"} {
		p.QueueUser(mai{"s-1", "mai@acme.example", true, []string{"engineering"}})
		status, text := visit(t, newBrowser(t), base+"/sign-in/start?"+url.Values{"next": {next}}.Encode())
		if status != 200 {
			t.Fatalf("%q: %d", next, status)
		}
		contains(t, text, `content="0; url=/"`)
	}
}

func TestOIDC_AProviderThatIsDownIsSaidAndTheOwnerStillComesIn(t *testing.T) {
	s, base := overHTTP(t, webtest.Acme(), func(c *web.Config) {
		c.Mode, c.OIDC = web.ModeOIDC, web.OIDC{Issuer: "http://127.0.0.1:1", ClientID: "m"}
		c.Groups = []web.Group{{Name: "*", Roles: web.Viewer}}
	})
	if status, text := visit(t, newBrowser(t), base+"/sign-in/start"); status != http.StatusServiceUnavailable || !strings.Contains(text, "identity provider does not answer") {
		t.Errorf("%d %.300s", status, text)
	}
	b := newBrowser(t)
	if status, _ := visit(t, b, s.SignInLink()); status != 200 {
		t.Errorf("the owner's link: %d", status)
	}
	if status, _ := visit(t, b, base+"/sources"); status != 200 {
		t.Errorf("the owner: %d", status)
	}
}
