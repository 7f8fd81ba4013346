package senders

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A Delivery is one webhook before it is signed.
type Delivery struct {
	Provider string // github, jira, deploy
	Headers  map[string]string
	Body     []byte
}

// Signature is `sha256=` and the HMAC of the body in hex.
func Signature(secret string, body []byte) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write(body)
	return "sha256=" + hex.EncodeToString(h.Sum(nil))
}

// Signed returns the headers with which the delivery is sent.
func (d Delivery) Signed(secret string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	for name, value := range d.Headers {
		h.Set(name, value)
	}
	name := "X-Hub-Signature-256"
	if d.Provider == "jira" {
		name = "X-Hub-Signature"
	}
	h.Set(name, Signature(secret, d.Body))
	return h
}

// Line is the delivery as a line of an archive.
func (d Delivery) Line(received time.Time) string {
	headers := map[string]string{"Content-Type": "application/json"}
	for name, value := range d.Headers {
		headers[name] = value
	}
	line, err := json.Marshal(map[string]any{
		"source": d.Provider, "received": received.UTC().Format(time.RFC3339Nano), "headers": headers, "body": string(d.Body),
	})
	if err != nil {
		panic(err) // strings marshal
	}
	return string(line) + "\n"
}

// Tick is a tick as a line of an archive.
func Tick(at time.Time) string {
	return fmt.Sprintf("{\"tick\": %q}\n", at.UTC().Format(time.RFC3339Nano))
}

// object is a JSON object.
type object = map[string]any

func body(o object) []byte {
	data, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings, numbers, lists and objects marshal
	}
	return data
}

func instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
