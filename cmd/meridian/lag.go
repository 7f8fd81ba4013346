package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/streaming"
	"meridian/streaming/kafka"
	"meridian/streaming/timeline"
)

// lagAnswer is what `meridian lag` shows, and GET /lag of the admin address
// answers. Lengths are in seconds.
type lagAnswer struct {
	Generation uint32     `json:"generation"`
	Clock      string     `json:"clock"` // of the numbers that readers see; "" before the first tick
	Shards     []lagShard `json:"shards"`
	Sources    []lagBound `json:"sources"`
	Delays     []lagDelay `json:"delays"`
	Budget     float64    `json:"late_budget"`
	Alert      string     `json:"alert"`
}

// lagShard is how far one shard is behind.
type lagShard struct {
	Stage      string  `json:"stage"`
	Generation uint32  `json:"generation"`
	Partition  int32   `json:"partition"`
	State      string  `json:"state"`
	Clock      string  `json:"clock"`
	Records    int64   `json:"lag_records"` // of its input that it has not read
	Behind     float64 `json:"lag_seconds"` // its clock, behind the furthest of all shards
	Pending    int     `json:"pending"`
}

// lagBound compares the bound of a source with what was measured.
type lagBound struct {
	Source   string  `json:"source"`
	Bound    float64 `json:"bound"`
	Events   int64   `json:"events"`
	Late     int64   `json:"late"`
	Share    float64 `json:"late_share"`
	For1     float64 `json:"bound_for_1_percent"`
	ForTenth float64 `json:"bound_for_0_1_percent"`
	Exceeded bool    `json:"exceeded"`
}

// lagDelay is the measured delay of one source, kind and partition of deliveries.
type lagDelay struct {
	Source    string  `json:"source"`
	Kind      string  `json:"kind"`
	Partition int32   `json:"partition"`
	Events    int64   `json:"events"`
	Late      int64   `json:"late"`
	P50       float64 `json:"p50"`
	P90       float64 `json:"p90"`
	P95       float64 `json:"p95"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
}

func (a *app) lagCommand() *cobra.Command {
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "lag", Short: "How far shards are behind, and how late events come", Args: noArguments,
		Long: "Asks the running server how far its shards are behind the log, in records and in event\n" +
			"time, and how long events took from when they happened to their receipt, over the last seven\n" +
			"days and 100,000 records of each partition. The bound of a source (time.bounds) should be one\n" +
			"that few events exceed: docs/bounds.md is the procedure.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			text, err := a.askAdmin(cmd.Context(), c, http.MethodGet, "/lag")
			if err != nil {
				return err
			}
			if asJSON {
				_, err = fmt.Fprintln(a.out, text)
				return err
			}
			var l lagAnswer
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				return fmt.Errorf("the server's answer cannot be read: %w", err)
			}
			return l.print(a.out)
		},
	}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the running server's data directory (default ./meridian-data)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func (l lagAnswer) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	seconds := func(s float64) string { return timeline.FormatLength(timeline.Millis(s * 1000)) }
	fmt.Fprintf(w, "generation %d, clock %s\n\n", l.Generation, orNone(l.Clock))
	fmt.Fprintln(w, "shard\tstate\trecords behind\tevent time behind\tpending")
	for _, s := range l.Shards {
		fmt.Fprintf(w, "%s-%d/%d\t%s\t%d\t%s\t%d\n", s.Stage, s.Generation, s.Partition, s.State, s.Records, seconds(s.Behind), s.Pending)
	}
	if len(l.Shards) == 0 {
		fmt.Fprintln(w, "none: no generation has begun to compute yet")
	}
	if len(l.Delays) == 0 {
		fmt.Fprintln(w, "\nNo event has come in yet, so no delay is measured.")
		return w.Flush()
	}
	fmt.Fprintln(w, "\nsource\tevents\tbound\tlater than it\tbound for 1 %\tbound for 0.1 %\t")
	for _, s := range l.Sources {
		mark := ""
		if s.Exceeded {
			mark = "over the budget"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%.3g %%\t%s\t%s\t%s\n", s.Source, s.Events, seconds(s.Bound), 100*s.Share, seconds(s.For1), seconds(s.ForTenth), mark)
	}
	fmt.Fprintln(w, "\nsource\tkind\tpartition\tevents\tp50\tp90\tp95\tp99\tmax")
	for _, d := range l.Delays {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\n", d.Source, d.Kind, d.Partition, d.Events, seconds(d.P50), seconds(d.P90), seconds(d.P95), seconds(d.P99), seconds(d.Max))
	}
	if l.Alert != "" {
		fmt.Fprintf(w, "\n%s\n", l.Alert)
	}
	return w.Flush()
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// lag is what there is to say now.
func (m *machine) lag() lagAnswer {
	p := m.status.parts()
	a := lagAnswer{
		Generation: uint32(p.manifest.Number), Budget: m.delays.budget, Alert: m.delays.alert(),
		Shards: []lagShard{}, Sources: []lagBound{}, Delays: []lagDelay{},
	}
	shards := m.shards()
	furthest := streaming.NoClock
	for _, sh := range shards {
		furthest = max(furthest, sh.Clock)
	}
	for _, sh := range shards {
		s := lagShard{Stage: sh.Stage, Generation: uint32(sh.Generation), Partition: sh.Partition, State: string(sh.State), Records: sh.Lag(), Pending: sh.Pending}
		if sh.Clock != streaming.NoClock {
			s.Clock, s.Behind = sh.Clock.String(), inSeconds(furthest-sh.Clock)
		}
		a.Shards = append(a.Shards, s)
	}
	if p.stages != nil {
		if c := p.stages.clock(); c != streaming.NoClock {
			a.Clock = c.String()
		}
	}
	for _, b := range m.delays.sources() {
		a.Sources = append(a.Sources, lagBound{
			Source: b.source.String(), Bound: inSeconds(b.bound), Events: b.n, Late: b.late, Share: b.lateShare(),
			For1: inSeconds(boundFor(&b, 0.01)), ForTenth: inSeconds(boundFor(&b, 0.001)), Exceeded: b.exceeds(m.delays.budget),
		})
	}
	for _, d := range m.delays.measured() {
		a.Delays = append(a.Delays, lagDelay{
			Source: d.source.String(), Kind: d.kind.String(), Partition: d.partition, Events: d.n, Late: d.late,
			P50: inSeconds(d.quantile(0.5)), P90: inSeconds(d.quantile(0.9)), P95: inSeconds(d.quantile(0.95)), P99: inSeconds(d.quantile(0.99)), Max: inSeconds(d.max),
		})
	}
	return a
}

func inSeconds(m timeline.Millis) float64 { return float64(m) / 1000 }

// shards returns those of all generations: the ones that run here, and what other
// processes say of theirs.
func (m *machine) shards() []kafka.ShardStatus {
	var all []kafka.ShardStatus
	for _, run := range m.status.parts().runs {
		all = append(all, run.stages.shards()...)
	}
	if m.roles.all() {
		return all
	}
	here := map[string]bool{}
	for _, sh := range all {
		here[kafka.ShardKey(sh)] = sh.State != kafka.Stopped
	}
	all = slices.DeleteFunc(all, func(sh kafka.ShardStatus) bool { return sh.State == kafka.Stopped })
	elsewhere, _ := m.status.others.shards(0)
	for _, sh := range elsewhere {
		if !here[kafka.ShardKey(sh)] {
			all = append(all, sh)
		}
	}
	return all
}

func (m *machine) answerLag(w http.ResponseWriter, _ *http.Request) {
	answerJSON(w, http.StatusOK, m.lag())
}

// debugEngine tells in words what every shard holds and where it is.
func (m *machine) debugEngine(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	m.writeEngine(r.Context(), w)
}

func (m *machine) writeEngine(ctx context.Context, w io.Writer) {
	p := m.status.parts()
	if p.coming != "" {
		fmt.Fprintf(w, "%s\n\n", p.coming)
	}
	for _, run := range p.runs {
		g := run.manifest
		who := "beside it"
		if g.Number == p.turn.Generation {
			who = "readers see it"
		}
		fmt.Fprintf(w, "generation %d (%s), begun because %s; history ends at %s\n", g.Number, who, g.Reason, describeEnd(g))
		run.stages.route.Inspect(ctx)
		run.stages.engine.Inspect(ctx)
		fmt.Fprintf(w, "%s%s\n", run.stages.route.Describe(), run.stages.engine.Describe())
	}
	if err := m.lag().print(w); err != nil {
		return // whoever asked has gone
	}
}

func describeEnd(g streaming.GenerationManifest) string {
	if g.HistoryEnd == 0 {
		return "its beginning"
	}
	return g.HistoryEnd.Clock().String()
}
