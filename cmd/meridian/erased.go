package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"meridian/ingest"
	"meridian/ingest/event"
	"meridian/streaming/kafka"
)

// erasedKeys are the control keys of names that were erased, as pseudonyms: every
// process that takes deliveries leaves them out from then on.
const erasedKeys = "erased/"

// erasedName is what the control topic says of one.
type erasedName struct {
	At time.Time `json:"at"`
	By string    `json:"by,omitempty"`
}

func (l ledger) setErased(ctx context.Context, id event.PersonID, by string) error {
	data, err := json.Marshal(erasedName{At: time.Now().UTC(), By: by})
	if err != nil {
		return err
	}
	return l.control.Put(ctx, erasedKeys+hex.EncodeToString(id[:]), data)
}

func (l ledger) erased() (ids []event.PersonID) {
	for _, e := range l.control.All(erasedKeys) {
		if id, ok := pseudonymOf(strings.TrimPrefix(e.Key, erasedKeys)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// pseudonymOf reads 32 hex digits.
func pseudonymOf(text string) (id event.PersonID, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return event.PersonID(b), true
}

// erasedAtDoor takes erased people out of what is put on the log. Its zero value
// knows nobody.
type erasedAtDoor struct {
	mu      sync.Mutex
	control *kafka.Control
	names   ingest.Names
	looked  time.Time
	known   int
	erasure *ingest.Erasure
}

// erasedLook is how old what the door knows of the ledger may be; an erasure waits
// for longer than that before it looks for what came in meanwhile.
const erasedLook = time.Second

// follow says whom to ask.
func (e *erasedAtDoor) follow(control *kafka.Control, names ingest.Names) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.control, e.names = control, names
}

// now returns what there is to take out; nil is nobody.
func (e *erasedAtDoor) now() *ingest.Erasure {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.control == nil || time.Since(e.looked) < erasedLook {
		return e.erasure
	}
	e.looked = time.Now()
	if ids := (ledger{e.control}).erased(); len(ids) != e.known { // it only grows
		e.known, e.erasure = len(ids), ingest.NewErasure(e.names, ids...)
	}
	return e.erasure
}

// look makes it look at once.
func (e *erasedAtDoor) look() {
	e.mu.Lock()
	e.looked = time.Time{}
	e.mu.Unlock()
	e.now()
}

// watchErased removes catalogs that name somebody from the folder in which this
// process keeps those that were replaced while it coordinated, when it hears that they
// were erased. The job does so where it runs, which may be elsewhere.
func (m *machine) watchErased(ctx context.Context) error {
	m.control.Watch(ctx, erasedKeys, func(kafka.ControlEntry) {
		var dropped int
		if err := m.dropOldCatalogs(m.room.erased(), &dropped); err != nil {
			m.app.log.Error("a person was erased, and catalogs that name them cannot be removed here", "folder", m.instance.path("catalogs"), "error", err)
		}
	})
	return nil
}
