package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
	"meridian/e2e/service"
)

// On a full disk the sender is told no within 5 s, and what was acknowledged before and after is counted once.
func TestFullDisk_IsToldAndLosesNothing(t *testing.T) {
	dir := filepath.Join(instance.Folder(t), "disk")
	mountSmall(t, dir)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog}
	in := instance.Serve(t, c)
	in.AwaitParts()
	day := monday()
	merged := func(n int) senders.Delivery {
		return senders.PullRequest{Repository: senders.Web, Number: n, Author: senders.Mai, Created: at(day, "09:00")}.Merged(senders.Jonas, at(day, "10:00"))
	}
	taken, refused, longest := int64(0), 0, time.Duration(0)
	send := func(n int) error {
		began := time.Now()
		a, err := in.Send(merged(n))
		switch {
		case err != nil:
			return err
		case a.Status == http.StatusAccepted:
			taken++
		case a.Status == http.StatusServiceUnavailable:
			refused++
			if a.Header.Get("Retry-After") == "" || a.Detail() == "" {
				t.Errorf("the refusal has no Retry-After, or no detail: %v %s", a.Header, a.Body)
			}
			longest = max(longest, time.Since(began)) // that it is below 5 s is tested where the time can be played
		default:
			return fmt.Errorf("%d: %s", a.Status, a.Body)
		}
		return nil
	}
	n := 0
	next := func() {
		t.Helper()
		n++
		if err := send(n); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		next()
	}
	filler := fill(t, dir)
	for range 500 {
		if next(); refused >= 3 {
			break
		}
	}
	if refused < 3 {
		t.Fatalf("the disk is full, and %d of %d deliveries were taken", taken, n)
	}
	if a, err := in.Ask(http.MethodGet, "/livez", nil, nil); err != nil || a.Status != 200 {
		t.Errorf("/livez on a full disk: %d, %v", a.Status, err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	before := taken
	instance.Await(t, func() error {
		if next(); taken == before {
			return errors.New("there is room again, and deliveries are still refused")
		}
		return nil
	})
	for range 20 {
		next()
	}
	t.Logf("%d taken, %d refused, which took %v at most", taken, refused, longest)
	counted := func(in *instance.Instance) {
		t.Helper()
		var last instance.Point
		err := instance.Poll(4*time.Minute, func() error {
			points, err := in.Points("metric=pr_merged&team=web&grain=day&from="+at(day, "-6:00").Format(time.RFC3339), 20_000)
			if err != nil {
				return err
			}
			for _, p := range points {
				// What was refused may have landed all the same, and was not sent again.
				if last = p; p.N >= taken && p.N <= taken+int64(refused) {
					return nil
				}
			}
			return fmt.Errorf("%d were taken and %d refused; the last point is %s", taken, refused, last.Line)
		})
		if err != nil {
			t.Error(err)
		}
	}
	counted(in)
	in.Kill()
	in.AwaitGone()
	counted(instance.Serve(t, c))
}

// A start on a full disk says that it is full, and not what the broker makes of that.
func TestFullDisk_AtStartIsNamed(t *testing.T) {
	dir := filepath.Join(instance.Folder(t), "disk")
	mountSmall(t, dir)
	c := instance.Config{Dir: filepath.Join(dir, "data")}
	in := instance.Serve(t, c)
	in.AwaitParts()
	in.MustSend("accepted", senders.Deployed("run-1", "cart", "production", "success", "", monday()))
	if code := in.Stop(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	filler := fill(t, dir)
	o := instance.Run(t, "serve", "--listen", "127.0.0.1:0", "--data-dir", c.Dir)
	if o.Code != 4 || !strings.Contains(o.Err, "the disk of "+c.Dir+" is full") || strings.Contains(o.Err, "message.max.bytes") {
		t.Errorf("exit code %d, it said\n%s", o.Code, o.Err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	in = instance.Serve(t, c)
	in.AwaitParts()
}

// fill writes a file until the disk is full.
func fill(t *testing.T, dir string) (path string) {
	path = filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			size /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// mountSmall makes dir a disk of its own, with little room.
func mountSmall(t *testing.T, dir string) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=96m"); err != nil {
		service.Missing(t, fmt.Errorf("a small disk can be mounted by root alone: %w", err))
	}
	t.Cleanup(func() {
		if t.Failed() {
			return // what is on it may be wanted
		}
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("take the small disk away: %v", err)
		}
	})
}
