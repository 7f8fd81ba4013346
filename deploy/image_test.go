package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The image cannot be built where there is no Docker engine, so its steps stay few enough to be seen right.
func TestDockerfile_BuildsLikeEverybodyAndRunsAsNobody(t *testing.T) {
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var last map[string]string
	var runs []string
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			if last = map[string]string{}; !regexp.MustCompile(`:\d`).MatchString(rest) {
				t.Errorf("the base image %q has no version", rest)
			}
		case "RUN":
			runs = append(runs, rest)
		}
		if last != nil {
			last[word] = rest
		}
	}
	if len(runs) != 1 || !strings.HasPrefix(runs[0], "make build") {
		t.Errorf("the image runs %q, want `make build` alone", runs)
	}
	if user := last["USER"]; user == "" || strings.HasPrefix(user, "0") || strings.HasPrefix(user, "root") {
		t.Errorf("the image runs as %q", user)
	}
	if !strings.HasSuffix(last["HEALTHCHECK"], `CMD ["/meridian", "healthcheck"]`) {
		t.Errorf("HEALTHCHECK %s", last["HEALTHCHECK"])
	}
}
