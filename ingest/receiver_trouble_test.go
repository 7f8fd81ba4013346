package ingest

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// from sends from one of loopback's addresses.
func from(address string) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}}
}

func post(t *testing.T, c *http.Client, address, body string, header map[string]string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequest("POST", address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		request.Header.Set(k, v)
	}
	response, err := c.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// A stranger who sends megabytes and never ends may hold a quarter of the memory.
// Everybody else sends as if nobody was there, and so does the stranger's own
// address once a delivery from it was right.
func TestAStrangersBodiesTakeNothingFromOthers(t *testing.T) {
	const memory = 8 << 20
	rc, _, server := serve(t, func(c *ReceiverConfig) { c.Memory = memory })
	stranger, _ := netip.ParseAddr("127.0.0.2")
	held := func() int64 {
		rc.memory.mu.Lock()
		defer rc.memory.mu.Unlock()
		return rc.memory.held[stranger]
	}
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.2")}}
	refusals := make(chan string, 64)
	for range 32 {
		conn, err := d.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		go func() {
			fmt.Fprintf(conn, "POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: %d\r\n\r\n", 1<<20)
			conn.Write(make([]byte, 1<<20-1)) // all but the last byte
			answer := make([]byte, 64)
			if n, _ := conn.Read(answer); n > 0 {
				refusals <- string(answer[:n])
			}
		}()
	}
	// 32 want a MiB each, of which there is room for two: most are refused.
	for range 20 {
		if answer := <-refusals; !strings.HasPrefix(answer, "HTTP/1.1 503") {
			t.Fatalf("the stranger is told %q", answer)
		}
	}
	if n := held(); n == 0 || n > memory/strangersShare {
		t.Errorf("a stranger holds %d bytes of %d", n, memory)
	}
	large := `{"do":"it","pad":"` + strings.Repeat("x", 3<<20) + `"}`
	right := jsonAnd("X-Hub-Signature-256", hub(newSecret, large))
	if status, answer := post(t, from("127.0.0.1"), server.URL+"/webhooks/github/acme", large, right); status != 503 {
		// Four MiB of buffer are more than a stranger may hold, whoever it is.
		t.Errorf("a large first delivery is answered %d %s", status, answer)
	}
	small := `{"do":"it"}`
	if status, answer := post(t, from("127.0.0.1"), server.URL+"/webhooks/github/acme", small, jsonAnd("X-Hub-Signature-256", hub(newSecret, small))); status != 202 {
		t.Errorf("another address is answered %d %s", status, answer)
	}
	if status, answer := post(t, from("127.0.0.1"), server.URL+"/webhooks/github/acme", large, right); status != 202 {
		t.Errorf("a large delivery from where one was right is answered %d %s", status, answer)
	}
	// Who shows a token first is no stranger.
	bearer := jsonAnd("Authorization", "Bearer "+newSecret)
	if status, answer := post(t, from("127.0.0.3"), server.URL+"/webhooks/argocd", large, bearer); status != 202 {
		t.Errorf("a large delivery with a token is answered %d %s", status, answer)
	}
}

func TestFamiliarsAreBounded(t *testing.T) {
	m := newBodyMemory(1 << 20)
	for i := range maxFamiliars + 100 {
		m.proved(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), wall)
	}
	if n := len(m.familiars); n > maxFamiliars {
		t.Errorf("%d addresses are remembered", n)
	}
	a := netip.AddrFrom4([4]byte{10, 9, 9, 9})
	m.proved(a, wall)
	if m.begin(a, false, wall.Add(familiarFor-1)).counted || !m.begin(a, false, wall.Add(familiarFor)).counted {
		t.Error("an address is familiar for an hour")
	}
}

// Each way to verify, with each of two secrets, with what is wrong, and with what
// is right for another way. Nothing of a secret is in an answer, in the log, in
// the source's status or in metrics.
func TestVerification_AllCombinations(t *testing.T) {
	const one, two, wrong = "f1rst-s3cret", "s3cond-s3cret", "wr0ng-s3cret"
	const body = `{"do":"it"}`
	type given struct {
		header map[string]string
		query  string
	}
	present := map[string]func(secret string) given{
		"hmac":          func(s string) given { return given{jsonAnd("X-Hub-Signature-256", hub(s, body)), ""} },
		"hmac, old":     func(s string) given { return given{jsonAnd("X-Hub-Signature", hub(s, body)), ""} },
		"sha1":          func(s string) given { return given{jsonAnd("X-Hub-Signature", hubSHA1(s, body)), ""} },
		"bearer":        func(s string) given { return given{jsonAnd("Authorization", "Bearer "+s), ""} },
		"bearer, lower": func(s string) given { return given{jsonAnd("Authorization", "bearer "+s), ""} },
		"basic":         func(s string) given { return given{jsonAnd("Authorization", "Basic "+s), ""} },
		"url_token":     func(s string) given { return given{jsonAnd(), "?token=" + s} },
		"token, spoilt": func(s string) given { return given{jsonAnd(), "?token=%zz" + s} },
		"nothing":       func(string) given { return given{jsonAnd(), ""} },
		"empty": func(string) given {
			return given{jsonAnd("Authorization", "Bearer ", "X-Hub-Signature-256", "sha256="), "?token="}
		},
	}
	right := map[Verify][]string{VerifyHMAC: {"hmac"}, VerifyBearer: {"bearer", "bearer, lower"}, VerifyToken: {"url_token"}}
	var logged bytes.Buffer
	registry := prometheus.NewRegistry()
	var sources []SourceConfig
	for _, v := range []Verify{VerifyHMAC, VerifyBearer, VerifyToken} {
		for _, provider := range []string{"github", "jira", "deploy", "argocd", "cdevents"} {
			sources = append(sources, SourceConfig{Provider: provider, Name: string(v), Verify: v, Secrets: []string{one, two}, Decoder: wordDecoder{}})
		}
	}
	moment := wall
	rc, _, server := serve(t, func(c *ReceiverConfig) {
		c.Sources, c.Metrics = sources, registry
		c.AccessLog = slog.New(slog.NewTextHandler(&logged, nil))
		c.Now = func() time.Time { moment = moment.Add(time.Minute); return moment } // so that nobody has failed too often
	})
	said := ""
	for _, s := range sources {
		for how, give := range present {
			for _, secret := range []string{one, two, wrong} {
				g := give(secret)
				want := 401
				for _, way := range right[s.Verify] {
					if way == how && secret != wrong {
						want = 202
					}
				}
				if s.Provider == "jira" && s.Verify == VerifyHMAC && how == "hmac, old" && secret != wrong {
					want = 202 // Jira Cloud has its own name for it
				}
				status, answer := post(t, http.DefaultClient, server.URL+"/webhooks/"+s.label()+g.query, body, g.header)
				if status != want {
					t.Errorf("%s with %s and %s: %d %s, want %d", s.label(), how, secret, status, answer, want)
				}
				said += answer
			}
		}
	}
	for _, status := range rc.Sources() {
		said += fmt.Sprintf("%+v", status)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	said += fmt.Sprint(families) + logged.String()
	for _, secret := range []string{one, two, wrong, hex.EncodeToString(sum([]byte(one), []byte(body))), "%zz"} {
		if strings.Contains(said, secret) {
			t.Errorf("%q is told or logged", secret)
		}
	}
	if n := strings.Count(logged.String(), "msg=webhook"); n != len(sources)*len(present)*3 {
		t.Errorf("%d lines of the log for %d requests", n, len(sources)*len(present)*3)
	}
	if !strings.Contains(logged.String(), "source=argocd/bearer status=202 delivery=") || !strings.Contains(logged.String(), "from=127.0.0.1") {
		t.Errorf("the log says %s", logged.String()[:400])
	}
}

// The log of requests has nothing that a stranger chose.
func TestAccessLogHoldsNothingThatWasSent(t *testing.T) {
	var logged bytes.Buffer
	_, _, server := serve(t, func(c *ReceiverConfig) { c.AccessLog = slog.New(slog.NewTextHandler(&logged, nil)) })
	for _, path := range []string{"/webhooks/zebra", "/webhooks/github/zebra?zebra=1", "/webhooks/jira/dc?token=zebra", "/webhooks/github/acme"} {
		post(t, http.DefaultClient, server.URL+path, `{"zebra":1}`, jsonAnd("User-Agent", "zebra", "X-Github-Event", "zebra", "X-Forwarded-For", "1.2.3.4"))
	}
	if text := logged.String(); strings.Contains(text, "zebra") || strings.Contains(text, "1.2.3.4") || strings.Count(text, "msg=webhook") != 4 {
		t.Errorf("logged:\n%s", text)
	}
}

// The log hangs for some, and each is answered by itself: nobody waits for
// another's append.
func TestAHangingLogIsAnsweredInTime(t *testing.T) {
	_, log, server := serve(t, func(c *ReceiverConfig) { c.AppendTimeout = 50 * time.Millisecond })
	log.hang = make(chan struct{})
	defer close(log.hang)
	const body = `{"do":"it"}`
	statuses := make(chan int, 50)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 50 {
		go func() {
			request, _ := http.NewRequestWithContext(ctx, "POST", server.URL+"/webhooks/github/acme", strings.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Hub-Signature-256", hub(newSecret, body))
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				statuses <- 0
				return
			}
			response.Body.Close()
			statuses <- response.StatusCode
		}()
	}
	for range 50 {
		if got := <-statuses; got != 503 {
			t.Fatalf("answered %d", got)
		}
	}
}
