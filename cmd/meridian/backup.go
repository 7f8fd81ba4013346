package main

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"meridian/cmd/meridian/config"
)

func (a *app) backupCommand() *cobra.Command {
	var dataDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "backup FILE|DIR", Short: "Write everything that an instance is to one file, while it runs", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Writes the data directory as one tar file, also while the server runs: log, archive, snapshots,\n" +
			"tables, catalogs, and the keys and secrets without which the rest is worth little. Whoever has\n" +
			"it has everything: keep it as you would keep those. A name that ends in .zst or .gz is\n" +
			"compressed; a folder gets the files as they are. `meridian restore` takes both.\n\n" +
			"It is for an instance that has log and tables in its data directory. Brokers and a ClickHouse of\n" +
			"one's own have backups of their own, and `meridian export` takes the log from them.",
		Example: "  meridian backup /backups/meridian-$(date +%F).tar.zst",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.config(func(c *config.Config) { setIf(cmd, "data-dir", &c.DataDir, dataDir) })
			if err != nil {
				return err
			}
			began := time.Now()
			info, err := a.backup(cmd.Context(), c, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.out).Encode(info)
			}
			fmt.Fprintf(a.err, "%s holds instance %s as it was at %s: %d files, %d MiB, in %s.\n", args[0], info.Instance,
				info.Taken.Format(time.RFC3339), info.Files, info.Bytes>>20, time.Since(began).Round(100*time.Millisecond))
			return nil
		},
	}
	cmd.Flags().StringVar(&dataDir, "data-dir", "", "the instance's data directory (default ./meridian-data)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was written as JSON")
	return cmd
}

// backup writes to a file, or to a folder where path is one or ends in a slash.
func (a *app) backup(ctx context.Context, c config.Config, path string) (info backupInfo, err error) {
	if err := embeddedOnly(c); err != nil {
		return info, err
	}
	if isFolder(path) {
		return a.backupToFolder(ctx, c, path)
	}
	out, err := createFile(path, a.out)
	if err != nil {
		return info, err
	}
	defer func() { err = errors.Join(err, out.close(err == nil)) }()
	read, write := io.Pipe()
	checked := make(chan error, 1)
	go func() { // what is written is read again on its way, so that half a backup is none
		var err error
		info, err = readBackup(read, func(backupInfo) error { return nil }, func(*tar.Header, io.Reader) error { return nil })
		_, _ = io.Copy(io.Discard, read)
		checked <- err
	}()
	err = a.sendBackup(ctx, c, io.MultiWriter(out, write))
	return info, errors.Join(err, write.Close(), <-checked)
}

func (a *app) backupToFolder(ctx context.Context, c config.Config, dir string) (info backupInfo, err error) {
	if ok, err := emptyEnough(dir); err != nil || !ok {
		return info, errors.Join(err, fmt.Errorf("%s is not empty; name a new folder for each backup", dir))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return info, fmt.Errorf("cannot make %s: %w", dir, err)
	}
	read, write := io.Pipe()
	written := make(chan error, 1)
	go func() {
		var err error
		info, err = readBackup(read, func(backupInfo) error { return nil }, func(h *tar.Header, r io.Reader) error {
			return unpack(dir, filepath.Join(dir, "archive"), h, r)
		})
		if err == nil {
			err = writeFileSynced(filepath.Join(dir, backupSums), info.sums)
		}
		if err == nil {
			var head []byte
			if head, err = json.Marshal(info); err == nil { // last: without it the folder is no backup
				err = writeFileSynced(filepath.Join(dir, backupHead), append(head, '\n'))
			}
		}
		_, _ = io.Copy(io.Discard, read)
		written <- err
	}()
	err = a.sendBackup(ctx, c, write)
	return info, errors.Join(err, write.Close(), <-written)
}

// sendBackup writes a backup as a tar, from the running server or from a stopped
// instance.
func (a *app) sendBackup(ctx context.Context, c config.Config, to io.Writer) (err error) {
	counted := &countingWriter{to: to, progress: newBackupProgress(a.err)}
	if a.server != "" || a.serverAnswers(ctx, c) {
		return a.adminStream(ctx, c, http.MethodGet, "/backup", nil, counted)
	}
	if err := mustBeInstance(c.DataDir); err != nil {
		return err
	}
	in, err := openInstance(ctx, c.DataDir, deliveryPartitions(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	p, err := takePicture(in.dir, archiveDir(c, in))
	if err != nil {
		return err
	}
	return errors.Join(p.write(ctx, backupInfo{Instance: in.id(), Taken: time.Now().UTC()}, counted), p.close())
}

func embeddedOnly(c config.Config) error {
	if len(c.Kafka.Brokers) > 0 || c.ClickHouse.DSN != "" {
		return errors.New("this instance has its log or its tables on servers of your own, of which no picture can be taken from here. " +
			"`meridian export FILE` takes the whole log, archive included, and `meridian import FILE --key instance.json` computes everything from it again, on any brokers; " +
			"keep instance.json, secrets.json and tokens.json of the data directory with it, and where months of deliveries were trimmed, ClickHouse's own backup (BACKUP DATABASE), which alone has the numbers of those (docs/data.md)")
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || strings.HasSuffix(path, string(filepath.Separator))
}

func newBackupProgress(out io.Writer) func(lines, bytes int64) {
	shown := time.Now()
	return func(_, bytes int64) {
		if time.Since(shown) >= time.Second {
			shown = time.Now()
			fmt.Fprintf(out, "%d MiB\n", bytes>>20)
		}
	}
}

// answerBackup is GET /backup of the admin socket. It holds keys and secrets, so it
// is for who can read the data directory anyway.
func (m *machine) answerBackup(w http.ResponseWriter, r *http.Request) {
	if !fromOwner(r) {
		answerProblem(w, http.StatusForbidden, "a backup holds the instance's keys; ask for it on the machine of the server, over the socket in its data directory")
		return
	}
	if err := embeddedOnly(m.config); err != nil {
		answerProblem(w, http.StatusConflict, err.Error())
		return
	}
	m.still.Lock()
	p, err := takePicture(m.instance.dir, archiveDir(m.config, m.instance))
	taken := time.Now().UTC()
	m.still.Unlock()
	if err != nil {
		answerProblem(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer p.close()
	w.Header().Set("Content-Type", "application/x-tar")
	if err := p.write(r.Context(), backupInfo{Instance: m.instance.id(), Taken: taken}, w); err != nil {
		m.app.log.Error("a backup broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	m.app.log.Info("a backup was taken", "files", len(p.items), "picture took", time.Since(taken).Round(time.Millisecond))
}
