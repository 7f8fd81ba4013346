package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"meridian/metrics"
	"meridian/streaming/timeline"
)

// large is an organisation of some size in the tables, made in the database itself
// from numbers: all metrics of each team, in hours, days and running 30 days.
type large struct {
	teams, months int
	observations  int // of all, over the last month
}

// firstMonth is where its rows begin.
const firstMonth = "2026-01-01 00:00:00"

// perMonth is how many rows a series has in a month of 30 days.
const perMonth = 30*24 + 30 + 30

func (l large) points() int { return l.teams * len(metrics.Definitions()) * l.months * perMonth }

// end is the first instant after its rows.
func (l large) end() timeline.Millis {
	return timeline.FromTime(time.Date(2026, time.Month(l.months), 31, 0, 0, 0, 0, time.UTC))
}

func names() string {
	var list []string
	for _, d := range metrics.Definitions() {
		list = append(list, "'"+string(d.Name)+"'")
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// fill inserts it month by month, as generation 1 in the live tables.
func (l large) fill(t testing.TB, d *Database) {
	t.Helper()
	state := fmt.Sprintf("unhex('%x')", merged("web", at(0, 0), 4, version(1, 0)).Aggregate.Bytes())
	series := l.teams * len(metrics.Definitions())
	for month := range l.months {
		exec(t, d, fmt.Sprintf(`INSERT INTO points_live (generation, team, metric, grain, service, start, end, zone, status, withdrawn, n, unit, missing,
			late_accepted, late_dropped, duplicates, covered_days, state, version)
			WITH intDiv(number, %[1]d) AS slot, toDateTime64('%[2]s', 3, 'UTC') + INTERVAL %[3]d MONTH AS first
			SELECT 1, concat('team', toString(number %% %[4]d)), %[5]s[intDiv(number, %[4]d) %% %[6]d + 1],
				multiIf(slot < 720, 'hour', slot < 750, 'day', 'day30'), '',
				multiIf(slot < 720, first + INTERVAL slot HOUR, slot < 750, first + INTERVAL (slot - 720) DAY, first + INTERVAL (slot - 750) DAY) AS s,
				s + INTERVAL 1 HOUR, 'UTC', 'final', false, 4, 'count', '', 0, 0, 0, -1, %[7]s, %[8]d FROM numbers(%[9]d)
			SETTINGS max_insert_block_size = 1000000`,
			series, firstMonth, month, l.teams, names(), len(metrics.Definitions()), state, version(1, at(0, 0)), series*perMonth))
	}
	if l.observations == 0 {
		return
	}
	exec(t, d, fmt.Sprintf(`INSERT INTO observations_live (generation, team, metric, service, at, entity, item, outcome, reason, value, hit, person, is_primary,
		class, zone_known, basis, url, label, version)
		SELECT 1, concat('team', toString(number %% %[1]d)), %[2]s[intDiv(number, %[1]d) %% %[3]d + 1], '',
			toDateTime64('%[4]s', 3, 'UTC') + INTERVAL %[5]d MONTH + INTERVAL (number * 7919) %% 2592000 SECOND, concat('pr/', toString(number)), '', 'observed', '',
			number %% 1000000, false, '', true, 0, 1, 'measured', concat('https://github.example/acme/web/pull/', toString(number)), concat('#', toString(number)), %[6]d
		FROM numbers(%[7]d)`, l.teams, names(), len(metrics.Definitions()), firstMonth, l.months-1, version(1, at(0, 0)), l.observations))
}

// queries are what pages ask for, each for its last days.
func (l large) queries() map[string]metrics.Query {
	team, others := []string{"team7"}, make([]string, l.teams)
	for i := range others {
		others[i] = fmt.Sprint("team", i)
	}
	end := l.end()
	return map[string]metrics.Query{
		"overview: all teams, all metrics, running 30 days":    {Teams: others, Grain: metrics.Day30, From: end - 40*timeline.Day, To: end},
		"team: all metrics, running 30 days":                   {Teams: team, Grain: metrics.Day30, From: end - 40*timeline.Day, To: end},
		"metric: a team's hours of a week":                     {Teams: team, Metric: "pr_pickup_time", Grain: metrics.Hour, From: end - 7*timeline.Day, To: end},
		"metric: a team's days of a quarter":                   {Teams: team, Metric: "pr_pickup_time", Grain: metrics.Day, From: end - 91*timeline.Day, To: end},
		"organisation: 30 days of a metric out of days":        {Teams: others, Metric: "pr_pickup_time", Grain: metrics.Day, From: end - 31*timeline.Day, To: end},
		"organisation: a quarter of a metric out of days":      {Teams: others, Metric: "pr_pickup_time", Grain: metrics.Day, From: end - 91*timeline.Day, To: end},
		"dora: all teams, running 30 days of deploy frequency": {Teams: others, Metric: "deploy_frequency", Grain: metrics.Day30, From: end - 40*timeline.Day, To: end},
	}
}
