package ingest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"meridian/ingest/event"
)

// memoryLog keeps what is appended. fail and hang, when set, are what it does instead.
type memoryLog struct {
	mu      sync.Mutex
	keys    []string
	entries []Entry
	fail    error
	hang    chan struct{} // Append returns when it is closed, whatever its context says
}

func (l *memoryLog) Append(_ context.Context, key string, e Entry) error {
	l.mu.Lock()
	hang, fail := l.hang, l.fail
	l.mu.Unlock()
	if hang != nil {
		<-hang
	}
	if fail != nil {
		return fail
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys, l.entries = append(l.keys, key), append(l.entries, e)
	return nil
}

func (l *memoryLog) last(t *testing.T) (string, *LoggedDelivery) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) == 0 {
		t.Fatal("nothing is on the log")
	}
	return l.keys[len(l.keys)-1], l.entries[len(l.entries)-1].Delivery
}

func (l *memoryLog) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}

// wordDecoder does what the field "do" of the body says.
type wordDecoder struct{}

func (wordDecoder) Decode(d Delivery) (Decoded, error) {
	text := d.Body
	if strings.HasPrefix(d.Header("Content-Type"), "application/x-www-form-urlencoded") {
		form, err := url.ParseQuery(string(d.Body))
		if err != nil {
			return Decoded{}, fmt.Errorf("%w: no form", ErrMalformed)
		}
		text = []byte(form.Get("payload"))
	}
	var body struct{ Do string }
	json.Unmarshal(text, &body)
	out := Decoded{Type: body.Do, Scope: d.Provider + "/42", Body: []byte(`{}`), Version: 3}
	switch body.Do {
	case "ping":
		out.Outcome = OutcomePing
	case "ignore":
		out.Outcome, out.Reason = OutcomeIgnored, "unknown type"
	case "cannot":
		out.Outcome, out.Reason, out.Scope = OutcomeUndecodable, "it has no time", ""
	case "panic":
		panic("oh")
	case "malformed":
		return Decoded{}, fmt.Errorf("%w: started_at is no time", ErrMalformed)
	default:
		out.Outcome = OutcomeAccepted
		out.Events = []event.Event{{ID: event.ID{1}, Source: SourceOf(d.Provider), Time: d.Received}}
	}
	return out, nil
}

const (
	oldSecret = "old-s3cret"
	newSecret = "new-s3cret"
	standard  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
)

var wall = time.Date(2026, 3, 2, 9, 0, 2, 5e6, time.UTC)

func testSources() []SourceConfig {
	return []SourceConfig{
		{Provider: "github", Name: "acme", Secrets: []string{oldSecret, newSecret}, Decoder: wordDecoder{}},
		{Provider: "jira", Name: "cloud", Secrets: []string{newSecret}, Decoder: wordDecoder{}},
		{Provider: "jira", Name: "dc", Secrets: []string{newSecret}, Verify: VerifyToken, Decoder: wordDecoder{}},
		{Provider: "deploy", Name: "ci", Secrets: []string{standard, newSecret}, Decoder: wordDecoder{}},
		{Provider: "argocd", Secrets: []string{newSecret}, Verify: VerifyBearer, Decoder: wordDecoder{}},
	}
}

// serve returns a receiver behind a real server on loopback.
func serve(t *testing.T, change func(*ReceiverConfig)) (*Receiver, *memoryLog, *httptest.Server) {
	t.Helper()
	log := &memoryLog{}
	c := ReceiverConfig{Sources: testSources(), Appender: log, Now: func() time.Time { return wall }}
	if change != nil {
		change(&c)
	}
	rc, err := NewReceiver(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(rc)
	t.Cleanup(server.Close)
	return rc, log, server
}

func hub(secret, body string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(h.Sum(nil))
}

func hubSHA1(secret, body string) string {
	h := hmac.New(sha1.New, []byte(secret))
	h.Write([]byte(body))
	return "sha1=" + hex.EncodeToString(h.Sum(nil))
}

// standardSignature signs as Standard Webhooks has it.
func standardSignature(id string, at time.Time, body string) map[string]string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(standard, "whsec_"))
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%d.%s", id, at.Unix(), body)
	return map[string]string{
		"webhook-id": id, "webhook-timestamp": fmt.Sprint(at.Unix()),
		"webhook-signature": "v1a,xyz v1," + base64.StdEncoding.EncodeToString(h.Sum(nil)),
	}
}

type reply struct {
	status int
	header http.Header
	body   string
	doc    map[string]any
}

func send(t *testing.T, method, address string, header map[string]string, body io.Reader) reply {
	t.Helper()
	request, err := http.NewRequest(method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		request.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	r := reply{response.StatusCode, response.Header, string(text), nil}
	if err := json.Unmarshal(text, &r.doc); err != nil {
		t.Fatalf("the answer %q is no JSON: %v", text, err)
	}
	return r
}

func jsonAnd(more ...string) map[string]string {
	h := map[string]string{"Content-Type": "application/json"}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = more[i+1]
	}
	return h
}

func merge(a, b map[string]string) map[string]string {
	for k, v := range b {
		a[k] = v
	}
	return a
}

func TestAnswers(t *testing.T) {
	_, log, server := serve(t, nil)
	const good = `{"do":"it"}`
	form := "payload=" + url.QueryEscape(good)
	signed := func(body string) map[string]string {
		return jsonAnd("X-Hub-Signature-256", hub(newSecret, body))
	}
	for _, test := range []struct {
		name, path, body string
		header           map[string]string
		status           int
		says             string // status of a 202, a part of the detail of others
	}{
		{"accepted", "/webhooks/github/acme", good, signed(good), 202, "accepted"},
		{"the other secret", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature-256", hub(oldSecret, good)), 202, "accepted"},
		{"the only source of a provider has no need of its name", "/webhooks/github", good, signed(good), 202, "accepted"},
		{"a charset changes nothing", "/webhooks/github", good, merge(signed(good), map[string]string{"Content-Type": "application/json; charset=utf-8"}), 202, "accepted"},
		{"a ping", "/webhooks/github/acme", `{"do":"ping"}`, signed(`{"do":"ping"}`), 202, "ping"},
		{"an unknown type", "/webhooks/github/acme", `{"do":"ignore"}`, signed(`{"do":"ignore"}`), 202, "ignored"},
		{"what cannot be decoded is kept", "/webhooks/github/acme", `{"do":"cannot"}`, signed(`{"do":"cannot"}`), 202, "accepted"},
		{"what the decoder cannot stand is kept", "/webhooks/github/acme", `{"do":"panic"}`, signed(`{"do":"panic"}`), 202, "accepted"},
		{"a form", "/webhooks/github/acme", form, merge(signed(form), map[string]string{"Content-Type": "application/x-www-form-urlencoded"}), 202, "accepted"},
		{"Jira's header", "/webhooks/jira/cloud", good, jsonAnd("X-Hub-Signature", hub(newSecret, good)), 202, "accepted"},
		{"GitHub's header at Jira", "/webhooks/jira/cloud", good, signed(good), 202, "accepted"},
		{"a token in the address", "/webhooks/jira/dc?token=" + newSecret, good, jsonAnd(), 202, "accepted"},
		{"a bearer", "/webhooks/argocd", good, jsonAnd("Authorization", "bearer "+newSecret), 202, "accepted"},
		{"a generic source signs as GitHub does", "/webhooks/deploy/ci", good, signed(good), 202, "accepted"},
		{"or as Standard Webhooks has it", "/webhooks/deploy/ci", good, merge(jsonAnd(), standardSignature("msg_1", wall.Add(-299*time.Second), good)), 202, "accepted"},
		{"CloudEvents are JSON", "/webhooks/deploy/ci", good, merge(signed(good), map[string]string{"Content-Type": "application/cloudevents+json"}), 202, "accepted"},

		{"not JSON", "/webhooks/github/acme", "{", signed("{"), 400, "not JSON"},
		{"an empty body", "/webhooks/github/acme", "", signed(""), 400, "not JSON"},
		{"a JSON bomb", "/webhooks/github/acme", strings.Repeat("[", 5<<20), signed(strings.Repeat("[", 5<<20)), 400, "nested too deeply"},
		{"not a form", "/webhooks/github/acme", "payload=%zz", merge(signed("payload=%zz"), map[string]string{"Content-Type": "application/x-www-form-urlencoded"}), 400, "not a form"},
		{"a form of something else", "/webhooks/github/acme", "a=b", merge(signed("a=b"), map[string]string{"Content-Type": "application/x-www-form-urlencoded"}), 400, "no field payload"},
		{"a malformed generic deployment", "/webhooks/deploy/ci", `{"do":"malformed"}`, signed(`{"do":"malformed"}`), 400, "started_at"},

		{"no signature", "/webhooks/github/acme", good, jsonAnd(), 401, "no signature"},
		{"a wrong signature", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature-256", hub("guess", good)), 401, "no signature is right"},
		{"a signature of another body", "/webhooks/github/acme", good, signed(good + " "), 401, "no signature is right"},
		{"half a signature", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature-256", hub(newSecret, good)[:40]), 401, "no signature is right"},
		{"no hex", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature-256", "sha256=zz"), 401, "no signature is right"},
		{"SHA-1 alone", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature", hubSHA1(newSecret, good)), 401, "SHA-1"},
		{"SHA-1 alone at Jira", "/webhooks/jira/cloud", good, jsonAnd("X-Hub-Signature", hubSHA1(newSecret, good)), 401, "SHA-1"},
		{"SHA-256 in the old header is Jira's alone", "/webhooks/github/acme", good, jsonAnd("X-Hub-Signature", hub(newSecret, good)), 401, "no signature"},
		{"a stale signature", "/webhooks/deploy/ci", good, merge(jsonAnd(), standardSignature("msg_1", wall.Add(-301*time.Second), good)), 401, "five minutes"},
		{"a signature from tomorrow", "/webhooks/deploy/ci", good, merge(jsonAnd(), standardSignature("msg_1", wall.Add(24*time.Hour), good)), 401, "five minutes"},
		{"Standard Webhooks are no GitHub", "/webhooks/github/acme", good, merge(jsonAnd(), standardSignature("msg_1", wall, good)), 401, "no signature"},
		{"no timestamp", "/webhooks/deploy/ci", good, jsonAnd("webhook-id", "1", "webhook-signature", "v1,x"), 401, "webhook-timestamp"},
		{"no token", "/webhooks/jira/dc", good, jsonAnd(), 401, "?token="},
		{"a wrong token", "/webhooks/jira/dc?token=guess", good, jsonAnd(), 401, "token"},
		{"a signature does not stand for a token", "/webhooks/jira/dc", good, signed(good), 401, "?token="},
		{"no bearer", "/webhooks/argocd", good, jsonAnd(), 401, "bearer"},
		{"a wrong bearer", "/webhooks/argocd", good, jsonAnd("Authorization", "Bearer guess"), 401, "bearer"},

		{"no such provider", "/webhooks/gitlab", good, signed(good), 404, "no such source"},
		{"no such name", "/webhooks/github/other", good, signed(good), 404, "no such source"},
		{"too long a path", "/webhooks/github/acme/more", good, signed(good), 404, "no such source"},
		{"several, and none named", "/webhooks/jira", good, signed(good), 404, "several sources"},

		{"text", "/webhooks/github/acme", good, merge(signed(good), map[string]string{"Content-Type": "text/plain"}), 415, "neither JSON nor a form"},
		{"no type", "/webhooks/github/acme", good, map[string]string{"X-Hub-Signature-256": hub(newSecret, good)}, 415, "neither JSON nor a form"},
		{"compressed", "/webhooks/github/acme", good, merge(signed(good), map[string]string{"Content-Encoding": "gzip"}), 415, "compressed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := log.len()
			got := send(t, "POST", server.URL+test.path, test.header, strings.NewReader(test.body))
			if got.status != test.status {
				t.Fatalf("answered %d %s, want %d", got.status, got.body, test.status)
			}
			if strings.Contains(got.body, newSecret) || strings.Contains(got.body, oldSecret) {
				t.Errorf("the answer tells a secret: %s", got.body)
			}
			if test.status == 202 {
				id, _ := got.doc["delivery"].(string)
				if got.doc["status"] != test.says || len(id) != 32 || len(got.doc) != 2 {
					t.Errorf("answered %s", got.body)
				}
				if media := got.header.Get("Content-Type"); media != "application/json" {
					t.Errorf("of type %q", media)
				}
				if _, d := log.last(t); d.ID != id || log.len() != before+1 {
					t.Errorf("%d records, the last has id %q; answered %q", log.len()-before, d.ID, id)
				}
				return
			}
			if log.len() != before {
				t.Error("it was refused and is on the log")
			}
			if media := got.header.Get("Content-Type"); media != "application/problem+json" {
				t.Errorf("of type %q", media)
			}
			if detail, _ := got.doc["detail"].(string); !strings.Contains(detail, test.says) {
				t.Errorf("says %q, want something of %q", detail, test.says)
			}
			if got.doc["type"] != "about:blank" || got.doc["status"] != float64(test.status) || got.doc["title"] != http.StatusText(test.status) {
				t.Errorf("answered %s", got.body)
			}
		})
	}
}

func TestOnlyPost(t *testing.T) {
	_, log, server := serve(t, nil)
	for _, method := range []string{"GET", "PUT", "DELETE", "OPTIONS"} {
		got := send(t, method, server.URL+"/webhooks/github/acme", jsonAnd(), nil)
		if got.status != 405 || got.header.Get("Allow") != "POST" || got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %v", method, got.status, got.header)
		}
	}
	if got := send(t, "GET", server.URL+"/webhooks/github/other", nil, nil); got.status != 404 {
		t.Errorf("GET of no source: %d", got.status)
	}
	if log.len() != 0 {
		t.Error("something is on the log")
	}
}

func TestWhatIsOnTheLog(t *testing.T) {
	var told []*LoggedDelivery
	_, log, server := serve(t, func(c *ReceiverConfig) { c.Appended = func(d *LoggedDelivery) { told = append(told, d) } })
	const body = `{"do":"it"}`
	header := jsonAnd("X-Hub-Signature-256", hub(newSecret, body), "X-GitHub-Event", "push", "X-GitHub-Delivery", "72d3162e", "Authorization", "Bearer other", "Cookie", "a=b")
	send(t, "POST", server.URL+"/webhooks/github/acme", header, strings.NewReader(body))
	key, d := log.last(t)
	want := &LoggedDelivery{
		ID: d.ID,
		Delivery: Delivery{
			Provider: "github", Name: "acme", Received: 1_772_442_002_005, Kept: true, Body: []byte(`{}`),
			Headers: map[string]string{"Content-Type": "application/json", "X-Github-Event": "push", "X-Github-Delivery": "72d3162e"},
		},
		Outcome: OutcomeAccepted, Type: "it", Decoder: 3,
		Events: []event.Event{{ID: event.ID{1}, Source: event.GitHub, Time: 1_772_442_002_005}},
	}
	if key != "github/42" || !reflect.DeepEqual(d, want) {
		t.Errorf("key %q, %+v\nwant %+v", key, d, want)
	}
	if len(told) != 1 || told[0] != d {
		t.Errorf("Appended was told %v", told)
	}

	for _, test := range []struct{ body, reason, kept string }{
		{`{"do":"cannot"}`, "it has no time", `{}`},
		{`{"do":"panic"}`, "the decoder failed on it; this is a fault of Meridian, please report it", `{"do":""}`},
	} {
		send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub(newSecret, test.body)), strings.NewReader(test.body))
		key, d := log.last(t)
		if key != "github/acme" || d.Outcome != OutcomeUndecodable || d.Reason != test.reason || string(d.Delivery.Body) != test.kept || d.Delivery.Kept != (test.kept == `{}`) {
			t.Errorf("%s: key %q, %+v", test.body, key, d)
		}
	}
}

// zeros is n bytes, of unknown length to the client.
type zeros struct{ n int }

func (z *zeros) Read(p []byte) (int, error) {
	if z.n == 0 {
		return 0, io.EOF
	}
	n := min(z.n, len(p))
	clear(p[:n])
	z.n -= n
	return n, nil
}

func TestTooLarge(t *testing.T) {
	_, log, server := serve(t, nil)
	post := func(path string, body io.Reader) reply {
		return send(t, "POST", server.URL+path, jsonAnd("X-Hub-Signature-256", hub(newSecret, "")), body)
	}
	for name, body := range map[string]io.Reader{
		"announced":   bytes.NewReader(make([]byte, 26<<20)),
		"unannounced": &zeros{26 << 20},
	} {
		if got := post("/webhooks/github/acme", body); got.status != 413 || !strings.Contains(got.body, "25 MiB") {
			t.Errorf("26 MB of zeros, %s: %d %s", name, got.status, got.body)
		}
	}
	if got := post("/webhooks/jira/cloud", &zeros{10<<20 + 1}); got.status != 413 || !strings.Contains(got.body, "10 MiB") {
		t.Errorf("Jira: %d %s", got.status, got.body)
	}
	// The limit itself is allowed: this fails for its signature.
	if got := post("/webhooks/jira/cloud", &zeros{10 << 20}); got.status != 401 {
		t.Errorf("exactly the limit: %d %s", got.status, got.body)
	}
	log.fail = fmt.Errorf("append: %w", ErrTooLarge)
	if got := send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub(newSecret, `{}`)), strings.NewReader(`{}`)); got.status != 413 {
		t.Errorf("too large for the log: %d %s", got.status, got.body)
	}
}

func TestUnavailable(t *testing.T) {
	const body = `{"do":"it"}`
	post := func(t *testing.T, server *httptest.Server) reply {
		return send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub(newSecret, body)), strings.NewReader(body))
	}
	check := func(t *testing.T, got reply) {
		t.Helper()
		if got.status != 503 || got.header.Get("Retry-After") != "10" || got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	}
	t.Run("the log fails", func(t *testing.T) {
		_, log, server := serve(t, nil)
		log.fail = errors.New("no leader")
		check(t, post(t, server))
	})
	t.Run("the log hangs and heeds no deadline", func(t *testing.T) {
		rc, log, server := serve(t, func(c *ReceiverConfig) { c.AppendTimeout, c.Memory = 20*time.Millisecond, 2*firstRead })
		log.hang = make(chan struct{})
		check(t, post(t, server))
		// What it holds is not given back before it lets go.
		if rc.memory.all.TryAcquire(2 * firstRead) {
			t.Error("the memory of a delivery that the log still holds was given back")
		}
		close(log.hang)
		if err := rc.memory.all.Acquire(t.Context(), 2*firstRead); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("by default within five seconds", func(t *testing.T) {
		rc, _, _ := serve(t, nil)
		if rc.config.AppendTimeout > 4500*time.Millisecond {
			t.Errorf("the log may take %s", rc.config.AppendTimeout)
		}
	})
	t.Run("too much at once", func(t *testing.T) {
		_, _, server := serve(t, func(c *ReceiverConfig) { c.Memory = 8 })
		check(t, post(t, server))
	})
}

// A sender that hangs up after its last byte has sent a whole delivery.
func TestHangingUpLosesNothing(t *testing.T) {
	appended := make(chan struct{}, 1)
	_, log, server := serve(t, func(c *ReceiverConfig) { c.Appended = func(*LoggedDelivery) { appended <- struct{}{} } })
	log.hang = make(chan struct{})
	const body = `{"do":"it"}`
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Hub-Signature-256: %s\r\nContent-Length: %d\r\n\r\n%s", hub(newSecret, body), len(body), body)
	conn.Close()
	close(log.hang)
	<-appended
	if _, d := log.last(t); d.Type != "it" {
		t.Errorf("%+v", d)
	}
}

func TestSlowClient(t *testing.T) {
	_, _, server := serve(t, func(c *ReceiverConfig) { c.ReadTimeout = 20 * time.Millisecond })
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Hub-Signature-256: %s\r\nContent-Length: 100\r\n\r\n{", hub(newSecret, "{"))
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "did not arrive in time") {
		t.Errorf("%v\n%s", err, answer)
	}
}

func TestRepeatedFailures(t *testing.T) {
	now := wall
	rc, _, server := serve(t, func(c *ReceiverConfig) {
		c.Now = func() time.Time { return now }
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	const body = `{"do":"it"}`
	wrong := func(from string) reply {
		return send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub("guess", body), "X-Forwarded-For", from), strings.NewReader(body))
	}
	for i := range failureBurst {
		if got := wrong("203.0.113.7"); got.status != 401 {
			t.Fatalf("failure %d: %d", i+1, got.status)
		}
	}
	got := wrong("203.0.113.7")
	if got.status != 429 || got.header.Get("Retry-After") != "2" || got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("one more: %d %v", got.status, got.header)
	}
	if got := wrong("203.0.113.8"); got.status != 401 {
		t.Errorf("somebody else: %d", got.status)
	}
	good := send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub(newSecret, body), "X-Forwarded-For", "203.0.113.7"), strings.NewReader(body))
	if good.status != 202 {
		t.Errorf("signed traffic from the same address: %d %s", good.status, good.body)
	}
	now = now.Add(failureEvery)
	if got := wrong("203.0.113.7"); got.status != 401 {
		t.Errorf("two seconds later: %d", got.status)
	}
	if refused := rc.Sources()[0].Refused; refused[401] != failureBurst+2 || refused[429] != 1 {
		t.Errorf("counted %v", refused)
	}
}

func TestFailuresRememberNoMoreThanTheyMay(t *testing.T) {
	f := newFailures()
	for i := range 3 * maxAddresses {
		a := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		f.tooMany(a, wall)
		if len(f.addresses) > maxAddresses {
			t.Fatalf("%d addresses are remembered", len(f.addresses))
		}
	}
	f.tooMany(netip.MustParseAddr("192.0.2.1"), wall.Add(time.Hour))
	if len(f.addresses) != 1 {
		t.Errorf("an hour later %d addresses are remembered, want the one", len(f.addresses))
	}
}

func TestAddressOf(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct{ peer, forwarded, want string }{
		{"203.0.113.7:1", "", "203.0.113.7"},
		{"203.0.113.7:1", "1.2.3.4", "203.0.113.7"}, // whoever it is may write what it likes
		{"10.0.0.1:1", "1.2.3.4", "1.2.3.4"},
		{"10.0.0.1:1", "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"},
		{"10.0.0.1:1", "", "10.0.0.1"},
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},
		{"[2001:db8:1:2:3:4:5:6]:1", "", "2001:db8:1:2::"},
		{"[::ffff:203.0.113.7]:1", "", "203.0.113.7"},
	} {
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{}}
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := addressOf(r, trusted); got.String() != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestSourcesThatDoNotStart(t *testing.T) {
	_, err := NewReceiver(ReceiverConfig{Sources: []SourceConfig{
		{Provider: "github", Name: "acme", Decoder: wordDecoder{}},
		{Provider: "jira", Name: "c/d", Secrets: []string{"", "whsec_$$$"}, Verify: "md5"},
		{Provider: "gitlab", Secrets: []string{"s"}, Decoder: wordDecoder{}},
		{Provider: "deploy", Name: "ci", Secrets: []string{"whsec_$$$"}, Decoder: wordDecoder{}},
		{Provider: "deploy", Name: "ci", Secrets: []string{"s"}, Decoder: wordDecoder{}},
	}})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"receiver: there is nowhere to append to",
		"source github/acme: it has no secret, so anybody could send it deliveries; set secrets to what the other side signs with",
		"source jira/c/d: its name is part of a path; use letters, digits, dots, dashes and underscores, at most 63",
		"source jira/c/d: secret 1 is empty, so anybody could sign; set it or take it out",
		`source jira/c/d: verify is "md5"; use hmac, bearer or url_token`,
		"source jira/c/d: there is no decoder",
		"source gitlab: the provider is none of github, jira, deploy, argocd and cdevents",
		"source deploy/ci: secret 1 begins with whsec_ and what follows is not base64; copy it again",
		"source deploy/ci: there are two of this name",
	}
	if got := strings.Split(err.Error(), "\n"); !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", err, strings.Join(want, "\n"))
	}
}

func TestStatusAndMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	now := wall
	rc, _, server := serve(t, func(c *ReceiverConfig) {
		c.Metrics, c.Now = registry, func() time.Time { return now }
	})
	post := func(body string) {
		send(t, "POST", server.URL+"/webhooks/github/acme", jsonAnd("X-Hub-Signature-256", hub(newSecret, body)), strings.NewReader(body))
	}
	post(`{"do":"it"}`)
	post(`{"do":"ping"}`)
	now = now.Add(2 * time.Minute)
	post(`{"do":"ignore"}`)
	post(`{`)
	post(`{"do":"cannot"}`)
	want := SourceStatus{
		Provider: "github", Name: "acme", Path: "/webhooks/github/acme", Verify: VerifyHMAC, Source: event.GitHub,
		Last: 1_772_442_122_005, LastType: "cannot", Accepted: 1, Ignored: 1, Pings: 1, Undecoded: 1,
		Refused: map[int]int64{400: 1}, PerMinute: make([]int64, 60),
		LastError: "it could not be decoded: it has no time", LastFailed: 1_772_442_122_005,
		Taken: 1_772_442_122_005, Trouble: 1_772_442_122_005, Why: "it could not be decoded: it has no time",
		Unread: map[string]int64{"ignore": 1},
	}
	want.PerMinute[57], want.PerMinute[59] = 2, 2
	if got := rc.Sources()[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	now = now.Add(90 * time.Minute)
	if got := rc.Sources()[0].PerMinute; !reflect.DeepEqual(got, make([]int64, 60)) {
		t.Errorf("90 minutes later: %v", got)
	}
	if path := rc.Sources()[4].Path; path != "/webhooks/argocd" {
		t.Errorf("a source without a name is at %s", path)
	}

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "code" || label.GetName() == "outcome" {
					counts[family.GetName()+" "+label.GetValue()] = m.GetCounter().GetValue()
				}
			}
		}
	}
	if fmt.Sprint(counts) != "map[meridian_webhook_deliveries_total accepted:1 meridian_webhook_deliveries_total ignored:1 meridian_webhook_deliveries_total ping:1 meridian_webhook_deliveries_total undecodable:1 meridian_webhook_requests_total 202:4 meridian_webhook_requests_total 400:1]" {
		t.Errorf("metrics: %v", counts)
	}
}

// Anybody can send a request that is refused, and it must not look as if the
// source had failed.
func TestStatus_TellsStrangersFromTheSource(t *testing.T) {
	rc, _, server := serve(t, nil)
	address := server.URL + "/webhooks/github/acme"
	post := func(body, signature string) {
		send(t, "POST", address, jsonAnd("X-Hub-Signature-256", signature), strings.NewReader(body))
	}
	post(`{"do":"it"}`, hub(newSecret, `{"do":"it"}`))
	send(t, "GET", address, nil, nil)
	send(t, "POST", address, map[string]string{"Content-Type": "text/plain"}, strings.NewReader("x"))
	post(`{"do":"it"}`, "sha256=00")
	post(`{`, "sha256=00")
	if got := rc.Sources()[0]; got.Trouble != 0 || got.Why != "" || got.Unsigned != 2 || got.LastError == "" {
		t.Errorf("after strangers %+v", got)
	}
	post(`{"do":"it"}`, hub(newSecret, `{"do":"it"}`))
	if got := rc.Sources()[0]; got.Unsigned != 0 || got.Taken == 0 {
		t.Errorf("after a delivery %+v", got)
	}
	post(`{`, hub(newSecret, `{`))
	if got := rc.Sources()[0]; got.Trouble == 0 || !strings.Contains(got.Why, "not JSON") {
		t.Errorf("after a damaged one of its own %+v", got)
	}
}
