package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"meridian/e2e/service"
)

// imports is who may import whom: the table of ARCHITECTURE.md, and below it the packages that make one of its rows smaller. An
// arrow that is not here is not there. A new package gets a line with its reason, or becomes part of another one.
var imports = []struct {
	pkg  string
	may  string // of ours; "all" for the wiring
	what string
}{
	{"streaming/timeline", "", "instants and zones: the only place where zones are applied"},
	{"ingest/event", "streaming/timeline", "the canonical language"},
	{"ingest/catalog", "ingest/event streaming/timeline", "people, teams, services, all dated"},
	{"ingest", "ingest/event ingest/catalog streaming streaming/timeline", "receivers and the route stage"},
	{"ingest/github", "ingest ingest/event ingest/payload streaming/timeline", "a source: sources import ingest, never the reverse"},
	{"ingest/jira", "ingest ingest/event ingest/payload streaming/timeline", "a source"},
	{"ingest/deploy", "ingest ingest/event ingest/payload streaming/timeline", "a source"},
	{"ingest/backfill", "ingest streaming/timeline", "what reading history from an API has in common: waiting, going on after a crash, progress"},
	{"ingest/backfill/github", "ingest ingest/backfill ingest/event streaming/timeline", "what to read of GitHub"},
	{"ingest/backfill/jira", "ingest ingest/backfill ingest/event streaming/timeline", "what to read of Jira"},
	{"ingest/backfill/fakeapi", "", "both APIs over HTTP, for tests"},
	{"streaming", "streaming/timeline", "shards and clocks: nothing of GitHub, metrics, Kafka or SQL"},
	{"streaming/kafka", "streaming streaming/timeline streaming/kafka/controlpb", "the only place that knows Kafka"},
	{"metrics", "ingest/event ingest/catalog streaming streaming/timeline", "definitions, folds and the engine stage; no I/O"},
	{"storage", "metrics ingest/event streaming streaming/timeline migrations", "ClickHouse: the only place that knows SQL"},
	{"web", "metrics ingest/event streaming streaming/timeline web/language web/views docs/sources", "pages and API; of streaming the number of a generation"},
	{"cmd/meridian", "all", "wiring in straight lines"},
	{"e2e", "", "black-box tests; its helpers are below"},

	{"ingest/payload", "ingest ingest/event streaming/timeline", "what the decoders of all sources do alike: times, addresses, what is left out of a body"},
	{"ingest/event/eventpb", "", "the record format of events, for people and other languages; a test holds the codec to it"},
	{"ingest/logpb", "ingest/event/eventpb", "the record format of deliveries, likewise"},
	{"streaming/kafka/controlpb", "", "the record format of meridian.control"},
	{"storage/embedded", "", "ClickHouse as a child process: nothing of Meridian's tables"},
	{"storage/embedded/fetch", "storage/embedded", "a command for make"},
	{"migrations", "", "SQL files"},
	{"web/language", "", "every text of the pages, one file for each language"},
	{"web/views", "web/language", "pure components: they draw what they are given"},
	{"docs/sources", "", "pages that say how sources are connected, for the repository and the program"},
	{"cmd/meridian/config", "streaming/timeline ingest/catalog", "settings: what they are, not what they do; of the catalog only how it finds the nearest name"},
	{"cmd/meridian/jobs", "streaming/timeline", "long work: one after another, resumable, with progress; not what it does"},
	{"cmd/meridian/demo", "ingest streaming/timeline", "a synthetic organisation, as payloads and signatures"},
	{"deploy", "", "a test of the Compose file"},

	{"ingest/payload/decodertest", "ingest ingest/event streaming/timeline", "the harness of decoder fixtures"},
	{"streaming/snapshottest", "streaming", "the conformance suite of snapshot stores"},
	{"streaming/simulation", "", "tests of the whole machine under every fault; nothing imports it"},
	{"streaming/kafka/kafkatest", "streaming streaming/kafka streaming/snapshottest streaming/timeline", "the conformance suite of brokers"},
	{"streaming/kafka/flinkbench", "streaming streaming/kafka streaming/timeline", "a command that measures the stage beside another engine"},
	{"storage/embedded/embeddedtest", "storage/embedded", "a ClickHouse for the tests of other packages"},
	{"web/webtest", "metrics ingest/event streaming streaming/timeline web", "canned states of an organisation"},
	{"web/storybook", "metrics web web/webtest", "a command that shows the canned states"},

	{"e2e/service", "", "what a missing program means for a test"},
	{"e2e/kafka", "e2e/service", "a real broker"},
	{"e2e/kafka/run", "e2e/kafka", "a command for make"},
	{"e2e/browser", "e2e/service", "a real browser"},
	{"e2e/senders", "", "payloads and signatures, written by hand"},
	{"e2e/instance", "e2e/senders e2e/service", "the built binary as a process"},
	{"e2e/broker", "", "tests on a real broker"},
	{"e2e/pages", "", "tests in a real browser"},
}

func TestImports_AreTheTable(t *testing.T) {
	const module = "meridian/"
	tree, err := service.Tree()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = tree
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string // without those of test files
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		i := slices.IndexFunc(imports, func(row struct{ pkg, may, what string }) bool { return row.pkg == name })
		if i < 0 {
			t.Errorf("package %s is not in the table of imports: give it a line with a reason, or make it part of another", name)
			continue
		}
		seen[name] = true
		for _, path := range p.Imports {
			of, ours := strings.CutPrefix(path, module)
			if ours && imports[i].may != "all" && !slices.Contains(strings.Fields(imports[i].may), of) {
				t.Errorf("%s (%s) imports %s; it may import %q", name, imports[i].what, of, imports[i].may)
			}
		}
	}
	for _, row := range imports {
		if !seen[row.pkg] {
			t.Errorf("the table of imports has %s, which is no package", row.pkg)
		}
	}
}
