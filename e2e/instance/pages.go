package instance

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"strings"
)

// A Reader is a person who has opened the link.
type Reader struct {
	in     *Instance
	client *http.Client
}

// SignIn opens the link.
func (in *Instance) SignIn() *Reader {
	in.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		in.t.Fatal(err)
	}
	r := &Reader{in, &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
	if _, err := r.get(in.Link); err != nil {
		in.t.Fatalf("open the link: %v", err)
	}
	return r
}

func (r *Reader) get(url string) (string, error) {
	res, err := r.client.Get(url)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %d", url, res.StatusCode)
	}
	return string(body), err
}

var (
	tags  = regexp.MustCompile(`<[^>]*>`)
	space = regexp.MustCompile(`[\s\x{a0}\x{2009}\x{202f}]+`)
)

// HTML is a page as it comes.
func (r *Reader) HTML(path string) string {
	r.in.t.Helper()
	body, err := r.get(r.in.URL + path)
	if err != nil {
		r.in.t.Fatal(err)
	}
	return body
}

// Page is the text of a page as a person reads it: without tags, with single spaces.
func (r *Reader) Page(path string) string {
	r.in.t.Helper()
	return strings.TrimSpace(space.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(r.HTML(path), " ")), " "))
}

// Events opens the stream that tells open pages of new rows; each of its events is sent to the channel, which is closed
// when the stream ends.
func (r *Reader) Events(ctx context.Context) <-chan string {
	r.in.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.in.URL+"/events", nil)
	if err != nil {
		r.in.t.Fatal(err)
	}
	res, err := r.client.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		r.in.t.Fatalf("open the stream: %v", err)
	}
	events := make(chan string, 1000)
	go func() {
		defer close(events)
		defer res.Body.Close()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				events <- name
			}
		}
	}()
	return events
}

// Moved tells the person that the instance has another address now. Cookies know hosts and no ports, so that the
// session goes along.
func (r *Reader) Moved(to *Instance) { r.in = to }
