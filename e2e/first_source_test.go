package e2e_test

import (
	"errors"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"meridian/e2e/instance"
)

var sample = regexp.MustCompile(`(?s)<pre id="guide-\d+-sample"[^>]*><code>(.*?)</code>`)

// Without any configuration the first page teaches how to connect a source, and what it teaches works: each sample is
// run as a person would paste it, and the deployment among them is the first number.
func TestFirstSource_IsConnectedByWhatThePageSays(t *testing.T) {
	in := instance.Serve(t, instance.Config{Dir: filepath.Join(instance.Folder(t), "data"), Bare: true})
	in.AwaitParts()
	reader := in.SignIn()
	if text := reader.Page("/"); !strings.Contains(text, "Connect your first source") || !strings.Contains(text, in.URL+"/webhooks/github") {
		t.Errorf("the first page does not teach: %s", text)
	}
	points, err := in.Points("team=checkout", 100)
	if err != nil || len(points) > 0 && points[0].Start < "2000" {
		t.Errorf("an instance that has seen nothing has points: %v, %v", points, err)
	}
	samples := sample.FindAllStringSubmatch(reader.HTML("/"), -1)
	if len(samples) != 3 {
		t.Fatalf("%d samples, want those of GitHub, Jira and a deploy system", len(samples))
	}
	for _, m := range samples {
		if out := shell(t, t.TempDir(), html.UnescapeString(m[1])); !strings.Contains(out, "202 Accepted") {
			t.Errorf("%s\n%s", m[1], out)
		}
	}
	instance.Await(t, func() error {
		points, err := in.Points("metric=deploy_frequency&team=checkout&grain=day", 100)
		if err != nil {
			return err
		}
		for _, p := range points {
			if p.N == 1 && p.Status == "provisional" {
				return nil
			}
		}
		return errors.New("the deployment is not counted yet")
	})
	if text := reader.Page("/"); strings.Contains(text, "Connect your first source") || !strings.Contains(text, "checkout") {
		t.Errorf("the overview does not show the first team: %s", text)
	}
	if text := reader.HTML("/sources"); strings.Contains(text, secretOf(t, samples[2][1])) {
		t.Error("a secret is shown after its first delivery")
	}
}

func secretOf(t *testing.T, script string) string {
	m := regexp.MustCompile(`SECRET='(\w{20,})'`).FindStringSubmatch(html.UnescapeString(script))
	if m == nil {
		t.Fatal(fmt.Errorf("no secret in %s", script))
	}
	return m[1]
}
