package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"meridian/cmd/meridian/config"
	"meridian/ingest/catalog"
	"meridian/streaming/timeline"
)

// maxCatalog bounds what is taken as a catalog. A person takes some 200 bytes.
const maxCatalog = 16 << 20

// catalogRequest is what `meridian catalog apply` sends.
type catalogRequest struct {
	Files []catalog.File `json:"files"`
	Apply bool           `json:"apply"` // else only say what would change
}

// catalogAnswer is what a new catalog would change, or has.
type catalogAnswer struct {
	Hash    string           `json:"hash"`
	Same    bool             `json:"same"` // as the one that is in force
	Changes []catalog.Change `json:"changes"`
	Applied bool             `json:"applied"`
	Says    string           `json:"says,omitempty"` // what happens next
}

// catalogProblems is the answer to a catalog that is not sound.
type catalogProblems struct {
	Problems catalog.Problems `json:"problems"`
}

// surveys keeps the last survey for a while: whoever changes a catalog asks again
// and again.
type surveys struct {
	mu   sync.Mutex
	last *catalog.Survey
	at   time.Time
}

const surveyFresh = time.Minute

func (s *surveys) get(ctx context.Context, l *deliveryLog) (*catalog.Survey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && time.Since(s.at) < surveyFresh {
		return s.last, nil
	}
	made, err := surveyLog(ctx, l)
	if err == nil {
		s.last, s.at = made, time.Now()
	}
	return made, err
}

// takeCatalog is POST /catalog of the admin address.
func (m *machine) takeCatalog(w http.ResponseWriter, r *http.Request) {
	var ask catalogRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCatalog)).Decode(&ask); err != nil || len(ask.Files) == 0 {
		answerProblem(w, http.StatusBadRequest, "send {\"files\": [{\"name\": ..., \"data\": base64}]}, at most 16 MiB")
		return
	}
	answer, err := m.previewCatalog(r.Context(), ask.Files)
	var problems catalog.Problems
	switch {
	case errors.As(err, &problems):
		answerJSON(w, http.StatusUnprocessableEntity, catalogProblems{problems})
		return
	case err != nil:
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	if ask.Apply && !dryRun(r) && !answer.Same {
		says, err := m.adoptCatalog(r.Context(), ask.Files)
		if err != nil {
			answerProblem(w, http.StatusConflict, err.Error())
			return
		}
		answer.Applied, answer.Says = true, says
		m.app.log.Info("a catalog was applied", "hash", answer.Hash, "changes", len(answer.Changes))
	}
	answerJSON(w, http.StatusOK, answer)
}

// previewCatalog says what a catalog would change, in terms of what is on the log.
func (m *machine) previewCatalog(ctx context.Context, files []catalog.File) (catalogAnswer, error) {
	zone, err := timeline.LoadZone(m.config.Zone)
	if err != nil {
		return catalogAnswer{}, err
	}
	next, err := catalog.ParseFiles(files, catalog.Options{Key: m.instance.Key, Zone: zone})
	if err != nil {
		return catalogAnswer{}, err
	}
	// Compared with the newest that was taken and not with what readers see: its
	// numbers may still be computed, and taking the one before back is a change.
	current := m.coordinator.catalogNow()
	answer := catalogAnswer{Hash: next.Hash(), Same: next.Hash() == current.Hash(), Changes: []catalog.Change{}}
	if answer.Same {
		return answer, nil
	}
	survey, err := m.surveys.get(ctx, m.log)
	if err != nil {
		return answer, fmt.Errorf("what is on the log cannot be read: %w", err)
	}
	answer.Changes = catalog.Diff(current, next, timeline.FromTime(time.Now()), survey.Seen())
	return answer, nil
}

// currentCatalog is the catalog of the numbers that readers see.
func (m *machine) currentCatalog() *catalog.Catalog {
	if c := m.status.parts().catalog; c != nil {
		return c
	}
	return m.catalog
}

// draftCatalog is GET /catalog/draft of the admin address.
func (m *machine) draftCatalog(w http.ResponseWriter, r *http.Request) {
	var hints catalog.Hints
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCatalog)).Decode(&hints); err != nil {
			answerProblem(w, http.StatusBadRequest, "send hints as JSON, at most 16 MiB")
			return
		}
	}
	survey, err := m.surveys.get(r.Context(), m.log)
	if err != nil {
		answerProblem(w, http.StatusServiceUnavailable, "what is on the log cannot be read: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(survey.Draft(m.currentCatalog(), hints, schemaURL(m.config))) // whoever asked has gone
}

// schemaURL is where editors find the schema of catalogs.
func schemaURL(c config.Config) string {
	base := c.BaseURL
	if base == "" {
		base = urlOf(c.Listen)
	}
	return strings.TrimRight(base, "/") + catalog.SchemaPath
}

func answerJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // whoever asked has gone
}

// answerProblem answers with an RFC 9457 problem document.
func answerProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail})
}
