package ingest

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// standardTolerance is how far the timestamp of a Standard Webhooks signature may
// lie from the wall clock; an older one may be somebody's recording.
const standardTolerance = 5 * time.Minute

// proof is what a request claims, read from its head before its body is.
type proof struct {
	hubs     []string // values of sha256= signatures
	standard *standardProof
	verified bool // the head alone was enough: bearer and url_token
}

type standardProof struct{ id, timestamp, signatures string }

// claim reads the proof of a request. A refusal says what is missing; it never
// repeats what was sent.
func (c SourceConfig) claim(r *http.Request, now time.Time) (proof, *refusal) {
	switch c.Verify {
	case VerifyBearer:
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return proof{}, unauthorized("the Authorization header holds no bearer token; send Authorization: Bearer and the source's secret")
		}
		if !c.tokenIs(strings.TrimSpace(token)) {
			return proof{}, unauthorized("the bearer token is not one of the source's secrets")
		}
		return proof{verified: true}, nil
	case VerifyToken:
		// Not r.URL.Query, which drops what it cannot read without a word.
		query, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil || query.Get("token") == "" {
			return proof{}, unauthorized("the address has no ?token=; append it with the source's secret")
		}
		if !c.tokenIs(query.Get("token")) {
			return proof{}, unauthorized("the token of the address is not one of the source's secrets")
		}
		return proof{verified: true}, nil
	}
	return c.claimHMAC(r, now)
}

func (c SourceConfig) claimHMAC(r *http.Request, now time.Time) (proof, *refusal) {
	var p proof
	names := []string{"X-Hub-Signature-256"}
	if c.Provider == "jira" {
		names = append(names, "X-Hub-Signature")
	}
	weak := false
	for _, name := range []string{"X-Hub-Signature-256", "X-Hub-Signature"} {
		for _, value := range r.Header.Values(name) {
			method, sum, _ := strings.Cut(value, "=")
			switch {
			case strings.EqualFold(method, "sha1"):
				weak = true
			case strings.EqualFold(method, "sha256") && (name == names[0] || len(names) == 2):
				p.hubs = append(p.hubs, sum)
			}
		}
	}
	if signatures := r.Header.Get("Webhook-Signature"); signatures != "" && SourceOf(c.Provider) == SourceOf("deploy") {
		s := standardProof{r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), signatures}
		seconds, err := strconv.ParseInt(s.timestamp, 10, 64)
		if err != nil || s.id == "" {
			return proof{}, unauthorized("a webhook-signature needs webhook-id and webhook-timestamp (seconds since 1970) beside it")
		}
		if age := now.Sub(time.Unix(seconds, 0)); age > standardTolerance || age < -standardTolerance {
			return proof{}, unauthorized("the webhook-timestamp is more than five minutes off; check the clock of the sender and of this server")
		}
		p.standard = &s
	}
	if len(p.hubs) == 0 && p.standard == nil {
		if weak {
			return proof{}, unauthorized("the only signature is a SHA-1 one, which is not accepted; send X-Hub-Signature-256")
		}
		return proof{}, unauthorized("there is no signature; set the source's secret on the other side, so that it sends " + names[len(names)-1] + ": sha256=...")
	}
	return p, nil
}

// verify reports whether p holds for the raw body. Every signature is compared
// with every secret, and each comparison takes the same time.
func (c SourceConfig) verify(p proof, body []byte) bool {
	ok := p.verified
	for _, secret := range c.Secrets {
		if len(p.hubs) > 0 {
			want := sum([]byte(secret), body)
			for _, hub := range p.hubs {
				got, err := hex.DecodeString(strings.TrimSpace(hub))
				ok = err == nil && hmac.Equal(got, want) || ok
			}
		}
		if s := p.standard; s != nil {
			key, _ := standardKey(secret) // validated at the start
			want := sum(key, []byte(s.id), []byte("."), []byte(s.timestamp), []byte("."), body)
			for signature := range strings.FieldsSeq(s.signatures) {
				version, text, _ := strings.Cut(signature, ",")
				got, err := base64.StdEncoding.DecodeString(text)
				ok = version == "v1" && err == nil && hmac.Equal(got, want) || ok
			}
		}
	}
	return ok
}

func sum(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// tokenIs compares digests, so that not even the length of a secret shows.
func (c SourceConfig) tokenIs(token string) bool {
	got := sha256.Sum256([]byte(token))
	same := 0
	for _, secret := range c.Secrets {
		want := sha256.Sum256([]byte(secret))
		same |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return same == 1
}

// standardKey is the key that a secret stands for in Standard Webhooks: whsec_
// and base64, or the text itself.
func standardKey(secret string) ([]byte, error) {
	if text, ok := strings.CutPrefix(secret, "whsec_"); ok {
		return base64.StdEncoding.DecodeString(text)
	}
	return []byte(secret), nil
}
