package instance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"meridian/e2e/service"
)

// binaryVariable names the binary under test. Set it to test one that was built elsewhere.
const binaryVariable = "MERIDIAN_TEST_BINARY"

// Main is the TestMain of a package of black-box tests: it builds the binary once, from the tree as it stands, so that
// no test ever sees a stale one.
func Main(m *testing.M) int {
	if os.Getenv(binaryVariable) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "meridian-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the binary under test:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "meridian")
	if err := build(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv(binaryVariable, path)
	return m.Run()
}

func build(path string) error {
	tree, err := service.Tree()
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "./cmd/meridian")
	cmd.Dir = tree
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the binary under test: %w\n%s", err, out)
	}
	return nil
}

// Binary is the path of the binary under test.
func Binary() string { return os.Getenv(binaryVariable) }
