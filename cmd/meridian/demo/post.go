package demo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"

	"meridian/ingest"
	"meridian/streaming/timeline"
)

// message is one delivery on its way.
type message struct {
	received timeline.Millis
	place    int // among those received at the same time
	provider string
	name     string
	headers  map[string]string
	body     []byte
}

func (m *message) delivery() *ingest.Delivery {
	return &ingest.Delivery{Provider: m.provider, Name: m.name, Received: m.received, Headers: m.headers, Body: m.body}
}

func (m *message) compare(o *message) int {
	return cmp.Or(cmp.Compare(m.received, o.received), cmp.Compare(m.place, o.place))
}

// github tells of a fact at a time, through the hook of a repository (nil: the
// organisation's).
func (w *world) github(at timeline.Millis, r *repository, name string, payload any) {
	headers := map[string]string{
		"Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/2f0c8d1",
		"X-Github-Event": name, "X-Github-Delivery": w.guid(),
	}
	form := r != nil && r.form
	if form {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
	}
	w.post(at, message{provider: "github", name: hostingName, headers: headers}, payload, form, w.delay(at, r))
}

func (w *world) jira(at timeline.Millis, payload any) {
	w.post(at, message{provider: "jira", name: trackerName, headers: map[string]string{
		"Content-Type": "application/json; charset=UTF-8", "X-Atlassian-Webhook-Identifier": w.guid(),
	}}, payload, false, w.delay(at, nil))
}

func (w *world) ship(at timeline.Millis, payload any) {
	w.post(at, message{provider: "deploy", name: shipperName, headers: map[string]string{"Content-Type": "application/json"}},
		payload, false, w.delay(at, nil))
}

// post puts a message into the mail, and now and then once more.
func (w *world) post(at timeline.Millis, m message, payload any, form bool, delay timeline.Millis) {
	again := 0
	switch n := w.IntN(1000); {
	case n < 2:
		again = 2
	case n < 14:
		again = 1
	}
	m.received = at + delay
	w.put(m, payload, form)
	longest := 90 * timeline.Minute
	if w.live {
		longest = 3 * timeline.Minute
	}
	for range again {
		m.received += w.between(5*timeline.Second, longest)
		w.put(m, payload, form)
	}
}

func (w *world) put(m message, payload any, form bool) {
	if w.mute && m.received < w.now {
		return // Live wants what is still on its way only
	}
	m.place = w.places
	w.places++
	m.body = encode(payload, form)
	if w.live {
		i, _ := slices.BinarySearchFunc(w.out, &m, func(a message, b *message) int { return a.compare(b) })
		w.out = slices.Insert(w.out, i, m)
		return
	}
	w.out = append(w.out, m)
}

func encode(payload any, form bool) []byte {
	if text, ok := payload.(string); ok {
		return []byte(text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(payload); err != nil {
		panic(err) // the types of this package can be written
	}
	body := bytes.TrimSpace(b.Bytes())
	if form {
		return []byte("payload=" + url.QueryEscape(string(body)))
	}
	return body
}

// delay is how long a delivery is under way: a second or two; for some minutes, a
// few for days, and through an outage until it is over.
func (w *world) delay(at timeline.Millis, r *repository) timeline.Millis {
	if w.live {
		if w.chance(985) {
			return 0
		}
		return w.between(20*timeline.Second, 20*timeline.Minute)
	}
	d := w.between(300, 2_500)
	switch n := w.IntN(1000); {
	case n < 5:
		d = w.between(timeline.Hour, 3*timeline.Day)
	case n < 30:
		d = w.between(2*timeline.Minute, 40*timeline.Minute)
	}
	if r != nil && r.team.name == mobile && w.outage.Contains(at) {
		d = max(d, w.outage.End-at+w.between(0, 20*timeline.Minute))
	}
	return d
}
