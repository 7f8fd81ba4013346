package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// Commands that stand alone: what they print, where, and with which exit code.
func TestCommands(t *testing.T) {
	dir := instance.Folder(t)
	file := func(name, text string) string { return instance.Write(t, dir, name, text) }
	sound := file("catalog.yaml", senders.Catalog)
	config := file("meridian.yaml", "listen: 127.0.0.1:0\ndata_dir: "+dir+"/data\nzone: Europe/Berlin\nsources: {github: [{name: acme, secrets: [zebra]}]}\ncatalog: "+sound)
	line := senders.PullRequest{Repository: senders.Web, Number: 7, Author: senders.Mai, Created: at(spring, "09:00")}.Opened().Line(at(spring, "09:00:02"))

	for _, c := range []struct {
		name  string
		args  string
		stdin string
		code  int
		out   []string // parts of standard output; none: it has to be empty
		err   []string // parts of standard error; none: it has to be empty
	}{
		{"help", "--help", "", 0, []string{"serve", "replay", "doctor"}, nil},
		{"an unknown command", "sing", "", 2, nil, []string{`unknown command "sing"`, "--help"}},
		{"version", "version", "", 0, []string{"meridian", "logic", "zones"}, nil},
		{"metrics list", "metrics list", "", 0, []string{"pr_pickup_time", "pr_review_time", "pr_time_to_merge", "pr_merged", "deploy_frequency", "issue_cycle_time", "after_hours"}, nil},
		{"metrics explain", "metrics explain pr_pickup_time", "", 0, []string{"Starts when", "Ends with", "median"}, nil},
		{"metrics explain, unknown", "metrics explain pr_speed", "", 2, nil, []string{`"pr_speed"`, "metrics list"}},
		{"config show", "config show --config " + config, "", 0, []string{"zone: Europe/Berlin", "topic_prefix: meridian"}, nil},
		{"config check", "config check --config " + config, "", 0, nil, []string{"sound"}},
		{"config check, wrong", "config check --config " + file("wrong.yaml", "listn: x"), "", 3, nil, []string{"wrong.yaml:1", "listn"}},
		{"catalog check", "catalog check " + sound, "", 0, nil, []string{"sound"}},
		{"catalog check, wrong", "catalog check " + file("two.yaml", "zone: Nowhere\nteam: []"), "", 3, nil, []string{"two.yaml:1", "two.yaml:2"}},
		{"doctor", "doctor --config " + config, "", 0, []string{"ok    clickhouse", "ok    kafka", "2 teams"}, nil},
		{"doctor, no broker", "doctor --config " + file("broker.yaml", "kafka: {brokers: ['"+closedPort(t)+"']}\nlisten: 127.0.0.1:0\ndata_dir: "+dir+"/data"), "", 4, []string{"FAIL  kafka", "connection refused"}, []string{"unable to open connection"}},
		{"healthcheck, nobody", "healthcheck --server http://" + closedPort(t), "", 4, nil, []string{"no server answers"}},
		{"migrate", "migrate --config " + config, "", 0, []string{"00001_results.sql"}, []string{"clickhouse"}},
		{"migrate, again", "migrate --config " + config, "", 0, nil, []string{"up to date"}},
		{"replay without anything", "replay", "", 2, nil, []string{"--input", "--print"}},
		{"replay of nothing", "replay --input - --print", "", 0, nil, nil},
		{"replay of a missing file", "replay --print --input " + dir + "/none.jsonl", "", 1, nil, []string{"none.jsonl"}},
		{"replay of what is no archive", "replay --input - --print", line + "hello\n", 1, nil, []string{"line 2", "--skip-bad"}},
		{"replay that skips it", "replay --input - --print --skip-bad", line + "hello\n", 6, []string{"after_hours"}, []string{"1 lines"}},
		{"replay with an unknown grain", "replay --input - --print --grain week", line, 2, nil, []string{"week", "day30"}},
		{"replay with a catalog that is not there", "replay --input - --print --catalog " + dir + "/none.yaml", line, 3, nil, []string{"none.yaml"}},
		{"import into a used instance", "import - --config " + config, line, 0, nil, []string{"1 deliveries"}},
		{"import twice", "import - --config " + config, line, 1, nil, []string{"--data-dir"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := instance.Command{Args: strings.Fields(c.args), Dir: dir, Stdin: []byte(c.stdin)}.Run(t)
			if o.Code != c.code {
				t.Errorf("exit code %d, want %d", o.Code, c.code)
			}
			for _, s := range []struct {
				name, text string
				parts      []string
			}{{"standard output", o.Out, c.out}, {"standard error", o.Err, c.err}} {
				for _, part := range s.parts {
					if !strings.Contains(s.text, part) {
						t.Errorf("%s does not say %q", s.name, part)
					}
				}
				if len(s.parts) == 0 && s.text != "" {
					t.Errorf("%s is not empty", s.name)
				}
			}
			if strings.Contains(o.Out+o.Err, "zebra") {
				t.Error("it tells a secret")
			}
			if t.Failed() {
				t.Logf("out: %s\nerr: %s", o.Out, o.Err)
			}
		})
	}
}

// --json says the same for programs: one object.
func TestCommands_JSON(t *testing.T) {
	dir := instance.Folder(t)
	catalog := instance.Write(t, dir, "catalog.yaml", senders.Catalog)
	for args, key := range map[string]string{
		"version --json":                                       "logic",
		"metrics list --json":                                  "metrics",
		"metrics explain after_hours --json":                   "question",
		"config show --json":                                   "kafka",
		"catalog check --json " + catalog:                      "problems",
		"doctor --json":                                        "checks",
		"catalog check --json " + filepath.Join(dir, "absent"): "problems",
	} {
		o := instance.Command{Args: strings.Fields(args), Dir: dir, Env: []string{"MERIDIAN_LISTEN=127.0.0.1:0"}}.Run(t)
		var object map[string]any
		if err := json.Unmarshal([]byte(o.Out), &object); err != nil || object[key] == nil {
			t.Errorf("meridian %s: no object with %q (%v): %s", args, key, err, o.Out)
		}
		if want := map[bool]int{true: 3}[strings.Contains(args, "absent")]; o.Code != want {
			t.Errorf("meridian %s: exit code %d, want %d", args, o.Code, want)
		}
	}
}

// What a broken delivery does to the summary of a replay.
func TestReplay_Summary(t *testing.T) {
	dir := instance.Folder(t)
	pr := senders.PullRequest{Repository: senders.Web, Number: 7, Author: senders.Mai, Created: at(spring, "09:00")}
	archive := instance.Write(t, dir, "a.jsonl", strings.Join([]string{
		pr.Opened().Line(at(spring, "09:00:02")),
		senders.Tick(at(spring, "09:01")),
		pr.Opened().Line(at(spring, "09:01:02")), // again
		senders.Web.Ping(senders.Mai).Line(at(spring, "09:02")),
		senders.Delivery{Provider: "github", Headers: map[string]string{"X-GitHub-Event": "pull_request"}, Body: []byte("{")}.Line(at(spring, "09:03")),
		pr.Reviewed(1, senders.Jonas, at(spring, "09:10")).Line(at(spring, "10:00")), // 50 minutes on its way, bound 5
		senders.Tick(at(spring, "10:00:30")),
		pr.Merged(senders.Mai, at(spring, "10:30")).Line(at(spring, "10:30:02")), // behind the last tick
	}, ""))
	summary := filepath.Join(dir, "summary.json")
	out := instance.Must(t, "replay", "--input", archive, "--print", "--final", "--grain", "hour", "--summary", summary)
	points, err := instance.ParsePoints(out)
	if err != nil {
		t.Fatal(err)
	}
	pickup := false
	for _, p := range points {
		if p.Metric == "pr_merged" {
			t.Errorf("what came behind the last tick has a row: %s", p.Line)
		}
		pickup = pickup || p.Metric == "pr_pickup_time" && p.Team == "acme/web" && p.N == 1 && p.Number() == "600"
	}
	if !pickup {
		t.Errorf("no pickup time of 600 s:\n%s", out)
	}
	want := map[string]int64{"deliveries": 6, "ignored": 1, "undecodable": 1, "decoded": 4, "accepted": 3, "late_accepted": 0, "late_dropped": 0, "duplicates": 1, "quarantined": 0}
	got := map[string]any{}
	if err := json.Unmarshal(read(t, summary), &got); err != nil {
		t.Fatal(err)
	}
	for key, n := range want {
		if got[key] != float64(n) {
			t.Errorf("%s = %v, want %d", key, got[key], n)
		}
	}
}
