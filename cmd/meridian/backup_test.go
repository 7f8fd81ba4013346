package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"meridian/streaming/kafka"
)

// restored is a new instance from a backup.
func restored(t *testing.T, catalog []byte, backup, more string) testInstance {
	t.Helper()
	in := newTestInstance(t, catalog, kafka.EmbeddedEvents, more)
	in.command(t, "restore", backup)
	return in
}

// A backup that is taken while the server runs, as a file and as a folder, gives
// every row again, and an instance that goes on from there.
func TestARestoredInstanceIsTheSame(t *testing.T) {
	history, catalog, last := organisation(t, 200)
	home := newTestInstance(t, catalog, kafka.EmbeddedEvents, "")
	home.command(t, "import", history)
	folder := t.TempDir()
	file, dir := filepath.Join(folder, "backup.tar.zst"), filepath.Join(folder, "backup")+"/"
	var want map[string]string
	home.serve(t, last, func() {
		want = home.rows(t)
		home.command(t, "backup", file)
		home.command(t, "backup", dir)
	})
	stopped := filepath.Join(folder, "stopped.tar")
	home.command(t, "backup", stopped)
	if left, err := filepath.Glob(filepath.Join(home.dir, pictureFolder+"*")); err != nil || len(left) > 0 {
		t.Errorf("the pictures %q were left behind, %v", left, err)
	}

	restored(t, catalog, stopped, "")
	for _, backup := range []string{file, dir} {
		address := freeAddress(t)
		in := restored(t, catalog, backup, "webhook_listen: "+address+"\n")
		a, errA := os.ReadFile(filepath.Join(home.dir, "instance.json"))
		b, errB := os.ReadFile(filepath.Join(in.dir, "instance.json"))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("the instance is another, %v, %v", errA, errB)
		}
		in.serve(t, last, func() {
			sameRows(t, "restored from "+filepath.Base(backup), in.rows(t), want)
			body := fmt.Appendf(nil, `{"id": "run-after", "service": "after", "environment": "production", "status": "success", "finished_at": %q}`, time.Now().UTC().Format(time.RFC3339))
			await(t, make(chan int), func() error { return deliver("http://"+address+"/webhooks/deploy/ci", "zebra", body) })
			const question = "SELECT max(generation), count() FROM observations_live FINAL WHERE service = 'after' AND metric = 'deploy_frequency'"
			await(t, make(chan int), func() error {
				if got := strings.TrimSpace(in.command(t, "sql", "--format", "TabSeparated", question)); got != "1\t1" {
					return fmt.Errorf("generation and rows of what came afterwards are %q", got)
				}
				return nil
			})
		})
	}
}

// Whatever is under way when the picture is taken, what was acknowledged before is
// in it, and every delivery in it becomes a row, once, in the same generation.
func TestABackupUnderLoad(t *testing.T) {
	address := freeAddress(t)
	home := newTestInstance(t, nil, kafka.EmbeddedEvents, "webhook_listen: "+address+"\n")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--config", home.config}, streams{in: strings.NewReader(""), out: io.Discard, err: outputOf(t)})
	}()
	var tried, acknowledged atomic.Int64 // what was not acknowledged may have landed all the same
	send := func() error {
		i := tried.Add(1)
		body := fmt.Appendf(nil, `{"id": "run-%d", "service": "checkout", "environment": "production", "status": "success", "finished_at": %q}`, i, time.Now().UTC().Format(time.RFC3339))
		err := deliver("http://"+address+"/webhooks/deploy/ci", "zebra", body)
		if err == nil {
			acknowledged.Add(1)
		}
		return err
	}
	await(t, ended, send)
	await(t, ended, func() error {
		_, err := os.Stat(filepath.Join(home.dir, adminSocket))
		return err
	})
	sending, sent := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sent)
		for {
			select {
			case <-sending:
				return
			default:
				_ = send()
			}
		}
	}()
	folder := t.TempDir()
	var backups []string
	var before []int64
	for i := range 2 {
		n := acknowledged.Load()
		await(t, ended, func() error {
			if now := acknowledged.Load(); now < n+20 {
				return fmt.Errorf("%d deliveries were acknowledged, want %d", now, n+20)
			}
			return nil
		})
		before = append(before, acknowledged.Load())
		backups = append(backups, filepath.Join(folder, fmt.Sprintf("backup-%d.tar.gz", i)))
		home.command(t, "backup", backups[i])
	}
	close(sending)
	<-sent
	stop()
	if code := <-ended; code != exitOK {
		t.Fatalf("exit code %d", code)
	}

	for i, backup := range backups {
		in := restored(t, nil, backup, "")
		file := filepath.Join(folder, "log.jsonl")
		in.command(t, "export", file)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(data, []byte(`"source":"deploy"`))
		if n < int(before[i]) || n > int(tried.Load()) {
			t.Errorf("backup %d holds %d deliveries; %d were acknowledged before, %d sent in the end", i, n, before[i], tried.Load())
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan int, 1)
		go func() {
			ended <- run(ctx, []string{"serve", "--config", in.config}, streams{in: strings.NewReader(""), out: io.Discard, err: outputOf(t)})
		}()
		await(t, ended, func() error {
			if _, err := os.Stat(filepath.Join(in.dir, adminSocket)); err != nil {
				return err
			}
			var out bytes.Buffer
			const question = "SELECT max(generation), count() FROM observations_live FINAL WHERE metric = 'deploy_frequency' AND service = 'checkout' AND team = 'checkout'"
			run(ctx, []string{"sql", "--config", in.config, "--format", "TabSeparated", question}, streams{in: strings.NewReader(""), out: &out, err: io.Discard})
			if got, want := strings.TrimSpace(out.String()), fmt.Sprintf("1\t%d", n); got != want {
				return fmt.Errorf("generation and rows are %q, want %q", got, want)
			}
			return nil
		})
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("exit code %d", code)
		}
	}
}

// A backup that a crash cut off leaves links behind, and the next start takes them away.
func TestPicturesThatWereLeftAreRemoved(t *testing.T) {
	dir := t.TempDir()
	p, err := takePicture(dir, filepath.Join(dir, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.links, "0"), []byte("a delivery"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := openInstance(t.Context(), dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.close()
	if _, err := os.Stat(p.links); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v; want it gone", p.links, err)
	}
}

// What is no whole backup is not restored, and nothing is restored over anything.
func TestWhatIsNoBackupIsNotRestored(t *testing.T) {
	home := newTestInstance(t, nil, kafka.EmbeddedEvents, "")
	if _, err := openInstance(t.Context(), home.dir, 1); err != nil { // makes one; its lock ends with the test
		t.Fatal(err)
	}
	p, err := takePicture(home.dir, filepath.Join(home.dir, "archive"))
	if err != nil {
		t.Fatal(err)
	}
	var whole bytes.Buffer
	if err := p.write(t.Context(), backupInfo{}, &whole); err != nil {
		t.Fatal(err)
	}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	try := func(what string, data []byte, want string) {
		t.Helper()
		in := newTestInstance(t, nil, kafka.EmbeddedEvents, "")
		var said bytes.Buffer
		code := run(t.Context(), []string{"restore", "-", "--config", in.config}, streams{in: bytes.NewReader(data), out: io.Discard, err: &said})
		if code != exitError || !strings.Contains(said.String(), want) {
			t.Errorf("%s: exit code %d, said %q; want %q", what, code, said.String(), want)
		}
		if _, err := os.Stat(filepath.Join(in.dir, "instance.json")); err == nil {
			t.Errorf("%s: it became an instance", what)
		}
	}
	try("nothing", nil, "no whole backup")
	try("a text", []byte("hello\n"), "no whole backup")
	try("half of it", whole.Bytes()[:whole.Len()/2], "no whole backup")
	damaged := bytes.Replace(whole.Bytes(), []byte(`"delivery_partitions": 1`), []byte(`"delivery_partitions": 2`), 1)
	try("another byte", damaged, "instance.json is not what was written")
	var strange bytes.Buffer
	w := tar.NewWriter(&strange)
	for name, text := range map[string]string{backupHead: `{"format": 1}`} {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
	}
	if err := w.WriteHeader(&tar.Header{Name: "../outside", Size: 0}); err != nil {
		t.Fatal(err)
	}
	try("a way out", strange.Bytes(), "leads out of it")

	if err := os.WriteFile(filepath.Join(home.dir, "kept"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := run(t.Context(), []string{"restore", "-", "--config", home.config}, streams{in: bytes.NewReader(whole.Bytes()), out: io.Discard, err: &said}); code != exitError || !strings.Contains(said.String(), "not empty") {
		t.Errorf("over an instance: exit code %d, said %q", code, said.String())
	}
}
