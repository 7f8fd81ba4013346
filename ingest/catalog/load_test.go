package catalog

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Everything that is wrong with a file comes at once, each with its line and
// with what to write. Each folder or file in testdata/problems has its text
// beside it.
func TestProblems(t *testing.T) {
	inputs, err := filepath.Glob("testdata/problems/*")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, input := range inputs {
		if strings.HasSuffix(input, ".txt") {
			continue
		}
		n++
		_, err := Load(input, Options{})
		var ps Problems
		if !errors.Is(err, ErrInvalid) || !errors.As(err, &ps) || len(ps) == 0 {
			t.Errorf("%s: %v", input, err)
			continue
		}
		got := strings.ReplaceAll(err.Error(), `\`, "/") + "\n"
		golden := strings.TrimSuffix(input, ".yaml") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%swant\n%s", input, got, want)
		}
	}
	if n < 4 {
		t.Errorf("only %d files", n)
	}
}

func TestLoadFolder(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"10-people.yml":  "people: [{name: Mai, github: mai, teams: [web]}]\nbots: [a-ci]\n",
		"20-teams.yaml":  "teams: [{name: web, repositories: [acme/*]}]\nholidays: {de: [2026-01-01]}\n",
		"30-teams.YAML":  "teams: [{name: api, repositories: [acme/api]}]\nholidays: {vn: [2026-01-02]}\nbots: [b-ci]\nzone: Asia/Tokyo\n",
		"README.md":      "no catalog",
		".hidden.yaml":   "nonsense: true",
		"40-nothing.yml": "",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Load(folder, Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Home(event.Event{Scope: event.Scope{Repository: "acme/api"}}); got != "web" {
		t.Errorf("the first team of the first file is not the first: %s", got)
	}
	if teams := c.Teams(c.Person(github("mai")).ID, 0); len(teams) != 1 || !c.Person(github("a-ci")).Bot || !c.Person(github("b-ci")).Bot {
		t.Errorf("the files are not one: %q", teams)
	}
	whole := mustParse(t, `
zone: Asia/Tokyo
teams: [{name: web, repositories: [acme/*]}, {name: api, repositories: [acme/api]}]
people: [{name: Mai, github: mai, teams: [web]}]
bots: [a-ci, b-ci]
holidays: {vn: [2026-01-02], de: [2026-01-01]}
`)
	// The first calendar that nobody names is the organisation's: de here, vn there.
	if c.Hash() == whole.Hash() {
		t.Error("another organisation's calendar, the same hash")
	}
}

// The documents of one file are as the files of a folder: what `meridian export --what
// catalog` writes of a folder is a catalog as it is.
func TestDocumentsOfOneFile(t *testing.T) {
	files := []File{{"10.yaml", []byte("zone: Asia/Tokyo\nteams: [{name: web, repositories: [acme/web]}]\n")}, {"20.yaml", []byte("people: [{name: Mai, teams: [web]}]\n")}}
	folder, err := ParseFiles(files, Options{Key: testKey})
	if err != nil {
		t.Fatal(err)
	}
	one := append([]byte("--- # 10.yaml\n"), files[0].Data...)
	one = append(append(one, "--- # 20.yaml\n"...), files[1].Data...)
	joined, err := Parse("catalog.yaml", one, Options{Key: testKey})
	if err != nil || joined.Hash() != folder.Hash() {
		t.Errorf("%v; a file of two documents is not the catalog of two files", err)
	}
	_, err = Parse("catalog.yaml", append(one, "---\nteams: [{name: web}]\n"...), Options{Key: testKey})
	if err == nil || !strings.Contains(err.Error(), "catalog.yaml:7: team web is in catalog.yaml:3 already") {
		t.Errorf("a team that is there twice: %v", err)
	}
}

// Whatever is wrong comes at once: what one file says, what files say of each other,
// who has an account twice, and targets of metrics that do not exist.
func TestCheckSaysEverythingAtOnce(t *testing.T) {
	text := `hours: "09:00-8:00"
teams:
  - {name: web, zone: asia/tokyo, targets: {pr_pickup_tim: 4h, pr_size: soon}}
people:
  - {name: Mai, github: [mai], teams: [wbe]}
  - {name: Jo, github: [MAI]}
`
	err := Check([]File{{"catalog.yaml", []byte(text)}}, []string{"pr_pickup_time", "pr_size"})
	var got []string
	var ps Problems
	if errors.As(err, &ps) {
		for _, p := range ps {
			got = append(got, p.String())
		}
	}
	want := []string{
		`catalog.yaml:1: "09:00-8:00" goes past midnight and is 23 hours long; if that is meant, write 00:00-08:00, 09:00-24:00`,
		`catalog.yaml:3: unknown time zone: "asia/tokyo"; did you mean Asia/Tokyo?`,
		`catalog.yaml:3: "soon" is no target; write a length (4h, 1d12h), a share (15%), a number (20), or two of them as 2h..8h`,
		`catalog.yaml:3: no metric is called "pr_pickup_tim"; did you mean pr_pickup_time?`,
		`catalog.yaml:5: there is no team "wbe"; did you mean web?`,
		`catalog.yaml:6: MAI belongs to Mai already (catalog.yaml:5); an account has one person`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := Check([]File{{"catalog.yaml", []byte("hours: \"00:00-08:00, 09:00-24:00\"\nteams: [{name: web, targets: {pr_size: 3}}]\n")}}, []string{"pr_size"}); err != nil {
		t.Errorf("a sound one: %v", err)
	}
}

func TestLoadSaysWhatCannotBeRead(t *testing.T) {
	empty := t.TempDir()
	missing := filepath.Join(empty, "catalog.yaml")
	for path, want := range map[string]string{
		missing: missing + ": it cannot be read (no such file or directory); name a YAML file or a folder of them",
		empty:   empty + ": the folder has no .yaml file; put one there, or name no catalog",
	} {
		_, err := Load(path, Options{})
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 || ps[0].String() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(organisation))
	f.Add([]byte(staff))
	f.Add([]byte("a: &a [*a]\nteams: &t [{name: *t, repositories: *t}]"))
	f.Add([]byte("zone: [{value: Europe/Berlin, from: 2026-03-01, to: 2026-02-01}]"))
	inputs, _ := filepath.Glob("testdata/problems/*.yaml")
	for _, input := range inputs {
		if data, err := os.ReadFile(input); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("catalog.yaml", data, Options{})
		if err != nil {
			var ps Problems
			if c != nil || !errors.As(err, &ps) || len(ps) == 0 || err.Error() == "" {
				t.Fatalf("%v, %v", c, err)
			}
			return
		}
		again, err := Parse("other.yaml", data, Options{})
		if err != nil || again.Hash() != c.Hash() {
			t.Fatalf("read again: %v", err)
		}
		p := c.Person(github("mai"))
		c.ActZone(p.ID, event.LocalEvidence{}, "web", 1772442000000)
		c.Home(event.Event{Scope: event.Scope{Repository: "acme/web", Service: "checkout"}, Deployment: &event.Deployment{}})
		for d := timeline.Date(20500); d < 20900; d++ {
			c.PersonSchedule(p.ID, "web").On(d)
		}
	})
}
