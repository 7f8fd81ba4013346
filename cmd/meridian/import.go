package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/ingest"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

func (a *app) importCommand() *cobra.Command {
	var dataDir, keyFile string
	var history, asJSON bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Put a delivery archive on the log of a new instance", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Puts the deliveries of an archive on the log, with their receipts and ticks, before the\n" +
			"instance's first tick: stop the server, and use a new data directory. The next `meridian\n" +
			"serve` computes it: round by round, as an instance would have that received it live, or with\n" +
			"--history all at once, as history that was recomputed.\n\n" +
			"An instance that is moved keeps its people: --key takes the key of their pseudonyms from the\n" +
			"instance.json of the old data directory.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			if keyFile != "" {
				if err := takeKey(c, keyFile); err != nil {
					return err
				}
			}
			put, err := a.importFile(cmd.Context(), c, args[0], history)
			if err != nil || !asJSON {
				return err
			}
			return json.NewEncoder(a.out).Encode(put)
		},
	}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "where everything is kept (default ./meridian-data)")
	cmd.Flags().StringVar(&keyFile, "key", "", "instance.json of the instance that is moved here, whose key of pseudonyms is taken over")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was put on the log as JSON")
	cmd.Flags().BoolVar(&history, "history", false, "treat it as history: nothing in it is late, and rows come out once")
	return cmd
}

// imported is what import says that it did.
type imported struct {
	File       string `json:"file"`
	Deliveries int    `json:"deliveries"`
	LastTick   string `json:"last_tick,omitempty"`
	History    bool   `json:"history"`
}

func (a *app) importFile(ctx context.Context, c config.Config, path string, history bool) (put imported, err error) {
	if err := checkMetrics(c.Metrics); err != nil {
		return put, err
	}
	archive, err := openArchiveFile(path, a.in)
	if err != nil {
		return put, err
	}
	defer func() { err = errors.Join(err, archive.close()) }()
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return put, err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	cat, err := loadCatalog(c, in.Key)
	if err != nil {
		return put, err
	}
	l, err := openLog(ctx, c, in, a.log)
	if err != nil {
		return put, err
	}
	defer l.close()
	control, err := kafka.OpenControl(ctx, l.Config)
	if err != nil {
		return put, withCode(exitUnavailable, err)
	}
	defer control.Close()
	if err := mustBeNew(ctx, l, control); err != nil {
		return put, err
	}
	lines, hasTicks, err := archive.read()
	if err != nil {
		return put, err
	}
	defer lines.Close()
	if err := control.Put(ctx, importingKey, []byte(filepath.Base(path))); err != nil {
		return put, err
	}
	progress := newProgress(a.err, "deliveries")
	end, err := importArchive(ctx, l, lines, hasTicks, dueTicks(c), decoders(cat), progress.add)
	if err != nil {
		return put, fmt.Errorf("%s: %w", path, err)
	}
	progress.show()
	for _, id := range l.erased { // what comes in later is taken without them here too
		if err := (ledger{control}).setErased(ctx, id, "import"); err != nil {
			return put, err
		}
	}
	m, err := manifest(c, cat, l.partitions)
	if err != nil {
		return put, err
	}
	m.Number, m.Reason = 1, becauseImported
	if history {
		m.HistoryEnd = end
	}
	if err := beginGeneration(ctx, l, control, m); err != nil {
		return put, err
	}
	if err := control.Delete(ctx, importingKey); err != nil {
		return put, err
	}
	fmt.Fprintf(a.err, "Imported. See it with `meridian serve --data-dir %s`.\n", c.DataDir)
	put = imported{File: path, Deliveries: progress.n, History: history}
	if end != 0 {
		put.LastTick = end.Clock().String()
	}
	if last := end.Clock(); end != 0 && timeline.FromTime(time.Now())-last > timeline.Day {
		fmt.Fprintf(a.err, "Its last tick was at %s, more than a day ago: time goes on with the next signed delivery, or when you say `meridian clock trust`.\n", last)
	}
	return put, nil
}

// importingKey is in control from before an import's first record until its
// generation is begun, and names the archive.
const importingKey = "importing"

// cutOff refuses a log that holds a part of an archive and looks like all of it.
func cutOff(ctx context.Context, l *deliveryLog, control *kafka.Control) error {
	name, ok := control.Get(importingKey)
	if !ok {
		return nil
	}
	if any, err := holdsAny(ctx, l); err != nil || !any {
		return err
	}
	return fmt.Errorf("the import of %s was cut off, so the log holds a part of it; remove what is in the data directory and import it again, or use another --data-dir or kafka.topic_prefix", name)
}

// mustBeNew refuses an instance that has anything on its log: what is imported
// keeps its receipts and ticks, which must be the first.
func mustBeNew(ctx context.Context, l *deliveryLog, control *kafka.Control) error {
	if err := cutOff(ctx, l, control); err != nil {
		return err
	}
	any, err := holdsAny(ctx, l)
	if err != nil {
		return err
	}
	_, begun, err := currentManifest(control)
	if err != nil {
		return err
	}
	if any || begun {
		return errors.New("this instance has a log already, and an import must be the first on it; use another --data-dir, or another kafka.topic_prefix")
	}
	return nil
}

// holdsAny reports whether anything was ever put on the log.
func holdsAny(ctx context.Context, l *deliveryLog) (any bool, err error) {
	bounds, err := kafka.Offsets(ctx, l.Config, l.DeliveriesTopic())
	for _, b := range bounds {
		any = any || b.End > 0
	}
	return any, err
}

// importArchive puts the lines of an archive on the log: each delivery in the
// partition of its key, each tick in every partition. It returns the round of
// the last tick.
func importArchive(ctx context.Context, l *deliveryLog, lines *ingest.ArchiveReader, hasTicks bool, due func(streaming.Clock) timeline.Millis,
	decoders map[string]ingest.Decoder, took func(n int, at timeline.Millis)) (end streaming.Round, err error) {
	sink := kafka.NewTopicSink(l.Config, l.DeliveriesTopic(), func(r importRecord) (int32, []byte, []byte) {
		return r.partition, r.key, ingest.EncodeEntry(r.entry)
	})
	defer sink.Close()
	clock := streaming.NoClock
	ticked := ingest.NewTickedArchive(lines, ingest.ArchiveTicks{Lines: hasTicks, Due: func() timeline.Millis { return due(clock) }})
	batch := make([]importRecord, 0, importBatch)
	flush := func() error {
		err := sink.Put(ctx, 0, batch)
		batch = batch[:0]
		return err
	}
	for {
		line, err := ticked.Next()
		switch {
		case errors.Is(err, io.EOF):
			if clock != streaming.NoClock {
				end = streaming.RoundOf(clock)
			}
			return end, flush()
		case err != nil:
			return end, err
		case line.IsTick():
			clock = max(clock, line.Tick)
			for p := range l.partitions {
				batch = append(batch, importRecord{partition: p, entry: ingest.Entry{Tick: line.Tick}})
			}
		case line.Erase != nil:
			l.erased = append(l.erased, line.Erase.Person)
			batch = append(batch, importRecord{entry: line.Control()})
		case line.Delivery == nil: // it concerns teams, and no order of deliveries: any partition will do
			batch = append(batch, importRecord{entry: line.Control()})
		default:
			key, d := line.Logged(decoders[line.Delivery.Provider])
			batch = append(batch, importRecord{kafka.PartitionOf(key, l.partitions), []byte(key), ingest.Entry{Delivery: d}})
			took(1, line.Delivery.Received)
		}
		if len(batch) >= importBatch {
			if err := flush(); err != nil {
				return end, err
			}
		}
	}
}

const importBatch = 2_000

type importRecord struct {
	partition int32
	key       []byte
	entry     ingest.Entry
}

// dueTicks returns the earliest clock after one at which any metric of any team
// could become due without new deliveries. Windows end on the borders of cells
// (a quarter of an hour of UTC), in whatever zone, and their metrics wait for
// one of the bounds.
func dueTicks(c config.Config) func(streaming.Clock) timeline.Millis {
	lags := []timeline.Millis{0, c.Time.Bounds.GitHub.Millis(), c.Time.Bounds.Jira.Millis(), c.Time.Bounds.Deploy.Millis()}
	return func(clock streaming.Clock) timeline.Millis {
		if clock == streaming.NoClock {
			return clock
		}
		next := timeline.CellOf(clock).End()
		for _, lag := range lags {
			next = min(next, timeline.CellOf(clock-lag).End()+lag)
		}
		return next
	}
}

// progress shows how far long work is, with its rate, about once a second.
type progress struct {
	out   io.Writer
	what  string
	began time.Time
	shown time.Time
	n     int
	at    timeline.Millis
}

func newProgress(out io.Writer, what string) *progress {
	now := time.Now()
	return &progress{out: out, what: what, began: now, shown: now}
}

func (p *progress) add(n int, at timeline.Millis) {
	p.n += n
	p.at = at
	if time.Since(p.shown) >= time.Second {
		p.shown = time.Now()
		p.show()
	}
}

func (p *progress) show() {
	rate := float64(p.n) / max(time.Since(p.began).Seconds(), 0.001)
	fmt.Fprintf(p.out, "%d %s, %.0f a second, up to %s\n", p.n, p.what, rate, p.at)
}
