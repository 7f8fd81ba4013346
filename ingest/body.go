package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// firstRead is how much of a body is believed to come before it has come. A
	// larger one gets its memory as it arrives, whatever its head promises.
	// Most deliveries are smaller; what a slow client holds is this.
	firstRead = 32 << 10

	// drainLimit and drainTime bound what is read and thrown away of a refused
	// request. A client that is still sending when its connection is closed often
	// sees a reset instead of the answer.
	drainLimit = 32 << 20
	drainTime  = 3 * time.Second
)

// mediaOf returns whether a request's body is a form, or a refusal.
func mediaOf(h http.Header) (form bool, _ *refusal) {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return false, refuse(http.StatusUnsupportedMediaType, "the body is compressed; send it as it is, for its signature is over the plain text")
	}
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter):
	case media == "application/x-www-form-urlencoded":
		return true, nil
	case media == "application/json", strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"):
		return false, nil
	}
	return false, refuse(http.StatusUnsupportedMediaType, "the content type is neither JSON nor a form; send application/json")
}

// readBody reads at most limit bytes. What is held is as much as has arrived; the
// caller gives it back with hold.release, whatever the outcome.
func readBody(w http.ResponseWriter, r *http.Request, limit int64, hold *holding) (body []byte, _ *refusal) {
	tooLarge := func() *refusal {
		return refuse(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than the %d MiB that this source may send", limit>>20))
	}
	if r.ContentLength > limit {
		return nil, tooLarge()
	}
	size := int64(firstRead)
	if r.ContentLength >= 0 {
		size = min(size, r.ContentLength+1) // one more, so that the end is seen
	}
	from := http.MaxBytesReader(w, r.Body, limit)
	for {
		if size > int64(cap(body)) {
			if !hold.grow(size) {
				return nil, unavailable("too many deliveries are being received at once; send this one again later")
			}
			body = append(make([]byte, 0, size), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		var large *http.MaxBytesError
		switch {
		case err == io.EOF:
			return body, nil
		case errors.As(err, &large):
			return nil, tooLarge()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, &refusal{status: http.StatusBadRequest, detail: "the body did not arrive in time; it is incomplete", cut: true}
		case err != nil:
			return nil, &refusal{status: http.StatusBadRequest, detail: "the body could not be read to its end; it is incomplete", cut: true}
		}
		if len(body) == cap(body) {
			size = min(2*size, limit+1)
		}
	}
}

// checkBody reports what is wrong with a body that is not what its content type
// says. Nesting is bounded by encoding/json, at 10,000.
func checkBody(body []byte, form bool) *refusal {
	text := body
	if form {
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return refuse(http.StatusBadRequest, "the body is not a form, as its content type says")
		}
		if !values.Has("payload") {
			return refuse(http.StatusBadRequest, "the form has no field payload")
		}
		text = []byte(values.Get("payload"))
	}
	if !json.Valid(text) {
		return refuse(http.StatusBadRequest, "the body is not JSON, or is nested too deeply")
	}
	return nil
}

// drain reads what a refused client still sends. One that waits for "100
// Continue" sends nothing until it is asked to.
func drain(r *http.Request, control *http.ResponseController) {
	if r.Header.Get("Expect") != "" || r.ContentLength == 0 {
		return
	}
	// The answer first: a client that looks for it early stops sending.
	if control.Flush() != nil || control.SetReadDeadline(time.Now().Add(drainTime)) != nil {
		return // cannot be bounded, so it is not done
	}
	io.CopyN(io.Discard, r.Body, drainLimit) // the answer is given, whatever comes
}
