package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
	"meridian/cmd/meridian/demo"
	"meridian/ingest"
	"meridian/ingest/catalog"
	"meridian/streaming"
	"meridian/streaming/timeline"
)

func (a *app) demoCommand() *cobra.Command {
	var seed uint64
	var speed, listen, dataDir string
	cmd := &cobra.Command{
		Use: "demo", Short: "Show Meridian with a synthetic organisation, then its live traffic", Args: noArguments,
		Long: "Starts an instance in a directory of its own, imports 90 days of a synthetic organisation's\n" +
			"deliveries as history, and goes on sending signed webhooks to its own endpoints. Everybody who\n" +
			"can reach the address can read it; it listens on loopback. Nothing is left behind at the end.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if speed != "live" && speed != "fast" {
				return withCode(exitUsage, fmt.Errorf("--speed %q: use live or fast", speed))
			}
			return a.demo(cmd.Context(), seed, speed, listen, dataDir)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "the same seed gives the same organisation")
	cmd.Flags().StringVar(&speed, "speed", "live", "live: about a delivery a second; fast: twenty times as many")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8080", "address of the pages")
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "a new directory to keep (default: a temporary one, removed at the end)")
	return cmd
}

func (a *app) demo(ctx context.Context, seed uint64, speed, listen, dataDir string) (err error) {
	if dataDir == "" {
		if dataDir, err = os.MkdirTemp("", "meridian-demo-"); err != nil {
			return fmt.Errorf("cannot make a directory for the demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dataDir)) }()
	}
	org := demo.New(seed, timeline.FromTime(time.Now()))
	c := config.Default()
	c.Listen, c.DataDir, c.Auth.Mode = listen, dataDir, "none"
	for _, s := range org.Sources() {
		source := config.Source{Name: s.Name, Secrets: []string{s.Secret}}
		switch s.Provider {
		case "github":
			c.Sources.GitHub = append(c.Sources.GitHub, source)
		case "jira":
			c.Sources.Jira = append(c.Sources.Jira, source)
		case "deploy":
			c.Sources.Deploy = append(c.Sources.Deploy, source)
		}
	}
	imported := make(chan struct{})
	return a.serve(ctx, c, machineOptions{
		roles: roles{ingest: true, engine: true, web: true},
		readCatalog: func(key []byte) (*catalog.Catalog, error) {
			return catalog.Parse("demo catalog", org.Catalog(), catalog.Options{Key: key, Zone: timeline.UTC()})
		},
		importing: fmt.Sprintf("0 of %d days", demo.HistoryDays),
		history: func(ctx context.Context, m *machine, say func(string)) (streaming.Round, error) {
			if err := mustBeNew(ctx, m.log, m.control); err != nil {
				return 0, err
			}
			defer close(imported)
			if err := m.control.Put(ctx, importingKey, []byte("the demo's history")); err != nil {
				return 0, err
			}
			return importHistory(ctx, m, org, say)
		},
		ready: func(ctx context.Context, link string) {
			fmt.Fprintf(a.err, "\nThe demo is running. Open\n\n    %s\n\n90 days of history are coming in, then live traffic. Stop with Ctrl-C.\n\n", link)
			select {
			case <-imported:
				a.sendTraffic(ctx, strings.TrimRight(link, "/"), org, speed)
			case <-ctx.Done():
			}
		},
	})
}

// importHistory puts the organisation's history on the log, as an archive
// through the same reader, decoders and topic as `meridian import`.
func importHistory(ctx context.Context, m *machine, org *demo.Organisation, say func(string)) (streaming.Round, error) {
	reader, writer := io.Pipe()
	go func() { writer.CloseWithError(writeArchive(writer, org.History())) }()
	defer reader.Close()
	lines, err := ingest.NewArchiveReader(reader)
	if err != nil {
		return 0, err
	}
	defer lines.Close()
	first := timeline.Millis(0)
	return importArchive(ctx, m.log, lines, false, dueTicks(m.config), decoders(m.catalog), func(_ int, at timeline.Millis) {
		if first == 0 {
			first = at
		}
		say(fmt.Sprintf("%d of %d days", min(timeline.Millis(demo.HistoryDays), (at-first)/timeline.Day), demo.HistoryDays))
	})
}

func writeArchive(w io.Writer, lines iter.Seq[ingest.ArchiveLine]) error {
	out := ingest.NewArchiveWriter(w)
	for line := range lines {
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// sendTraffic sends the organisation's webhooks to the instance's own endpoints
// until ctx ends.
func (a *app) sendTraffic(ctx context.Context, base string, org *demo.Organisation, speed string) {
	traffic := org.Live(timeline.FromTime(time.Now()))
	client := &http.Client{Timeout: 10 * time.Second}
	for ctx.Err() == nil {
		r := traffic.Next(timeline.FromTime(time.Now()))
		pause := 2 * r.After // the organisation of the history sends one in seven minutes; so many would soon drown it
		if speed == "fast" {
			pause = r.After / 10
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if err := send(ctx, client, base, r); err != nil && ctx.Err() == nil {
			a.log.Warn("a webhook of the demo was not taken", "error", err)
		}
	}
}

func send(ctx context.Context, client *http.Client, base string, r demo.Request) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return err
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err == nil && res.StatusCode != http.StatusAccepted {
		err = fmt.Errorf("%s answered %d: %s", r.Path, res.StatusCode, bytes.TrimSpace(answer))
	}
	return err
}
