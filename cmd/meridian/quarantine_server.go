package main

import (
	"context"
	"errors"
	"meridian/storage"
	"net/http"
	"strconv"
	"time"

	"meridian/ingest"
)

// quarantineList is the answer of GET /quarantine.
type quarantineList struct {
	Items []quarantined `json:"items"`
	Next  *string       `json:"next"`
}

// said is the answer to a command.
type said struct {
	Says string `json:"says"`
}

const quarantinePage = 200

// newQuarantine is what was set aside on the machine's log.
func (m *machine) newQuarantine() *quarantine {
	return &quarantine{
		log: m.log, control: m.control, rows: func() *storage.Reader { return m.database.NewReader() }, decoders: decoders(m.catalog),
		append: m.appendAgain, skew: m.config.Time.FutureSkew.Millis(), now: time.Now,
	}
}

// appendAgain puts a delivery on the log beside those that come in, and lets the
// ticker know of it.
func (m *machine) appendAgain(ctx context.Context, key string, d *ingest.LoggedDelivery) error {
	if m.door == nil {
		return quarantineError("this process takes no deliveries; ask one that has the role ingest")
	}
	if err := (appendTo{m.door.appender}).Append(ctx, key, ingest.Entry{Delivery: d}); err != nil {
		return err
	}
	m.door.ticker.Delivered(d)
	return nil
}

// serveQuarantine adds what the admin address has of it: bodies are shown, and
// things are done, here and on the page for who may.
func (m *machine) serveQuarantine(mux *http.ServeMux) {
	q := m.newQuarantine()
	mux.HandleFunc("GET /quarantine", func(w http.ResponseWriter, r *http.Request) {
		all, _ := strconv.ParseBool(r.URL.Query().Get("all"))
		items, next, err := q.list(r.Context(), all, r.URL.Query().Get("cursor"), quarantinePage)
		if err != nil {
			answerError(w, err)
			return
		}
		answer := quarantineList{Items: append([]quarantined{}, items...)}
		if next != "" {
			answer.Next = &next
		}
		answerJSON(w, http.StatusOK, answer)
	})
	mux.HandleFunc("GET /quarantine/{id}", func(w http.ResponseWriter, r *http.Request) {
		d, err := q.show(r.Context(), r.PathValue("id"))
		if err != nil {
			answerError(w, err)
			return
		}
		answerJSON(w, http.StatusOK, d)
	})
	do := func(act func(ctx context.Context, id, by string) (string, error)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			id, by := r.PathValue("id"), actorOf(r)
			says, err := act(r.Context(), id, by)
			if err != nil {
				answerError(w, err)
				return
			}
			answerJSON(w, http.StatusOK, said{says})
		}
	}
	mux.HandleFunc("POST /quarantine/{id}/retry", do(q.retry))
	mux.HandleFunc("POST /quarantine/{id}/drop", do(q.drop))
}

func answerError(w http.ResponseWriter, err error) {
	if errors.Is(err, errQuarantine) {
		answerProblem(w, http.StatusConflict, err.Error())
		return
	}
	answerProblem(w, http.StatusServiceUnavailable, err.Error())
}
