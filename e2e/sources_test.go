package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"meridian/e2e/instance"
	"meridian/e2e/service"
)

// example is a named block of a page of docs/sources, in whatever language.
var example = regexp.MustCompile("(?s)<!-- test: ([a-z0-9-]+) -->\n```(\\w+)\n(.*?)\n```\n")

// scripted are the sources that the examples send to, as the pages configure them.
const scripted = `
sources:
  github: [{name: acme, secrets: [the-secret-of-the-source]}]
  jira: [{name: cloud, secrets: [the-secret-of-the-source]}, {name: dc, verify: url_token, secrets: [the-secret-of-the-source]}]
  deploy: [{name: ci, verify: bearer, secrets: [the-secret-of-the-source]}, {name: signed, secrets: [the-secret-of-the-source]}]
  argocd: [{name: prod, verify: bearer, secrets: [the-secret-of-the-source]}]
  cdevents: [{name: ci, verify: bearer, secrets: [the-secret-of-the-source]}]
`

// Every example of docs/sources is run as the page says, against a real instance: what a continuous integration system
// would run is taken out of its file, and gets the variables that the system sets.
func TestSources_ExamplesAreTrue(t *testing.T) {
	folder, err := service.Tree("docs/sources")
	if err != nil {
		t.Fatal(err)
	}
	dir := instance.Folder(t)
	in := instance.Serve(t, instance.Config{Dir: filepath.Join(dir, "data"), Sources: scripted})
	in.AwaitParts()
	pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
	if err != nil || len(pages) != 7 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	seen := 0
	for _, page := range pages {
		text := string(read(t, page))
		found := example.FindAllStringSubmatch(text, -1)
		if shells := strings.Count(text, "```sh\n") + strings.Count(text, "```groovy\n"); shells > len(found) {
			t.Errorf("%s has %d scripts, and %d with a name", page, shells, len(found))
		}
		for _, m := range found {
			name, script := m[1], m[3]
			run, ok := examples[name]
			if !ok {
				t.Errorf("no test knows how to check %q of %s", name, page)
				continue
			}
			seen++
			if run == nil {
				continue
			}
			t.Run(name, func(t *testing.T) { run(t, in, script) })
		}
	}
	if seen != len(examples) {
		t.Errorf("%d examples, %d are known", seen, len(examples))
	}

	// All that could be counted was: one service, deployed by each of the ways.
	var sources struct {
		Items []struct {
			Provider, Name                      string
			Accepted, Ignored, Pings, Undecoded int
			Refused                             map[string]int
		}
	}
	body, err := in.Get("/api/v1/sources")
	if err == nil {
		err = json.Unmarshal(body, &sources)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources.Items {
		want := map[string]int{"github/acme": 0, "jira/cloud": 0, "jira/dc": 0, "deploy/ci": 4, "deploy/signed": 1, "argocd/prod": 1, "cdevents/ci": 1}[s.Provider+"/"+s.Name]
		if s.Accepted != want || s.Undecoded != 0 || len(s.Refused) != 0 || want == 0 && s.Ignored+s.Pings != 1 {
			t.Errorf("%s/%s: %+v, want %d accepted", s.Provider, s.Name, s, want)
		}
	}
}

var examples = map[string]func(t *testing.T, in *instance.Instance, script string){
	"github":           pasted("/webhooks/github", `"ping"`),
	"jira-cloud":       pasted("/webhooks/jira/cloud", `"ignored"`),
	"jira-data-center": pasted("/webhooks/jira/dc", `"ignored"`),
	"argocd-shell":     pasted("/webhooks/argocd", `"accepted"`),
	"cdevents":         pasted("/webhooks/cdevents", `"accepted"`),
	"argocd":           nil, // rendered and decoded in ingest/deploy
	"argocd-secret": func(t *testing.T, _ *instance.Instance, script string) {
		if !strings.HasPrefix(script, "kubectl --namespace argocd patch secret argocd-notifications-secret") || !strings.Contains(script, `"meridian-token"`) {
			t.Errorf("it does not fit the config map: %s", script)
		}
	},
	"shell": func(t *testing.T, in *instance.Instance, script string) {
		ran(t, script, "MERIDIAN_URL="+in.URL+"/webhooks/deploy/ci")
	},
	"shell-signed": func(t *testing.T, in *instance.Instance, script string) {
		ran(t, script, "MERIDIAN_URL="+in.URL+"/webhooks/deploy/signed")
	},
	"github-actions": func(t *testing.T, in *instance.Instance, script string) {
		var steps []struct {
			If  string
			Env map[string]string
			Run string
		}
		if err := yaml.Unmarshal([]byte(script), &steps); err != nil || len(steps) != 1 || steps[0].If != "always()" || steps[0].Env["STATUS"] != "${{ job.status }}" {
			t.Fatalf("%+v, %v", steps, err)
		}
		ran(t, steps[0].Run, "MERIDIAN_URL="+in.URL+"/webhooks/deploy/ci", "STATUS=success", "GITHUB_RUN_ID=77", "GITHUB_RUN_ATTEMPT=1", "GITHUB_SHA=9f2c1e7",
			"GITHUB_REPOSITORY=acme/web", "GITHUB_ACTOR=mai", "GITHUB_SERVER_URL=https://github.example")
	},
	"gitlab": func(t *testing.T, in *instance.Instance, script string) {
		var file struct {
			Deploy struct {
				After []string `yaml:"after_script"`
			}
		}
		if err := yaml.Unmarshal([]byte(script), &file); err != nil || len(file.Deploy.After) != 1 {
			t.Fatalf("%+v, %v", file, err)
		}
		ran(t, file.Deploy.After[0], "MERIDIAN_URL="+in.URL+"/webhooks/deploy/ci", "CI_JOB_STATUS=failed", "CI_JOB_ID=4711", "CI_ENVIRONMENT_NAME=production",
			"CI_COMMIT_SHA=9f2c1e7", "CI_PROJECT_PATH=acme/web", "GITLAB_USER_LOGIN=mai", "CI_JOB_STARTED_AT=2026-03-02T09:00:00Z", "CI_JOB_URL=https://gitlab.example/j/4711")
	},
	"jenkins": func(t *testing.T, in *instance.Instance, script string) {
		parts := strings.Split(script, "'''")
		if len(parts) != 3 {
			t.Fatalf("no script between three quotes: %s", script)
		}
		ran(t, parts[1], "MERIDIAN_URL="+in.URL+"/webhooks/deploy/ci", "RESULT=UNSTABLE", "BUILD_TAG=jenkins-deploy-7", "GIT_COMMIT=9f2c1e7", "BUILD_URL=https://ci.example/7/")
	},
}

// pasted runs a script as it stands, but for the address of the server.
func pasted(path, says string) func(*testing.T, *instance.Instance, string) {
	return func(t *testing.T, in *instance.Instance, script string) {
		script = replace(t, script, "http://127.0.0.1:8080"+path, in.URL+path)
		if out := shell(t, t.TempDir(), script); !strings.Contains(out, "202 Accepted") || !strings.Contains(out, says) {
			t.Errorf("it was not taken:\n%s\n%s", script, out)
		}
	}
}

// ran runs a script with what its system sets, and wants the delivery taken.
func ran(t *testing.T, script string, variables ...string) {
	t.Helper()
	cmd := exec.Command("sh", "-eu")
	cmd.Dir, cmd.Stdin = t.TempDir(), strings.NewReader(script)
	cmd.Env = append(append(os.Environ(), "MERIDIAN_TOKEN=the-secret-of-the-source"), variables...)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"status":"accepted"`) {
		t.Errorf("%v\n%s\n%s", err, script, out)
	}
}
