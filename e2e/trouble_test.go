package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// crowd is how many connections are held open, where the machine has the descriptors for them.
const crowd = 10_000

// A held connection has sent the head of a signed delivery and a part of its body.
type held struct {
	conn net.Conn
	rest []byte
}

func hold(in *instance.Instance, from string, d senders.Delivery) (held, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Minute}
	conn, err := dialer.Dial("tcp", strings.TrimPrefix(in.URL, "http://"))
	if err != nil {
		return held{}, err
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST /webhooks/github/acme HTTP/1.1\r\nHost: meridian\r\nContent-Length: %d\r\n", len(d.Body))
	if err := d.Signed(instance.GitHubSecret).Write(&head); err != nil {
		return held{}, err
	}
	head.WriteString("\r\n")
	head.Write(d.Body[:10])
	_, err = conn.Write(head.Bytes())
	return held{conn, d.Body[10:]}, err
}

// finish sends the rest and returns the status of the answer.
func (h held) finish() (int, error) {
	defer h.conn.Close()
	_ = h.conn.SetDeadline(time.Now().Add(5 * time.Minute)) // a hang, and nothing else
	_, sent := h.conn.Write(h.rest)
	res, err := http.ReadResponse(bufio.NewReader(h.conn), nil)
	if err != nil {
		return 0, fmt.Errorf("%w (after sending: %v)", err, sent)
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// Ten thousand connections that have sent half a delivery, clients that send a byte a second, and somebody who floods
// the door with wrong signatures: who sends a right delivery meanwhile is answered as if they were not there, and each
// of the others has its own answer in the end.
func TestTrouble_TakesNothingFromOthers(t *testing.T) {
	n := crowd
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < crowd+4_000 {
		n = max(int(limit.Cur)-4_000, int(limit.Cur)/2) // the instance has the same limit, and needs some itself
		t.Logf("the limit of open files is %d: %d connections are held instead of %d", limit.Cur, n, crowd)
	}
	in := instance.Serve(t, instance.Config{Dir: filepath.Join(instance.Folder(t), "data"), More: "access_log: true"})
	in.AwaitParts()
	day := monday()
	opened := func(number int) senders.Delivery {
		return senders.PullRequest{Repository: senders.Web, Number: number, Author: senders.Mai, Created: at(day, "09:00")}.Opened()
	}

	// The crowd, from two addresses; the honest sender has a third.
	conns := make([]held, n)
	var group sync.WaitGroup
	began := time.Now()
	for worker := range 16 {
		group.Go(func() {
			for i := worker; i < n; i += 16 {
				h, err := hold(in, fmt.Sprintf("127.0.0.%d", 2+i%2), opened(100_000+i))
				if err != nil {
					t.Errorf("connection %d: %v", i, err)
					return
				}
				conns[i] = h
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d connections are open after %v", n, time.Since(began).Round(time.Millisecond))

	// Clients that send one byte a second, for as long as the test is busy with the others.
	stop := make(chan struct{})
	var slow sync.WaitGroup
	for i := range 50 {
		slow.Go(func() {
			h, err := hold(in, "127.0.0.5", opened(200_000+i))
			if err != nil {
				t.Errorf("a slow client: %v", err)
				return
			}
			defer h.conn.Close()
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for _, b := range h.rest {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				if _, err := h.conn.Write([]byte{b}); err != nil {
					return // it was told off, as it should be
				}
			}
		})
	}
	// Somebody who floods.
	var flooded, refused429, otherwise atomic.Int64
	flooder := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4, DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.6")}}).DialContext}}
	defer flooder.CloseIdleConnections()
	for range 4 {
		slow.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				d := opened(1)
				req, _ := http.NewRequest(http.MethodPost, in.URL+"/webhooks/github/acme?token=a-token-of-mine", bytes.NewReader(d.Body))
				req.Header = d.Signed("another secret")
				res, err := flooder.Do(req)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				flooded.Add(1)
				switch res.StatusCode {
				case http.StatusTooManyRequests:
					refused429.Add(1)
				case http.StatusUnauthorized:
				default:
					otherwise.Add(1)
				}
			}
		})
	}

	// 200 deliveries a second, signed right.
	const rate, seconds = 200, 4
	honest := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer honest.CloseIdleConnections()
	took := make([]time.Duration, rate*seconds)
	var sending sync.WaitGroup
	pace := time.NewTicker(time.Second / rate)
	defer pace.Stop()
	for i := range took {
		<-pace.C
		sending.Go(func() {
			d := opened(i + 10)
			req, _ := http.NewRequest(http.MethodPost, in.URL+"/webhooks/github/acme", bytes.NewReader(d.Body))
			req.Header = d.Signed(instance.GitHubSecret)
			sent := time.Now()
			res, err := honest.Do(req)
			if err != nil {
				t.Errorf("an honest delivery: %v", err)
				return
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			took[i] = time.Since(sent)
			if res.StatusCode != http.StatusAccepted {
				t.Errorf("an honest delivery was answered %d %s", res.StatusCode, body)
			}
		})
	}
	sending.Wait()
	if a, err := in.Ask(http.MethodGet, "/livez", nil, nil); err != nil || a.Status != 200 {
		t.Errorf("/livez: %d, %v", a.Status, err)
	}
	// The flood goes on until it is one, however slow the machine.
	instance.Await(t, func() error {
		if flooded.Load() < 100 || refused429.Load() == 0 {
			return fmt.Errorf("%d requests of a flood, %d of them answered 429", flooded.Load(), refused429.Load())
		}
		return nil
	})
	close(stop)
	slow.Wait()
	slices.Sort(took)
	t.Logf("beside them %d honest deliveries: p50 %v, p99 %v, most %v; %d requests of a flood, %d of them answered 429",
		len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1], flooded.Load(), refused429.Load())
	if otherwise.Load() > 0 {
		t.Errorf("%d requests of the flood were answered neither 401 nor 429", otherwise.Load())
	}

	// Each of the crowd is answered: accepted, or told that its body took too long.
	statuses := map[int]int{}
	var mu sync.Mutex
	for worker := range 16 {
		group.Go(func() {
			for i := worker; i < n; i += 16 {
				status, err := conns[i].finish()
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				if err != nil || status != 202 && status != 400 {
					t.Errorf("connection %d: %d, %v", i, status, err)
					return
				}
			}
		})
	}
	group.Wait()
	t.Logf("the crowd was answered %v", statuses)
	if statuses[202]+statuses[400] != n {
		t.Errorf("the crowd was answered %v", statuses)
	}

	var sources struct {
		Items []struct {
			Provider string
			Accepted int
			Refused  map[int]int
		}
	}
	body, err := in.Get("/api/v1/sources")
	if err == nil {
		err = json.Unmarshal(body, &sources)
	}
	if err != nil || len(sources.Items) == 0 || sources.Items[0].Accepted != len(took)+statuses[202] || sources.Items[0].Refused[503] != 0 {
		t.Errorf("counted as %+v, %v; want %d accepted", sources.Items, err, len(took)+statuses[202])
	}
	instance.Await(t, func() error { // what it says comes through a pipe
		if lines := strings.Count(in.Log(), "msg=webhook"); lines < len(took)+n {
			return fmt.Errorf("the log has %d lines of requests", lines)
		}
		return nil
	})
	log := in.Log()
	for _, secret := range []string{"a-token-of-mine", instance.GitHubSecret, "zebra"} {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}
