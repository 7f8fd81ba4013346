package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// What the commands write of a served instance, of a stopped one, of one that was restored from a backup and of one
// that was moved with an archive is the same to the byte; and it is what `replay` makes of the deliveries.
func TestData_GoesOutAndComesBack(t *testing.T) {
	dir := instance.Folder(t)
	history := senders.History(5, spring, 12)
	last := senders.LastTick(history, true)
	archive := instance.Write(t, dir, "archive.jsonl", senders.Archive(history, true))
	catalog := instance.Write(t, dir, "catalog.yaml", senders.Catalog)
	printed, err := instance.ParsePoints(instance.Must(t, "replay", "--input", archive, "--catalog", catalog, "--print"))
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) instance.Config {
		return instance.Config{Dir: filepath.Join(dir, name), Catalog: senders.Catalog, More: "privacy: {min_people: 2}"}
	}
	home := at("home")
	home.Import(t, archive, false)
	in := instance.Serve(t, home)
	in.AwaitClock(last)
	points, evidence := home.Exported(t)
	exported, err := instance.ParsePoints(points)
	if err != nil {
		t.Fatal(err)
	}
	if len(exported) < 500 || strings.Count(evidence, "\n") < 100 {
		t.Fatalf("only %d points and %d lines of evidence", len(exported), strings.Count(evidence, "\n"))
	}
	for _, line := range instance.Diff(instance.Latest(printed), instance.Latest(exported), instance.Line) {
		t.Error(line)
	}
	if len(instance.Latest(exported)) != len(exported) {
		t.Error("a point was exported twice")
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	home.Must(t, "export", file("log.jsonl.zst"))
	home.Must(t, "export", "--what", "points", "--format", "parquet", file("points.parquet"))
	if data := read(t, file("points.parquet")); !bytes.HasPrefix(data, []byte("PAR1")) || !bytes.HasSuffix(data, []byte("PAR1")) {
		t.Errorf("the file of %d bytes is no Parquet", len(data))
	}
	csv := home.Must(t, "export", "--what", "points", "--format", "csv", "-")
	if got := strings.Count(csv, "\n"); got != len(exported)+1 {
		t.Errorf("%d lines of CSV, want one for each of %d points and one of names", got, len(exported))
	}
	catalogs := home.Must(t, "export", "--what", "catalog", "-")
	if catalogs != senders.Catalog {
		t.Errorf("the catalog in force is\n%s", catalogs)
	}
	home.Must(t, "backup", file("backup.tar.zst"))
	agree := func(c instance.Config, how string) {
		t.Helper()
		if o := c.Command(t, "verify"); o.Code != 0 || !strings.Contains(o.Out, "all of them agree") {
			t.Errorf("verify, %s: exit code %d\n%s%s", how, o.Code, o.Out, o.Err)
		}
	}
	agree(home, "served")
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	same := func(c instance.Config, how string) {
		t.Helper()
		p, e := c.Exported(t)
		if p != points {
			t.Errorf("%s: %d points, were %d, or not the same", how, strings.Count(p, "\n"), len(exported))
			have, err := instance.ParsePoints(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range instance.Diff(instance.Latest(exported), instance.Latest(have), instance.Line) {
				t.Error(line)
			}
		}
		if e != evidence {
			t.Errorf("%s: the evidence is not the same", how)
		}
	}
	agree(home, "stopped")
	same(home, "stopped")

	restored := at("restored")
	restored.Must(t, "restore", file("backup.tar.zst"))
	moved := at("moved")
	moved.Must(t, "import", file("log.jsonl.zst"), "--key", filepath.Join(home.Dir, "instance.json"))
	for how, c := range map[string]instance.Config{"restored": restored, "moved": moved} {
		in := instance.Serve(t, c)
		in.AwaitClock(last)
		same(c, how)
		agree(c, how)
		if code := in.Stop(); code != 0 {
			t.Errorf("%s: exit code %d", how, code)
		}
	}
	if o := restored.Command(t, "restore", file("backup.tar.zst")); o.Code != 1 || !strings.Contains(o.Err, "not empty") {
		t.Errorf("a second time: exit code %d, %s", o.Code, o.Err)
	}
}

// A command that is killed while it writes a file leaves no half of one, under whatever name.
func TestData_AKilledCommandLeavesNothing(t *testing.T) {
	dir := instance.Folder(t)
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(out, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		t.Skipf("the file system of %s has no files without a name: %v", out, err)
	}
	_ = unix.Close(fd)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog}
	in := instance.Serve(t, c)
	in.AwaitParts()
	sendMonday(in, monday())
	killed := 0
	for i := range 16 {
		cmd := c.Begin(t, "backup", filepath.Join(out, "backup.tar"))
		time.Sleep(time.Duration(i) * 20 * time.Millisecond) // anywhere between its start and its end
		_ = cmd.Process.Kill()
		if cmd.Wait() != nil {
			killed++
		}
		left, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range left {
			if e.Name() != "backup.tar" {
				t.Fatalf("%s is left of a command that was killed", e.Name())
			}
			if err := os.Remove(filepath.Join(out, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	if killed == 0 {
		t.Error("none was killed before its end")
	}
	t.Logf("%d of 16 were killed before their end", killed)
}
