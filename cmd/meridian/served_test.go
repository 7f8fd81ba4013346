package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/storage/embedded"
	"meridian/storage/embedded/embeddedtest"
	"meridian/streaming/kafka"
)

func TestMain(m *testing.M) {
	if os.Getenv(asMeridian) != "" {
		beMeridian()
	}
	if len(os.Args) > 1 && os.Args[1] == "chdb-child" { // of an instance that a test runs in this process
		os.Exit(embedded.Main(os.Args[2:]))
	}
	if os.Getenv(childConfig) != "" {
		os.Exit(asChild())
	}
	os.Exit(embeddedtest.Main(m))
}

// With kafka.brokers and clickhouse.dsn an instance starts neither of its own,
// and a delivery becomes a number all the same. The broker and the database are
// those that are embedded elsewhere, reached over TCP with a password, as servers
// would be.
func TestServe_OnBrokersAndADatabaseOfOnesOwn(t *testing.T) {
	broker, err := kafka.StartBroker(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	database := embeddedtest.Config(t, t.TempDir())
	database.TCP = "127.0.0.1:0"
	clickhouse := embeddedtest.Run(t, database)

	dir := filepath.Join(t.TempDir(), "data")
	login := broker.Config("")
	config := filepath.Join(t.TempDir(), "meridian.yaml")
	text := fmt.Sprintf(`listen: 127.0.0.1:0
data_dir: %s
webhook_listen: %s
sources: {deploy: [{name: ci, secrets: [zebra]}]}
kafka: {brokers: [%q], topic_prefix: acme, sasl: {mechanism: plain, username: %s, password: %q}}
clickhouse: {dsn: "http://%s/meridian"}
`, dir, freeAddress(t), login.Brokers[0], login.SASL.User, login.SASL.Password, clickhouse.Addr())
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := (&app{configFile: config}).config(nil)
	if err != nil {
		t.Fatal(err)
	}

	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--config", config}, streams{in: bytes.NewReader(nil), out: io.Discard, err: outputOf(t)})
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("exit code %d at the end", code)
		}
	})

	finished := time.Now().UTC().Truncate(time.Second)
	body := fmt.Appendf(nil, `{"id": "run-1", "service": "checkout", "environment": "production", "status": "success", "finished_at": %q}`, finished.Format(time.RFC3339))
	await(t, ended, func() error { return deliver("http://"+loaded.WebhookListen+"/webhooks/deploy/ci", "zebra", body) })
	socket := filepath.Join(dir, adminSocket)
	await(t, ended, func() error {
		points, err := pointsOver(socket, "metric=deploy_frequency&team=checkout&grain=hour&service=")
		if err != nil {
			return err
		}
		for _, p := range points {
			if p.N == 1 && p.Version != "0" {
				return nil
			}
		}
		return fmt.Errorf("no deployment in %d points", len(points))
	})

	for _, own := range []string{"kafka", "clickhouse"} {
		if _, err := os.Stat(filepath.Join(dir, own)); !os.IsNotExist(err) {
			t.Errorf("it made a %s of its own: %v", own, err)
		}
	}
	bounds, err := kafka.Offsets(t.Context(), broker.Config("acme"), "acme.deliveries")
	if err != nil || len(bounds) != kafka.ServedDeliveries {
		t.Errorf("deliveries have %d partitions, %v; want %d", len(bounds), err, kafka.ServedDeliveries)
	}

	// Another instance, on topics of its own, is kept off the first one's tables.
	other := filepath.Join(t.TempDir(), "other.yaml")
	text = strings.NewReplacer(dir, dir+"-of-another", "topic_prefix: acme", "topic_prefix: another", loaded.WebhookListen, freeAddress(t)).Replace(text)
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	code := run(t.Context(), []string{"serve", "--config", other}, streams{in: bytes.NewReader(nil), out: io.Discard, err: &said})
	if code != exitConfig || !strings.Contains(said.String(), "has the tables of one instance; name another database") {
		t.Errorf("another instance on the same database ends with exit code %d: %s", code, said.String())
	}
}

// hang is how long nothing takes, on a machine that is busy with much else either.
const hang = 4 * time.Minute

// await calls try until it succeeds, or the server has ended.
func await(t testing.TB, ended chan int, try func() error) {
	t.Helper()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	hang := time.After(hang)
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case code := <-ended:
			ended <- code // the cleanup takes it again
			t.Fatalf("the server ended with exit code %d; last: %v", code, err)
		case <-hang:
			t.Fatal(err)
		case <-again.C:
		}
	}
}

func deliver(url, secret string, body []byte) error {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		return fmt.Errorf("the webhook was answered %s", res.Status)
	}
	return nil
}

func pointsOver(socket, query string) ([]metrics.PointJSON, error) {
	res, err := overSocket(socket).Get("http://localhost/api/v1/points?" + query)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var answer struct {
		Points []metrics.PointJSON `json:"points"`
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the points were answered %s", res.Status)
	}
	err = json.NewDecoder(res.Body).Decode(&answer)
	return answer.Points, err
}

// freeAddress is an address that nobody else is given: between its choice and its use
// another process, or a connection that goes out, may take a port of 127.0.0.1. So it
// has a loopback address of this process's own, where the system has more than one.
func freeAddress(t testing.TB) string {
	t.Helper()
	for {
		pid := os.Getpid()
		own := net.IPv4(127, byte(64+pid>>16&63), byte(pid>>8), byte(pid)).String()
		l, err := net.Listen("tcp", net.JoinHostPort(own, "0"))
		if err != nil {
			l, err = net.Listen("tcp", "127.0.0.1:0")
		}
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, given := freeAddresses.LoadOrStore(address, true); !given {
			return address
		}
	}
}

var freeAddresses sync.Map // that were given

// overSocket asks over an admin socket.
func overSocket(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
}
