package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"meridian/streaming"
	"meridian/streaming/kafka"
)

// A checkpoint is one snapshot of everything that a history has in hand: all
// routes with their offsets, and what its folder holds of their copies. It is a
// consistent cut, since no record is half routed while it is taken.

// historyAt is where the routes stand.
type historyAt struct {
	Kind string  `json:"kind"` // of folder: one cannot load what the other saved
	Next []int64 `json:"next"` // offset by partition of deliveries
}

func (h *history) checkpointName() string { return kafka.ShardName("history", h.manifest.Number, 0) }

func (h *history) kind() string {
	if _, ok := h.folder.(*memoryFolder); ok {
		return "memory"
	}
	return "files"
}

func (h *history) checkpoint(ctx context.Context, gate *sync.RWMutex) error {
	sequence, err := streaming.NextSequence(ctx, h.snapshots, h.checkpointName())
	if err != nil {
		return err
	}
	m, chunks, err := h.capture(ctx, sequence, gate)
	if err != nil {
		return fmt.Errorf("checkpoint of the history of generation %d: %w", h.manifest.Number, err)
	}
	if err := h.snapshots.Publish(ctx, m, func(hash streaming.Hash) []byte { return chunks[hash] }); err != nil {
		return fmt.Errorf("checkpoint of the history of generation %d: %w", h.manifest.Number, err)
	}
	return h.tuning.reached("checkpoint")
}

func (h *history) capture(ctx context.Context, sequence uint64, gate *sync.RWMutex) (m streaming.Manifest, chunks map[streaming.Hash][]byte, err error) {
	gate.Lock()
	defer gate.Unlock()
	if err := h.folder.settle(ctx); err != nil {
		return m, nil, err
	}
	t, err := h.takeTurn(ctx) // everything has been folded, so nobody who is waited for waits for it
	if err != nil {
		return m, nil, err
	}
	defer t.giveBack()
	at := historyAt{Kind: h.kind()}
	m, chunks = streaming.Capture(h.checkpointName(), sequence, func(put func(string, []byte)) {
		for _, r := range h.routes {
			at.Next = append(at.Next, r.shard.Resume())
			prefix := "route/" + strconv.Itoa(int(r.partition)) + "/"
			r.shard.Save(func(section string, data []byte) { put(prefix+section, data) })
		}
		var data []byte
		if data, err = json.Marshal(at); err != nil {
			return
		}
		put("at", data)
		err = h.folder.save(put)
	})
	return m, chunks, err
}

// restore goes on from the last checkpoint, if there is one that this process
// can use; else from the beginning, which gives the same.
func (h *history) restore(ctx context.Context) error {
	get, _, err := streaming.Restore(ctx, h.snapshots, h.checkpointName())
	if errors.Is(err, streaming.ErrNoSnapshot) {
		return nil
	}
	if err != nil {
		return err
	}
	var at historyAt
	data, err := get("at")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &at); err != nil || at.Kind != h.kind() || len(at.Next) != len(h.routes) {
		return nil // of a process with another budget: the other kind of folder
	}
	for _, r := range h.routes {
		prefix := "route/" + strconv.Itoa(int(r.partition)) + "/"
		if err := r.shard.Load(func(section string) ([]byte, error) { return get(prefix + section) }); err != nil {
			return fmt.Errorf("checkpoint of the history of generation %d: %w", h.manifest.Number, err)
		}
		h.standing.resume(r.partition, at.Next[r.partition]-r.next, r.shard.Clock())
		r.next = at.Next[r.partition]
	}
	if err := h.folder.load(get); err != nil {
		return fmt.Errorf("checkpoint of the history of generation %d: %w", h.manifest.Number, err)
	}
	return nil
}
