package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// jobOf is the newest job of an instance, as its owner sees it.
func jobOf(c instance.Config) (j struct {
	Kind, State, Error string
	Runs               int
}, err error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(c.Dir, "admin.sock"))
	}}}
	res, err := client.Get("http://localhost/api/v1/jobs")
	if err != nil {
		return j, err
	}
	defer res.Body.Close()
	var answer struct{ Items []json.RawMessage }
	data, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(data, &answer)
	}
	if err != nil || len(answer.Items) == 0 {
		return j, errors.Join(err, errors.New("there is no job"))
	}
	return j, json.Unmarshal(answer.Items[0], &j)
}

// A server is killed while it erases somebody. It goes on when it is started again, and no file of its data directory
// names them; their work is counted as before.
func TestErase_GoesOnAfterAKill(t *testing.T) {
	quokka := senders.User{Login: "quokka-mai", ID: 990099}
	dir := instance.Folder(t)
	c := instance.Config{Dir: filepath.Join(dir, "data"), Catalog: senders.Catalog, More: "privacy: {min_people: 2}"}
	in := instance.Serve(t, c)
	day := monday()
	for n := range 20 {
		pr := senders.PullRequest{Repository: senders.Web, Number: 100 + n, Author: quokka, Created: at(day, "09:00")}
		in.MustSend("accepted", pr.Opened(), pr.Reviewed(10*n, senders.Jonas, at(day, "10:00")), pr.Merged(senders.Jonas, at(day, "11:00")))
	}
	merged := func(in *instance.Instance) error {
		points, err := in.Points("metric=pr_merged&team=web&grain=day&from="+at(day, "-6:00").Format("2006-01-02T15:04:05Z07:00"), 20_000)
		n := int64(0)
		for _, p := range points {
			n += p.N
		}
		if err == nil && n != 20 {
			err = fmt.Errorf("%d were merged, want 20", n)
		}
		return err
	}
	instance.Await(t, func() error { return merged(in) })
	if named(t, c.Dir, "quokka-mai") == "" {
		t.Fatal("nothing of them is found before; this test looks in the wrong places")
	}

	client := c.Begin(t, "erase", "--person", "quokka-mai")
	instance.Await(t, func() error {
		j, err := jobOf(c)
		if err == nil && j.State != "running" {
			err = fmt.Errorf("the job is %s", j.State)
		}
		return err
	})
	in.Kill()
	if client.Wait() == nil {
		t.Error("the command says that it is done, and its server was killed")
	}
	in = instance.Serve(t, c)
	instance.Await(t, func() error {
		j, err := jobOf(c)
		if err == nil && j.State != "done" {
			err = fmt.Errorf("the job is %s %s", j.State, j.Error)
		}
		if err == nil && j.Runs < 2 {
			t.Errorf("the job ran %d times: it was over before the server was killed", j.Runs)
		}
		return err
	})
	instance.Await(t, func() error { return merged(in) })
	if where := named(t, c.Dir, "quokka-mai", "990099"); where != "" {
		t.Errorf("they are still in %s", where)
	}
	if log := c.Must(t, "export", "-"); strings.Contains(log, "quokka-mai") || !strings.Contains(log, "erased~") {
		t.Error("the exported log has them, or nobody in their place")
	}
	if o := c.Command(t, "verify"); o.Code != 0 {
		t.Errorf("verify: exit code %d\n%s%s", o.Code, o.Out, o.Err)
	}
}

// named is a file that has one of these texts, as it lies there; "" is none. (Packed files are unpacked by the tests of
// cmd/meridian.)
func named(t *testing.T, dir string, texts ...string) (where string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, text := range texts {
			if bytes.Contains(bytes.ToLower(data), []byte(text)) {
				where = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return where
}
