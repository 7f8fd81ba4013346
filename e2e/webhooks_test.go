package e2e_test

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"meridian/e2e/instance"
	"meridian/e2e/senders"
)

// monday is the last one that is wholly over, at 00:00 UTC.
func monday() time.Time {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	back := (int(today.Weekday()) + 6) % 7 // days since Monday
	if back < 2 {
		back += 7 // on a Tuesday it is not over in the west, and numbers about people wait for that
	}
	return today.AddDate(0, 0, -back)
}

func at(day time.Time, clock string) time.Time {
	var h, m, s int
	if n, _ := fmt.Sscanf(clock, "%d:%d:%d", &h, &m, &s); n < 2 {
		panic("no clock: " + clock)
	}
	return day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second)
}

// A Monday of team web, whose numbers are easy to work out by hand. Its windows are those of Kolkata, five and a half
// hours ahead, all year.
func sendMonday(in *instance.Instance, day time.Time) {
	pr := senders.PullRequest{Repository: senders.Web, Number: 7, Author: senders.Mai, Created: at(day, "09:00")}
	deployment := senders.Deployment{Repository: senders.Web, ID: 501, Environment: "production", By: senders.Jonas, Created: at(day, "13:00")}
	staging := senders.Deployment{Repository: senders.Web, ID: 502, Environment: "staging", By: senders.Jonas, Created: at(day, "13:01")}
	issue := senders.Issue{ID: 10, Project: "WEB", Created: at(day, "08:00")}
	in.MustSend("ping", senders.Web.Ping(senders.Mai))
	in.MustSend("ignored", senders.Web.Unknown(senders.Mai))
	in.MustSend("accepted",
		issue.Opened("mai"),
		pr.Opened(),
		pr.Reviewed(1, senders.Robot, at(day, "09:00:20")), // a bot does not stop the clock
		issue.Moved("mai", senders.ToDo, senders.InProgress, at(day, "10:00")),
		pr.Reviewed(2, senders.Jonas, at(day, "11:30")),
		pr.Reviewed(2, senders.Jonas, at(day, "11:30")), // again
		pr.Merged(senders.Mai, at(day, "12:30")),
		deployment.Begun(),
		deployment.Status(601, "success", at(day, "13:04:10")),
		deployment.Status(602, "inactive", at(day, "20:00")),
		staging.Begun(),
		staging.Status(603, "success", at(day, "13:05")),
		issue.Moved("mai", senders.InProgress, senders.Done, at(day, "14:00")),
	)
}

// want is a point worked out by hand; its start is a clock of the day in UTC.
type want struct {
	metric, grain, service, start string
	n                             int64
	value                         string
	part                          string // that the line must have besides
}

func (w want) check(in *instance.Instance, day time.Time) error {
	start := at(day, w.start).Format(time.RFC3339)
	query := url.Values{"metric": {w.metric}, "team": {"web"}, "grain": {w.grain}, "service": {w.service}, "from": {at(day, "00:00").AddDate(0, 0, -40).Format(time.RFC3339)}}
	points, err := in.Points(query.Encode(), 20_000)
	if err != nil {
		return err
	}
	for _, p := range points {
		if p.Start == start && p.N == w.n && p.Number() == w.value && strings.Contains(p.Line, w.part) {
			return nil
		}
		if p.Start == start {
			err = fmt.Errorf("%+v: got %s", w, p.Line)
		}
	}
	if err == nil {
		err = fmt.Errorf("%+v: no point starts at %s", w, start)
	}
	return err
}

func TestWebhooks_BecomeNumbersThatWereWorkedOutByHand(t *testing.T) {
	day := monday()
	in := instance.Serve(t, instance.Config{
		Dir: filepath.Join(instance.Folder(t), "data"), Catalog: senders.Catalog, More: "privacy: {min_people: 2}",
	})
	in.AwaitParts()
	reader := in.SignIn()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events := reader.Events(ctx)
	sendMonday(in, day)

	for _, w := range []want{
		// 09:00 to 11:30; the hour of Kolkata in which the review came.
		{"pr_pickup_time", "hour", "", "11:30", 1, "9000", `"ignored":{"bot":1}`},
		{"pr_pickup_time", "day", "", "-5:-30", 1, "9000", `"duplicates":1`},
		{"pr_review_time", "hour", "", "12:30", 1, "3600", `"status":"final"`},
		{"pr_time_to_merge", "hour", "", "12:30", 1, "12600", `"sum":12600`},
		{"pr_merged", "day", "", "-5:-30", 1, "1", `"unit":"count"`},
		// One that succeeded in production; staging is excluded.
		{"deploy_frequency", "hour", "", "12:30", 1, "1", `"excluded":{"not_production":1}`},
		{"deploy_frequency", "hour", "checkout", "12:30", 1, "1", `"service":"checkout"`},
		// 10:00 to 14:00.
		{"issue_cycle_time", "hour", "", "13:30", 1, "14400", ""},
		// Mai, at UTC+7: opened 16:00, moved 17:00, merged 19:30 and moved 21:00. Jonas, in Berlin: reviewed at noon,
		// deployed twice in the early afternoon. Two of seven lie outside 9 to 18.
		{"after_hours", "day", "", "-5:-30", 7, "0.2857142857142857", `"numerator":2,"denominator":7`},
	} {
		instance.Await(t, func() error { return w.check(in, day) })
	}
	if event := <-events; event != "rows" {
		t.Errorf("open pages were told %q, want rows", event)
	}

	for path, sentence := range map[string]string{
		"/":                         "web",
		"/teams/web":                "2 h 30 min",
		"/teams/web/pr_pickup_time": "2 h 30 min",
		"/sources":                  "deployment_status",
		"/quality":                  "duplicate",
	} {
		if text := reader.Page(path); !strings.Contains(text, sentence) {
			t.Errorf("%s does not say %q: %s", path, sentence, text)
		}
	}
	if a, err := in.Ask("GET", "/", map[string][]string{"Authorization": {"none"}}, nil); err != nil || a.Status != 401 {
		t.Errorf("the overview for somebody who has not signed in: %d, %v; want 401", a.Status, err)
	}
}
