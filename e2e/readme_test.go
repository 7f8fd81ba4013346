package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
	"meridian/e2e/service"
)

// A block is a fenced piece of shell in a document, named by the comment above it: `<!-- test: name -->`.
type block struct{ name, script string }

var (
	nameLine  = regexp.MustCompile(`^<!-- test: ([a-z0-9-]+) -->$`)
	blockLine = regexp.MustCompile("^```(\\w*)$")
)

// blocks finds the shell of a document. All of it has to have a name, so that no command escapes its test.
func blocks(text string) (found []block, err error) {
	name, inside, shell := "", false, false
	var script strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fence := blockLine.FindStringSubmatch(line)
		switch {
		case inside && line == "```":
			if shell {
				found = append(found, block{name, script.String()})
			}
			name, inside, shell = "", false, false
			script.Reset()
		case inside:
			script.WriteString(line + "\n")
		case fence != nil:
			inside, shell = true, fence[1] == "sh" || fence[1] == "bash" || fence[1] == "shell" || fence[1] == "console"
			if shell && name == "" {
				return nil, fmt.Errorf("line %d begins shell without a `<!-- test: name -->` above it", i+1)
			}
			if !shell && name != "" {
				return nil, fmt.Errorf("line %d: test %s is no shell", i+1, name)
			}
		case nameLine.MatchString(line):
			name = nameLine.FindStringSubmatch(line)[1]
		case name != "" && strings.TrimSpace(line) != "":
			return nil, fmt.Errorf("line %d: test %s has no shell below it", i+1, name)
		}
	}
	if inside || name != "" {
		return nil, fmt.Errorf("the last block is not closed, or test %s has none", name)
	}
	return found, nil
}

func TestBlocks_OfADocument(t *testing.T) {
	const fence = "```"
	good := "# A\n\n<!-- test: one -->\n" + fence + "sh\na\nb\n" + fence + "\ntext\n" + fence + "yaml\nx: y\n" + fence + "\n<!-- test: two -->\n\n" + fence + "sh\nc\n" + fence + "\n"
	found, err := blocks(good)
	if err != nil || fmt.Sprintf("%q", found) != `[{"one" "a\nb\n"} {"two" "c\n"}]` {
		t.Errorf("%q, %v", found, err)
	}
	for name, bad := range map[string]string{
		"no name":    fence + "sh\na\n" + fence + "\n",
		"no shell":   "<!-- test: one -->\ntext\n",
		"other":      "<!-- test: one -->\n" + fence + "yaml\na: b\n" + fence + "\n",
		"not closed": "<!-- test: one -->\n" + fence + "sh\na\n",
	} {
		if found, err := blocks(bad); err == nil {
			t.Errorf("%s: %q is no error", name, found)
		}
	}
}

// The README's commands do what it says. Each name has its test here, so that a command which is added to the README
// fails until somebody says how it is checked.
func TestREADME_CommandsAreTrue(t *testing.T) {
	path, err := service.Tree("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found, err := blocks(string(read(t, path)))
	if err != nil {
		t.Fatalf("README.md: %v", err)
	}
	for _, b := range found {
		t.Run(b.name, func(t *testing.T) {
			check := readme[b.name]
			if check == nil {
				t.Fatalf("no test knows how to check %q:\n%s", b.name, b.script)
			}
			check(t, b.script)
		})
	}
	if len(found) < 5 {
		t.Errorf("only %d blocks of shell were found", len(found))
	}
}

var readme = map[string]func(t *testing.T, script string){
	"demo":  targets, // too long to run here; e2e/pages watches a demo
	"tests": targets, // it would run itself
	"serve": func(t *testing.T, script string) {
		targets(t, script)
		mentionsOnly(t, script, "bin/meridian serve")
	},
	"deploy": func(t *testing.T, script string) {
		in := instance.Serve(t, instance.Config{Dir: filepath.Join(instance.Folder(t), "data")})
		script = replace(t, script, "http://127.0.0.1:8080", in.URL)
		script = replace(t, script, "the-secret-of-the-deploy-source", instance.DeploySecret)
		if out := shell(t, t.TempDir(), script); !strings.Contains(out, "202 Accepted") || !strings.Contains(out, `"accepted"`) {
			t.Errorf("the delivery was not accepted:\n%s", out)
		}
		in.AwaitParts()
		if a, err := in.Ask(http.MethodGet, "/api/v1/sources", nil, nil); err != nil || !strings.Contains(string(a.Body), `"accepted":1`) {
			t.Errorf("it is not counted: %s, %v", a.Body, err)
		}
	},
	"catalog": inFolder("is sound"),
	"config":  inFolder("data_dir: ./meridian-data", "clickhouse", "kafka"),
	"explain": inFolder("pr_pickup_time", "median"),
	"replay":  inFolder(`"metric":"pr_pickup_time"`, `"grain":"day"`),
	"import":  inFolder("deliveries"),
}

// targets checks that the Makefile has every target that is made.
func targets(t *testing.T, script string) {
	path, err := service.Tree("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	makefile := string(read(t, path))
	for _, m := range regexp.MustCompile(`(?m)^make ([a-z0-9-]+)`).FindAllStringSubmatch(script, -1) {
		if !strings.Contains(makefile, "\n"+m[1]+": ") {
			t.Errorf("the Makefile has no target %s", m[1])
		}
	}
}

func mentionsOnly(t *testing.T, script string, commands ...string) {
	for line := range strings.Lines(script) {
		ok := strings.HasPrefix(line, "make ")
		for _, c := range commands {
			ok = ok || strings.TrimSpace(line) == c
		}
		if !ok {
			t.Errorf("this command has no test: %s", line)
		}
	}
}

func replace(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("it does not say %q:\n%s", old, text)
	}
	return strings.ReplaceAll(text, old, new)
}

// inFolder runs a block where bin/meridian, a catalog and an archive are, and looks for parts of what it prints.
func inFolder(parts ...string) func(*testing.T, string) {
	return func(t *testing.T, script string) {
		dir := instance.Folder(t)
		if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(instance.Binary(), filepath.Join(dir, "bin", "meridian")); err != nil {
			t.Fatal(err)
		}
		instance.Write(t, dir, "catalog.yaml", senders.Catalog)
		instance.Write(t, dir, "deliveries.jsonl", senders.Archive(senders.History(2, spring, 3), true))
		out := shell(t, dir, script)
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("it does not print %q:\n%s", part, out)
			}
		}
	}
}

// shell runs a script as a person would paste it, and returns all that it prints. Nothing of it listens at the usual
// address, which may be taken on this machine.
func shell(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-eu")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	cmd.Env = append(os.Environ(), "MERIDIAN_LISTEN=127.0.0.1:0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, script, out)
	}
	return string(out)
}
