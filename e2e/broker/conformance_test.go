package broker_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"meridian/e2e/kafka"
	"meridian/e2e/service"
)

// The suite that the embedded broker runs with each build, on a real one. It runs as a test of its own package, since
// nothing here imports the product.
func TestConformance_OfStreamingKafka(t *testing.T) {
	out := onARealOne(t, "./streaming/kafka", "^TestServed$")
	if n := strings.Count(out, "--- PASS: TestServed/"); n < 10 || strings.Contains(out, "--- SKIP: TestServed (") {
		t.Errorf("%d parts of the suite have passed:\n%s", n, out)
	}
}

// An instance over several processes, of which one is killed, and generations that begin and take over while it runs: the
// tests that the embedded broker runs with each build, and one that needs processes of the operating system.
func TestConformance_OfGenerationsAndRoles(t *testing.T) {
	tests := []string{
		"TestEnginesInThreeProcesses", "TestAnIngesterWhoseClockIsWrong", "TestAnInstanceOverFourProcesses", "TestAChangedCatalogBeginsAGenerationWhileTheServerRuns", "TestAPersonIsErasedOverSeveralProcesses",
	}
	out := onARealOne(t, "./cmd/meridian", "^("+strings.Join(tests, "|")+")$")
	for _, name := range tests {
		if !strings.Contains(out, "--- PASS: "+name+" (") {
			t.Errorf("%s has not passed:\n%s", name, out)
		}
	}
}

// onARealOne runs tests of a package of the product on a real broker, and returns what they print.
func onARealOne(t *testing.T, pkg, run string) string {
	t.Helper()
	broker := kafka.ForTest(t)
	tree, err := service.Tree()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-count=1", "-v", "-run", run, pkg)
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "MERIDIAN_TEST_KAFKA="+broker.Addr())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return string(out)
}
