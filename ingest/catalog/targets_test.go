package catalog

import (
	"fmt"
	"strings"
	"testing"

	"meridian/streaming/timeline"
)

func TestTargets(t *testing.T) {
	c := mustParse(t, `
zone: Asia/Ho_Chi_Minh
teams:
  - name: web
    targets:
      pr_pickup_time: 4h
      deploy_frequency: 0.5
      change_failure_rate: [{value: "15%", to: 2026-03-31}, {value: "10%", from: 2026-04-01}]
      pr_size: 50..400
      lead_time: 1d..7d
  - {name: ops}
`)
	said := func(team, at string) string {
		m, err := timeline.ParseInstant(at)
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, target := range c.Targets(team, m) {
			parts = append(parts, fmt.Sprintf("%s %g..%g %s", target.Metric, target.Low, target.High, target.Text))
		}
		return strings.Join(parts, ", ")
	}
	const rest = ", deploy_frequency 0.5..0.5 0.5, lead_time 86400..604800 1d..7d, pr_pickup_time 14400..14400 4h, pr_size 50..400 50..400"
	// April begins at 17:00Z in Ho Chi Minh City.
	for at, want := range map[string]string{
		"2026-03-31T16:59:59Z": "change_failure_rate 0.15..0.15 15%" + rest,
		"2026-03-31T17:00:00Z": "change_failure_rate 0.1..0.1 10%" + rest,
	} {
		if got := said("web", at); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if got := said("ops", "2026-03-31T17:00:00Z") + said("nobody", "2026-03-31T17:00:00Z"); got != "" {
		t.Errorf("a team without targets has %s", got)
	}
	other := mustParse(t, "teams: [{name: web, targets: {pr_pickup_time: 5h}}]")
	same := mustParse(t, "teams: [{name: web, targets: {pr_pickup_time: 300m}}]")
	if other.Hash() != same.Hash() || other.Hash() == mustParse(t, "teams: [{name: web}]").Hash() {
		t.Error("the hash is not that of what is meant")
	}
}

func TestWrongTargets(t *testing.T) {
	for text, want := range map[string]string{
		"teams: [{name: web, targets: [4h]}]":                                              "targets must be a mapping",
		"teams: [{name: web, targets: {pr_size: soon}}]":                                   `"soon" is no target; write a length (4h, 1d12h), a share (15%)`,
		"teams: [{name: web, targets: {pr_size: -3}}]":                                     `"-3" is no target`,
		"teams: [{name: web, targets: {rate: 120%}}]":                                      `"120%" is no target`,
		"teams: [{name: web, targets: {pr_size: 8..2}}]":                                   "ends below where it begins",
		"teams: [{name: web, targets: {pr_size: [1, 2]}}]":                                 "one value and not a list",
		"teams: [{name: web, targets: {a: {value: 1, from: 2026-02-03, to: 2026-02-01}}}]": "before it begins",
	} {
		if _, err := Parse("catalog.yaml", []byte(text), Options{Key: make([]byte, 32)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
