package instance

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder makes an empty directory for one test. It is removed when the test passes, and stays, with its path printed,
// when the test fails: whoever looks into the failure finds data directory and logs there.
func Folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "meridian-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("everything that this test left is in %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("remove the test's directory: %v", err)
		}
	})
	return dir
}

// Write puts a file into a directory and returns its path.
func Write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
