package metrics_test

import (
	"strings"
	"testing"

	"meridian/metrics"
)

// What a variation may not be, all said at once.
func TestWrongVariations(t *testing.T) {
	_, err := metrics.With([]metrics.Variation{
		{Name: "Mine", Of: "pr_merged", People: metrics.Bots},
		{Name: "pr_opened", Of: "pr_merged", People: metrics.Bots},
		{Name: "mine", Of: "pr_mergd", People: metrics.Bots},
		{Name: "mine", Of: "pr_merged", Start: metrics.StartOpened},
		{Name: "mine", Of: "after_hours", People: metrics.Bots},
		{Name: "mine", Of: "pr_merged"},
		{Name: "mine", Of: "pr_pickup_time", Start: "closed"},
		{Name: "mine", Of: "pr_merged", People: "cats"},
		{Name: "good", Of: "pr_merged", People: metrics.Bots},
		{Name: "good", Of: "pr_merged", People: metrics.Everyone},
		{Name: "again", Of: "good", People: metrics.Everyone},
	})
	if err == nil {
		t.Fatal("all of it is taken")
	}
	for _, want := range []string{
		`"Mine" is no name`, `pr_opened is the name of a metric already`, `no built-in metric is called "pr_mergd"`,
		`pr_merged has no other start; what can be varied is its people`, `after_hours has no other people; nothing of it can be varied`,
		`mine is pr_merged itself`, `start is opened, ready or requested, not "closed"`, `people is bots or everyone, not "cats"`,
		`good is the name of a metric already`, `no built-in metric is called "good"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing is said of %s in %v", want, err)
		}
	}
}

// A variation stands behind its metric, has a passport of its own, and leaves the
// built-in one alone.
func TestVariationsPassport(t *testing.T) {
	before := metrics.Find("pr_pickup_time").Explain()
	all, err := metrics.With([]metrics.Variation{{Name: "pickup_from_request", Of: "pr_pickup_time", Start: metrics.StartRequested}, {Name: "theirs", Of: "pr_pickup_time", People: metrics.Bots, Title: "Bots wait"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []metrics.Name{"pr_pickup_time", "pickup_from_request", "theirs"} {
		if all[i].Name != want {
			t.Errorf("place %d is %s, not %s", i, all[i].Name, want)
		}
	}
	e := all[1].Explanation()
	if e.Title != "Pickup from request" || e.VariationOf != "pr_pickup_time" || !strings.Contains(e.Start, "first asked") || len(e.Varies) != 0 || !strings.Contains(e.Caveats[0], "A variation of pr_pickup_time") {
		t.Errorf("%+v", e)
	}
	if all[2].Passport.Title != "Bots wait" {
		t.Errorf("its title is %q", all[2].Passport.Title)
	}
	if metrics.Find("pr_pickup_time").Explain() != before {
		t.Error("the built-in metric has another passport now")
	}
}
