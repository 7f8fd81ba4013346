package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/kafka"
)

// ledger is what the control topic says of generations. Every process of an
// instance reads it, and the coordinator alone writes it; wishes come from all.
//
//	generation/00000003   its manifest, which never changes
//	following/00000003    its history is over, and its shards go on from there
//	run/00000003          that somebody asked for it, and with which limits
//	progress/00000003     how far its history is
//	judged/00000003       whether it differs where its release says so
//	live                  which one readers see, and which it replaced
//	promotion             the turn that is being taken, and at which step it is
//	paused/00000003/00001 that a shard stands for it
//	lost/00000003         why it cannot go on
//	held                  why a generation that is due does not begin yet
//	answer/<any>          what has come of a wish
//	highest               the highest number that was ever given
//	others                the highest number that was found in use and not given here
//	catalog/<hash>        the files of a catalog that a manifest names
//	wish/<any>            something that the coordinator is asked for
type ledger struct{ control *kafka.Control }

const (
	followingKeys = "following/"
	lostKeys      = "lost/"
	catalogKeys   = "catalog/"
	wishKeys      = "wish/"
	runKeys       = "run/"
	progressKeys  = "progress/"
	liveKey       = "live"
	highestKey    = "highest"
	othersKey     = "others"
	heldKey       = "held"
)

func numbered(prefix string, g streaming.Generation) string { return fmt.Sprintf("%s%08d", prefix, g) }

// manifests returns all generations that there are, the newest last.
func (l ledger) manifests() ([]streaming.GenerationManifest, error) {
	var all []streaming.GenerationManifest
	for _, e := range l.control.All(kafka.GenerationKeys) {
		m, err := kafka.DecodeGeneration(e.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// turn is which generation readers see.
type turn struct {
	Generation streaming.Generation   `json:"generation"`
	Before     []streaming.Generation `json:"before,omitempty"` // those that it replaced, the last first
	At         time.Time              `json:"at"`
	Sequence   uint64                 `json:"sequence,omitempty"` // of the row that readers look up
	Refused    string                 `json:"refused,omitempty"`  // the pins that were rolled back, which begin nothing again
}

// after is the sequence of the turn that follows.
func (t turn) after() uint64 { return max(t.Sequence, uint64(t.Generation)) + 1 }

// live returns whose turn it is; generation 0 before the first.
func (l ledger) live() (t turn, err error) {
	data, ok := l.control.Get(liveKey)
	if !ok {
		return turn{}, nil
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return turn{}, fmt.Errorf("the record of the live generation cannot be read: %w", err)
	}
	return t, nil
}

// setLive notes a turn that was taken.
func (l ledger) setLive(ctx context.Context, g streaming.Generation, sequence uint64, refused string) error {
	old, err := l.live()
	if err != nil || old.Generation == g {
		return err
	}
	t := turn{Generation: g, At: time.Now().UTC(), Sequence: sequence, Refused: refused}
	if old.Generation != 0 {
		t.Before = slices.DeleteFunc(append([]streaming.Generation{old.Generation}, old.Before...), func(b streaming.Generation) bool { return b == g })
	}
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, liveKey, data)
}

// following reports whether a generation's shards may run.
func (l ledger) following(m streaming.GenerationManifest) bool {
	if m.HistoryEnd == 0 {
		return true
	}
	_, ok := l.control.Get(numbered(followingKeys, m.Number))
	return ok
}

func (l ledger) setFollowing(ctx context.Context, g streaming.Generation) error {
	return l.control.Put(ctx, numbered(followingKeys, g), []byte(time.Now().UTC().Format(time.RFC3339)))
}

func (l ledger) lost(g streaming.Generation) bool {
	_, ok := l.control.Get(numbered(lostKeys, g))
	return ok
}

func (l ledger) setLost(ctx context.Context, g streaming.Generation, why string) error {
	return l.control.Put(ctx, numbered(lostKeys, g), []byte(why))
}

// answer returns what has come of a wish.
func (l ledger) answer(id string) (a wishAnswer, any bool, err error) {
	data, ok := l.control.Get(answerKeys + id)
	if !ok {
		return a, false, nil
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, false, fmt.Errorf("the answer to a wish cannot be read: %w", err)
	}
	return a, true, nil
}

// held says why a generation that is due does not begin yet, and when it will.
func (l ledger) held() string {
	data, _ := l.control.Get(heldKey)
	return string(data)
}

func (l ledger) setHeld(ctx context.Context, why string) error {
	if l.held() == why {
		return nil
	}
	if why == "" {
		return l.control.Delete(ctx, heldKey)
	}
	return l.control.Put(ctx, heldKey, []byte(why))
}

// setProgress says how far a history is.
func (l ledger) setProgress(ctx context.Context, g streaming.Generation, p runProgress) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, numbered(progressKeys, g), data)
}

// progressOf returns what was said last of a history.
func (l ledger) progressOf(g streaming.Generation) (p runProgress, any bool) {
	data, ok := l.control.Get(numbered(progressKeys, g))
	return p, ok && json.Unmarshal(data, &p) == nil
}

// keepCatalog keeps the files of a catalog, so that a process that starts later
// can go on with a generation whose catalog is no longer on anybody's disk.
func (l ledger) keepCatalog(ctx context.Context, hash streaming.Hash, files []catalog.File) error {
	key := catalogKeys + hash.String()
	if _, ok := l.control.Get(key); ok || files == nil {
		return nil
	}
	data, err := json.Marshal(files)
	if err != nil {
		return err
	}
	return l.control.Put(ctx, key, data)
}

func (l ledger) catalogFiles(hash streaming.Hash) (files []catalog.File, ok bool, err error) {
	data, ok := l.control.Get(catalogKeys + hash.String())
	if !ok {
		return nil, false, nil
	}
	if err := json.Unmarshal(data, &files); err != nil {
		return nil, false, fmt.Errorf("the catalog %s that is kept cannot be read: %w", hash, err)
	}
	return files, true, nil
}

// wish is something that any process may ask the coordinator for.
type wish struct {
	key      string
	Begin    string               `json:"begin,omitempty"`    // a generation, because of this
	Run      *runRecord           `json:"run,omitempty"`      // a run; its number is said under the wish's name
	Promote  streaming.Generation `json:"promote,omitempty"`  // this generation, when it has caught up
	Rollback bool                 `json:"rollback,omitempty"` // Promote is one that was replaced
	Drop     streaming.Generation `json:"drop,omitempty"`
	Resume   streaming.Generation `json:"resume,omitempty"`
	By       string               `json:"by,omitempty"`
}

// id names a wish, and its answer.
func (w wish) id() string { return strings.TrimPrefix(w.key, wishKeys) }

func (l ledger) ask(ctx context.Context, w wish) error {
	_, err := l.askNamed(ctx, w)
	return err
}

// askNamed asks, and returns the name under which it will be answered.
func (l ledger) askNamed(ctx context.Context, w wish) (id string, err error) {
	data, err := json.Marshal(w)
	if err != nil {
		return "", err
	}
	id = rand.Text()
	return id, l.control.Put(ctx, wishKeys+id, data)
}

func (l ledger) wishes() (all []wish) {
	for _, e := range l.control.All(wishKeys) {
		w := wish{}
		_ = json.Unmarshal(e.Value, &w) // what nobody can read is granted as nothing
		w.key = e.Key
		all = append(all, w)
	}
	return all
}

// forget removes what the ledger holds of a generation that is gone, and the
// catalogs that no other one has.
func (l ledger) forget(ctx context.Context, m streaming.GenerationManifest) error {
	keys := []string{numbered(followingKeys, m.Number), numbered(lostKeys, m.Number), numbered(progressKeys, m.Number), numbered(judgedKeys, m.Number)}
	for _, e := range l.control.All(kafka.ShardKeys) {
		if st, err := kafka.DecodeShard(e.Value); err == nil && st.Generation == m.Number {
			keys = append(keys, e.Key)
		}
	}
	keys = append(keys, kafka.GenerationKey(m.Number)) // without it nobody would come here again
	keys = append(keys, numbered(runKeys, m.Number))   // after it: a run without its record would take over by itself
	for _, key := range keys {
		if _, ok := l.control.Get(key); ok {
			if err := l.control.Delete(ctx, key); err != nil {
				return err
			}
		}
	}
	rest, err := l.manifests()
	if err != nil {
		return err
	}
	for _, e := range l.control.All(catalogKeys) {
		hash := strings.TrimPrefix(e.Key, catalogKeys)
		if !slices.ContainsFunc(rest, func(m streaming.GenerationManifest) bool { return m.CatalogHash.String() == hash }) {
			if err := l.control.Delete(ctx, e.Key); err != nil {
				return err
			}
		}
	}
	return nil
}
