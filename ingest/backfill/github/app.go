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
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"meridian/ingest/backfill"
)

// App signs in as a GitHub App.
type App struct {
	ID           int64
	Installation int64  // 0: the App's only one
	PrivateKey   string // PEM, as GitHub gives it
}

// tokens gets installation tokens, which last an hour, by the App's key.
type tokens struct {
	app  App
	key  *rsa.PrivateKey
	base *url.URL
	send *backfill.Transport

	mu      sync.Mutex
	current string
	expires time.Time
}

func newTokens(a App, base *url.URL, send *backfill.Transport) (*tokens, error) {
	if a.ID <= 0 {
		return nil, errors.New("apis.github: app.id is missing: the App's settings page shows it")
	}
	key, err := parseKey(a.PrivateKey)
	if err != nil {
		return nil, err
	}
	return &tokens{app: a, key: key, base: base, send: send}, nil
}

func parseKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("apis.github: app.private_key is no PEM key: use the file that GitHub gives on the App's settings page")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := any.(*rsa.PrivateKey)
	if err != nil || !ok {
		return nil, errors.New("apis.github: app.private_key is no RSA key")
	}
	return key, nil
}

// The App's own token: ten minutes at most, begun a minute ago for clocks that
// are behind.
const (
	appTokenBack = time.Minute
	appTokenLife = 8 * time.Minute
	renewBefore  = 5 * time.Minute
)

func (t *tokens) now() time.Time {
	if t.send.Clock != nil {
		return t.send.Clock.Now()
	}
	return time.Now()
}

// token returns what to sign r with: the installation's token, and the App's own
// for what only the App may ask.
func (t *tokens) token(r *http.Request) (string, error) {
	if isAppPath(r.URL.Path) {
		return t.own()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != "" && t.now().Before(t.expires.Add(-renewBefore)) {
		return t.current, nil
	}
	return t.renew(r.Context())
}

// renew gets a token of the installation. t.mu is held.
func (t *tokens) renew(ctx context.Context) (string, error) {
	if t.app.Installation == 0 {
		var all []struct {
			ID int64 `json:"id"`
		}
		if err := t.ask(ctx, http.MethodGet, "app/installations", &all); err != nil {
			return "", err
		}
		if len(all) != 1 {
			return "", fmt.Errorf("apis.github: the App has %d installations; say which in app.installation", len(all))
		}
		t.app.Installation = all[0].ID
	}
	var answer struct {
		Token     string    `json:"token"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := t.ask(ctx, http.MethodPost, fmt.Sprintf("app/installations/%d/access_tokens", t.app.Installation), &answer); err != nil {
		return "", err
	}
	t.current, t.expires = answer.Token, answer.ExpiresAt
	return t.current, nil
}

func (t *tokens) ask(ctx context.Context, method, path string, to any) error {
	own, err := t.own()
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(backfill.Repeatable(ctx), method, t.base.JoinPath(path).String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+own)
	r.Header.Set("Accept", "application/vnd.github+json")
	res, err := t.send.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("apis.github: sign in as the App: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("apis.github: sign in as the App: GitHub answered %d; check app.id, app.installation and the key", res.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(to); err != nil {
		return fmt.Errorf("apis.github: sign in as the App: %w", err)
	}
	return nil
}

// own is a JSON web token signed with the App's key (RS256).
func (t *tokens) own() (string, error) {
	part := func(v any) string {
		b, _ := json.Marshal(v) // maps of text and numbers
		return base64.RawURLEncoding.EncodeToString(b)
	}
	now := t.now()
	text := part(map[string]string{"alg": "RS256", "typ": "JWT"}) + "." + part(map[string]any{
		"iat": now.Add(-appTokenBack).Unix(), "exp": now.Add(appTokenLife).Unix(), "iss": fmt.Sprint(t.app.ID),
	})
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, t.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("apis.github: sign with the App's key: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
