package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A stop in the middle of an open page ends with 0, leaves no process and no socket, lets go of the lock, and the next
// start has the same numbers, sessions and secrets.
func TestStop_LeavesNothingAndTheNextStartGoesOn(t *testing.T) {
	c := instance.Config{Dir: filepath.Join(instance.Folder(t), "data"), Catalog: senders.Catalog, More: "privacy: {min_people: 2}"}
	day := monday()
	in := instance.Serve(t, c)
	in.AwaitParts()
	sendMonday(in, day)
	pickup := want{"pr_pickup_time", "day", "", "-5:-30", 1, "9000", ""}
	instance.Await(t, func() error { return pickup.check(in, day) })
	reader := in.SignIn()
	events := reader.Events(t.Context()) // an open page must not hold the stop up

	if o := instance.Run(t, "healthcheck", "--server", in.URL); o.Code != 0 || o.Out != "ready\n" {
		t.Errorf("healthcheck of a running instance: %+v", o)
	}
	socket := filepath.Join(c.Dir, "admin.sock")
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the admin socket: %v, %v", info, err)
	}
	began := time.Now()
	if code := in.Stop(); code != 0 {
		t.Errorf("exit code %d after SIGTERM", code)
	}
	t.Logf("stopped in %v", time.Since(began))
	for range events { // ends with the instance
	}
	in.AwaitGone()
	if _, err := os.Stat(socket); !os.IsNotExist(err) {
		t.Errorf("the admin socket is still there: %v", err)
	}
	if o := instance.Run(t, "healthcheck", "--server", in.URL); o.Code != 4 {
		t.Errorf("healthcheck of a stopped instance: %+v", o)
	}

	began = time.Now()
	again := instance.Serve(t, c)
	t.Logf("started again in %v", time.Since(began))
	instance.Await(t, func() error { return pickup.check(again, day) })
	reader.Moved(again)
	if text := reader.Page("/teams/web"); text == "" {
		t.Error("the session did not survive the restart")
	}
	// What was sent before is known: sent again, it changes nothing.
	sendMonday(again, day)
	again.AwaitTaken(time.Now())
	if err := pickup.check(again, day); err != nil {
		t.Error(err)
	}
}
