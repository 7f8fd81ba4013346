package main

import (
	"fmt"
	"testing"

	"meridian/ingest/catalog"
)

func TestCauses_Line(t *testing.T) {
	files := []catalog.File{{Name: "/etc/a/catalog.yaml", Data: []byte("zone: UTC\nteams:\n  - {name: api}\n  - name: web\n    repositories: [acme/web]\npeople:\n  - {name: Mai, teams: [web]}\nservices:\n  - {name: checkout}\n")}}
	for _, x := range []struct {
		change catalog.Change
		want   string
	}{
		{catalog.Change{What: "team", Name: "web"}, "catalog.yaml:4"},
		{catalog.Change{What: "person", Name: "Mai"}, "catalog.yaml:7"},
		{catalog.Change{What: "service", Name: "checkout"}, "catalog.yaml:9"},
		{catalog.Change{What: "organization", Name: "zone"}, "catalog.yaml:1"},
		{catalog.Change{What: "repository", Name: "acme/web", From: "acme/web", To: "web"}, "catalog.yaml:4"},
		{catalog.Change{What: "team", Name: "gone"}, ""},
	} {
		if got := lineOf(files, x.change); got != x.want {
			t.Errorf("%+v: %q, want %q", x.change, got, x.want)
		}
	}
}

func TestCauses_Settings(t *testing.T) {
	got := settingsChanges([]byte(`{"horizon":"92d","jira":"15m","disabled":null,"decoders":{"github":1}}`), []byte(`{"horizon":"30d","jira":"15m","disabled":["pr_size"],"decoders":{"github":2}}`))
	want := `[the decoders' versions is {"github":2}, and was {"github":1} metrics.disabled is ["pr_size"], and was nothing time.horizon is 30d, and was 92d]`
	if fmt.Sprint(got) != want {
		t.Errorf("%v", got)
	}
}

func TestCauses_Teams(t *testing.T) {
	v := catalog.View{People: []catalog.ViewPerson{{Name: "Mai", Teams: []string{"web"}}}}
	for _, x := range []struct {
		change catalog.Change
		want   string
	}{
		{catalog.Change{What: "repository", From: "acme/web", To: "web"}, "[acme/web web]"},
		{catalog.Change{What: "person", Name: "Mai", From: "api", To: "web"}, "[api web web web]"},
		{catalog.Change{What: "person", Name: "Mai"}, "[web web]"},
		{catalog.Change{What: "team", Name: "web"}, "[web]"},
		{catalog.Change{What: "organization", Name: "zone"}, "[]"},
	} {
		if got := fmt.Sprint(concerned(x.change, v, v)); got != x.want {
			t.Errorf("%+v: %s", x.change, got)
		}
	}
}
