package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// Every address that serve would listen on is tried, each with what chooses
// another one.
func TestDoctorTriesEveryAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, value := range map[string]string{
		"LISTEN": "127.0.0.1:0", "WEBHOOK_LISTEN": "127.0.0.1:0", "ADMIN_LISTEN": taken.Addr().String(), "DATA_DIR": t.TempDir(),
	} {
		t.Setenv("MERIDIAN_"+name, value)
	}
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"doctor"}, streams{in: strings.NewReader(""), out: &out, err: &said}); code != exitUnavailable {
		t.Errorf("exit code %d, want %d", code, exitUnavailable)
	}
	for _, want := range []string{"ok    address", "ok    webhooks", "FAIL  admin", "choose another address with admin_listen"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}
