package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"meridian/cmd/meridian/config"
	"meridian/storage"
	"meridian/storage/embedded"
	"meridian/streaming/kafka"
)

// finding is what doctor says of one thing that Meridian depends on.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON, fetch bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check everything that Meridian depends on, and say what to do", Args: noArguments,
		Long: "Checks configuration, catalog, data directory, addresses, ClickHouse and Kafka. It starts no\nserver and changes nothing, but for --fetch, which gets ClickHouse's library where it is missing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if fetch {
				if err := embedded.Fetch(cmd.Context(), a.err); err != nil {
					return withCode(exitUnavailable, err)
				}
			}
			findings, code := a.examine(cmd.Context())
			if asJSON {
				if err := json.NewEncoder(a.out).Encode(map[string]any{"checks": findings}); err != nil {
					return err
				}
			} else {
				printFindings(a.out, findings)
			}
			if code != exitOK {
				return &exitErr{code: code}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&fetch, "fetch", false, "get ClickHouse's library first, where it is missing (needs npm)")
	return cmd
}

func printFindings(out io.Writer, findings []finding) {
	for _, f := range findings {
		mark := "ok  "
		if !f.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(out, "%s  %-10s  %s\n", mark, f.Name, f.Detail)
	}
}

// examine returns what it found, and the exit code that says the worst of it.
func (a *app) examine(ctx context.Context) (findings []finding, code int) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	check := func(name string, failed int, f func() (string, error)) {
		detail, err := f()
		if err != nil {
			detail = err.Error()
			code = max(code, failed)
		}
		findings = append(findings, finding{name, err == nil, detail})
	}
	var c config.Config
	check("config", exitConfig, func() (detail string, err error) {
		if c, err = a.config(nil); err == nil {
			err = servable(c)
		}
		return "the configuration is sound", err
	})
	if code != exitOK {
		return findings, code
	}
	check("catalog", exitConfig, func() (string, error) {
		cat, err := loadCatalog(c, nil)
		if err != nil {
			return "", err
		}
		if n := len(cat.TeamList()); n != 1 {
			return fmt.Sprintf("%d teams", n), nil
		}
		return "1 team", nil
	})
	theirs := a.listening(ctx, c)
	check("data", exitUnavailable, func() (string, error) { return examineDirectory(c.DataDir) })
	for _, l := range []struct{ name, addr, with string }{
		{"address", c.Listen, "--listen"}, {"webhooks", c.WebhookListen, "--webhook-listen"}, {"admin", c.AdminListen, "admin_listen"},
	} {
		if l.addr != "" {
			check(l.name, exitUnavailable, func() (string, error) { return examineAddress(l.addr, l.with, theirs) })
		}
	}
	check("clickhouse", exitUnavailable, func() (string, error) { return examineClickHouse(ctx, c) })
	check("kafka", exitUnavailable, func() (string, error) { return a.examineKafka(ctx, c) })
	return findings, code
}

// lowSpace is below what a day of a busy instance may need.
const lowSpace = 1 << 30

func examineDirectory(dir string) (string, error) {
	exists := dir
	for {
		if _, err := os.Stat(exists); err == nil || exists == filepath.Dir(exists) {
			break
		}
		exists = filepath.Dir(exists)
	}
	if err := unix.Access(exists, unix.W_OK); err != nil {
		return "", fmt.Errorf("%s cannot be written to: %w; choose another with --data-dir or data_dir", exists, err)
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(exists, &fs); err != nil {
		return "", fmt.Errorf("%s: %w", exists, err)
	}
	free := int64(fs.Bavail) * int64(fs.Bsize)
	if free < lowSpace {
		return "", fmt.Errorf("%s has %d MiB left; make room, 1 GiB at least", dir, free>>20)
	}
	return fmt.Sprintf("%s has %d GiB left", dir, free>>30), nil
}

// listening are the addresses of the server that runs in this data directory; nil:
// none does.
func (a *app) listening(ctx context.Context, c config.Config) []string {
	b := *a
	b.server = "" // the one that is examined is here
	status, answer, _, err := b.adminRequest(ctx, c, http.MethodGet, "/listening", nil)
	var said struct {
		Addresses []string `json:"addresses"`
	}
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &said) != nil {
		return nil
	}
	return said.Addresses
}

// addresses are those that this server answers at, and as its configuration has
// them: localhost is an address too.
func (m *machine) addresses() []string {
	all := []string{m.address, m.config.Listen, m.config.WebhookListen, m.config.AdminListen}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" || strings.HasSuffix(s, ":0") })
	slices.Sort(all)
	return slices.Compact(all)
}

// examineAddress tries an address. One that is taken is all right where the server of
// this data directory has it, which alone knows that it does.
func examineAddress(addr, with string, theirs []string) (string, error) {
	l, err := net.Listen("tcp", addr)
	switch {
	case err == nil:
		return addr + " is free", l.Close()
	case slices.Contains(theirs, addr):
		return "the server that runs in this data directory answers at " + addr, nil
	case errors.Is(err, unix.EADDRINUSE) && theirs != nil:
		return "", fmt.Errorf("%s is taken by another program: the server that runs in this data directory has %s; stop that program, or choose another address with %s", addr, strings.Join(theirs, ", "), with)
	case errors.Is(err, unix.EADDRINUSE):
		return "", fmt.Errorf("%s is taken by another program, or a server with another data directory; stop it, or choose another address with %s", addr, with)
	}
	return "", fmt.Errorf("%s cannot be listened on: %w; choose another with %s", addr, err, with)
}

func examineClickHouse(ctx context.Context, c config.Config) (string, error) {
	if c.ClickHouse.DSN == "" {
		path, err := embedded.Library(ctx)
		if err != nil {
			return "", err
		}
		return "embedded, with " + path, nil
	}
	options, err := storage.ParseDSN(c.ClickHouse.DSN)
	if err != nil {
		return "", err
	}
	db, err := storage.Open(storage.Config{Options: options})
	if err != nil {
		return "", err
	}
	return "the server answers", errors.Join(db.Ping(ctx), db.Close())
}

func (a *app) examineKafka(ctx context.Context, c config.Config) (string, error) {
	if len(c.Kafka.Brokers) == 0 {
		return "embedded", nil
	}
	served, err := servedKafka(c.Kafka, a.log)
	if err != nil {
		return "", err
	}
	version, err := kafka.Version(ctx, served)
	if err != nil {
		return "", err
	}
	return "the brokers answer: " + version, nil
}
