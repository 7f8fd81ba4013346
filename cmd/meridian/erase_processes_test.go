package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"meridian/streaming/kafka"
)

// readable says what a topic still gives out of some texts, in any case, packed or
// not.
func readable(t *testing.T, c kafka.Config, topic string, texts ...string) (found []string) {
	t.Helper()
	_, err := kafka.ReadSide(t.Context(), c, topic, func(_, value []byte) error {
		found = append(found, within(t, topic, value, texts...)...)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", topic, err)
	}
	return found
}

func within(t *testing.T, where string, value []byte, texts ...string) (found []string) {
	t.Helper()
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	pieces := [][]byte{value}
	for packed := value; ; packed = packed[4:] {
		i := bytes.Index(packed, []byte{0x28, 0xb5, 0x2f, 0xfd})
		if i < 0 {
			break
		}
		packed = packed[i:]
		plain, _ := unpack.DecodeAll(packed, nil) // what is behind the frame is none
		pieces = append(pieces, plain)
	}
	for _, piece := range pieces {
		lower := bytes.ToLower(piece)
		for _, text := range texts {
			if i := bytes.Index(lower, []byte(text)); i >= 0 {
				found = append(found, fmt.Sprintf("%s: ...%q", where, piece[max(0, i-40):min(len(piece), i+40)]))
			}
		}
	}
	return found
}

// Over four processes, with promotion by hand, a person is taken out of everything:
// what topics give out, the archive that engines share, tables, and the folders of all
// processes. make e2e-kafka runs this on a real broker.
func TestAPersonIsErasedOverSeveralProcesses(t *testing.T) {
	in := newInstanceTest(t)
	more := "generations: {promote: manual}"
	with, without := "teams: [{name: web, services: [checkout]}]\npeople: [{name: Zebra, github: [zebra-mai], teams: [web]}, {name: Jonas, github: [jonas], teams: [web]}]\n",
		"teams: [{name: web, services: [checkout]}]\npeople: [{name: Jonas, github: [jonas], teams: [web]}]\n"
	in.writeCatalog(t, with)
	door := in.start(t, "door", more, "--roles", "ingest")
	for _, name := range []string{"one", "two", "web"} {
		in.join(t, door, name)
	}
	one := in.start(t, "one", more, "--roles", "engine")
	one.owned(t, in, 12)
	two := in.start(t, "two", more, "--roles", "engine")
	pages := in.start(t, "web", more, "--roles", "web")
	two.owned(t, in, 4)
	by := func(n int, actor string) {
		t.Helper()
		body := fmt.Appendf(nil, `{"id": "run-%d", "service": "checkout", "environment": "production", "status": "success", "finished_at": %q, "actor": %q, "url": "https://github.com/%s/tool"}`,
			n, time.Now().UTC().Truncate(time.Second).Format(time.RFC3339), actor, actor)
		await(t, door.ended, func() error { return deliver("http://"+door.webhook+"/webhooks/deploy/ci", "zebra", body) })
	}
	for n := range 6 {
		by(n, []string{zebra, "jonas"}[n%2])
	}
	pages.deploys(t, "web", 6)
	if found := readable(t, in.log, in.log.DeliveriesTopic(), zebra); len(found) < 3 {
		t.Fatalf("the log names them %d times before; this test looks in the wrong places", len(found))
	}
	// A catalog that an earlier coordinator has replaced names them too.
	if err := replaceFile(filepath.Join(in.folder, "catalog.old.yaml"), []byte(with), filepath.Join(two.dir, "catalogs")); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(filepath.Join(in.folder, "catalog.old.yaml"), []byte(without), filepath.Join(two.dir, "catalogs")); err != nil {
		t.Fatal(err)
	}

	in.writeCatalog(t, without)
	await(t, one.ended, func() error { // the coordinator reads it
		out, err := command(t, "erase", "--person", zebra, "--dry-run", "--data-dir", one.dir)
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	out, err := command(t, "erase", "--person", zebra, "--data-dir", one.dir)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !strings.Contains(out, "until brokers compact") {
		t.Errorf("it does not say what brokers keep: %s", out)
	}

	by(7, zebra) // what comes of them later
	pages.deploys(t, "web", 7)
	all, err := in.ledger(t).manifests()
	if err != nil || len(all) == 0 || all[0].Number < 2 {
		t.Fatalf("generations %+v, %v; want none that knew them", all, err)
	}
	live := in.live(t)
	topics := []string{in.log.DeliveriesTopic(), in.log.LateTopic(), in.log.QuarantineTopic()}
	for _, g := range all {
		topics = append(topics, in.log.EventsTopic(g.Number))
	}
	for _, topic := range topics {
		if found := readable(t, in.log, topic, zebra); len(found) > 0 {
			t.Errorf("they are still on\n%s", strings.Join(found, "\n"))
		}
	}
	// What was deleted of a compacted topic is there until the broker compacts it.
	for _, e := range in.ledger(t).control.All("") {
		if found := within(t, e.Key, e.Value, zebra); len(found) > 0 {
			t.Errorf("they are still in\n%s", strings.Join(found, "\n"))
		}
	}
	await(t, two.ended, func() error { // the other processes hear of it, too
		for _, dir := range []string{"archive", "door", "one", "two", "web"} {
			if found := everywhere(t, filepath.Join(in.folder, dir), zebra); len(found) > 0 {
				return fmt.Errorf("they are still in\n%s", strings.Join(found, "\n"))
			}
		}
		return nil
	})
	for _, table := range []string{"points", "observations", "quality", "rejects", "coverage"} {
		for _, side := range []string{"live", "replay"} {
			rows, err := command(t, "sql", "--json", fmt.Sprintf("SELECT * FROM %s_%s", table, side), "--data-dir", one.dir)
			if err != nil || strings.Contains(strings.ToLower(rows), zebra) {
				t.Errorf("%s_%s: %v\n%s", table, side, err, rows)
			}
		}
	}
	if g := in.live(t); g != live || g < 2 {
		t.Errorf("generation %d is live", g)
	}
}
