package views

import (
	"math"

	"meridian/web/language"
)

func numberStories() []Story {
	nan := math.NaN()
	few := Stat{Metric: "m", Title: "Pickup time", Href: "/teams/web/m", Value: Value{Text: "2 h", Exact: "7200 s"}, N: "n = 2", Status: "provisional", Few: true, Spark: NewSpark("from 1 h to 2 h", []float64{3600, nan, 7200})}
	full := Stat{Metric: "m", Title: "Pickup time", Question: "How long?", Href: "/teams/web/m", Value: Value{Text: "2 h", Exact: "7200 s"}, Change: Change{Text: "↓ 12 %", Mood: "better", Title: "2 h 16 min before"}, N: "n = 42", Detail: "p75 3 h", Status: "revised", Spark: NewSpark("flat", []float64{2, 2})}
	band := full
	band.Change, band.Usual, band.Status, band.Spark = Change{Text: "↑ 30 %", Mood: "worse"}, "usually 1 h to 2 h", "final", NewSparkBand("rising", []float64{1, 2, 3}, 1, 2)
	none := Stat{Metric: "m", Title: "Pickup time", Value: Value{Reason: "No source has sent anything."}, Spark: NewSpark("no data", nil)}
	zero := Stat{Metric: "m", Title: "Merged", Value: Value{Text: "0", Exact: "0"}, N: "n = 0", Status: "final", Spark: NewSpark("zero", []float64{0, 0})}
	return []Story{
		{Name: "tile_full", Component: tile(full)}, {Name: "tile_band", Component: tile(band)}, {Name: "tile_few", Component: tile(few)},
		{Name: "tile_none", Component: tile(none)}, {Name: "tile_zero", Component: tile(zero)}, {Name: "cell", Component: cell("acme/web", few)}, {Name: "cell_none", Component: cell("acme/web", none)},
		{Name: "figure", Component: figure(Figure{"nine in ten within", Value{Text: "4 h", Exact: "14400 s"}, "p90"})},
		{Name: "change_new", Component: change(Change{Text: "new", Title: "0 in the 30 days before"})},
		{Name: "choices", Component: choices("Grain", []Link{{"a", "Hours", "/?grain=hour", false}, {"b", "Days", "/", true}})},
		{Name: "up_to_now", Component: upTo(UpTo{Action: "/", Date: "2026-03-03", Latest: "2026-03-03", Earlier: "/?to=2026-02-01"})},
		{Name: "up_to_past", Component: upTo(UpTo{Action: "/dora", Date: "2026-02-01", Latest: "2026-03-03", Earlier: "/dora?to=2026-01-02", Later: "/dora", Newest: "/dora", Rest: []Option{{Text: "team", Value: "web"}}})},
		{Name: "exports", Component: exports([]Link{{"x-csv", "CSV", "/api/v1/points?metric=m&format=csv", false}, {"x-json", "JSON: the API call behind this", "/api/v1/points?metric=m", false}})},
		{Name: "heat", Component: heat(Heat{Caption: "Activities", Counts: [7][24]int64{0: {9: 100, 10: 1}, 6: {23: 25}}})}, {Name: "heat_none", Component: heat(Heat{Reason: "Too few people."})},
		{Name: "spread", Component: spread(Spread{N: "12", Steps: []Step{{"below 15 min", "3", 33.3, "25 %"}, {"15 min – 30 min", "9", 100, "100 %"}}})},
		{Name: "stages", Component: stages(Stages{ID: "stages", Title: "From first commit to production", Note: "medians", Label: "Coding 1 h", Total: StageTotal{"Lead time", "/m/teams/web/lead_time", Value{Text: "6 h", Exact: "21600 s"}}, Parts: []StagePart{
			{"Coding", "/m/teams/web/pr_coding_time", Value{Text: "1 h", Exact: "3600 s"}, 3600}, {"Pickup", "/m/teams/web/pr_pickup_time", Value{Reason: "Nothing was observed."}, 0}, {"Review", "/m/teams/web/pr_review_time", Value{Text: "0 s", Exact: "0 s"}, 0}, {"Deploy", "/m/teams/web/pr_deploy_time", Value{Text: "5 h", Exact: "18000 s"}, 18000},
		}})},
		{Name: "moves", Component: moves([]Move{
			{ID: "moved-web-m", Team: "web", Title: "Pickup time", Href: "/teams/web/m", Now: Value{Text: "2 h"}, Before: Value{Text: "4 h"}, Change: Change{Text: "↓ 50 %", Mood: "better"}, Why: "The longest", Items: []MoveItem{{"i-0", "acme/web#7", "https://github.example/7", "9 h"}, {"i-1", "<script>", "", "8 h"}}},
			{ID: "moved-ops-m", Title: "Merged", Href: "/teams/ops/m", Now: Value{Text: "9"}, Before: Value{Text: "3"}, Change: Change{Text: "↑ 200 %"}},
		}, "What changed", "more than noise")},
		{Name: "moves_none", Component: moves(nil, "What changed", "more than noise")},
	}
}

func chartStories() []Story {
	nan := math.NaN()
	const day = 24 * 60 * 60 * 1000
	marks := []Mark{
		{Start: 0, End: day, At: day / 2, Y: nan, P75: nan, P90: nan, Was: nan, Gap: "not covered", Reason: "Before the first delivery.", Title: "Sun 1 Mar: no data"},
		{Start: day, End: 2 * day, At: 3 * day / 2, Y: 10, P75: 20, P90: 30, Was: nan, Title: "Mon 2 Mar: 10"},
		{Start: 2 * day, End: 3 * day, At: 5 * day / 2, Y: 20, P75: 25, P90: 40, Was: 12, Revised: true, Title: "Tue 3 Mar: 20, was 12"},
		{Start: 3 * day, End: 4 * day, At: 7 * day / 2, Y: 15, P75: 30, P90: 35, Was: nan, Provisional: true, Title: "Wed 4 Mar: 15"},
	}
	draw := func(p Plot) Chart { return NewChart(language.English, p) }
	lines := Plot{ID: "c", Label: "A chart", Unit: "seconds", From: 0, To: 4 * day, Marks: marks, XTicks: []XTick{{0, "1 Mar"}, {2 * day, "3 Mar"}}}
	bordered, compared := lines, lines
	bordered.Border, bordered.BorderText = 2*day, "kept numbers before this"
	compared.Other, compared.Marks = "the time before", append([]Mark(nil), marks...)
	for i := range compared.Marks {
		compared.Marks[i].Other = float64(8 + 3*i)
	}
	compared.Goal = &Goal{Low: math.Inf(-1), High: 18, Text: "target: 18 s or less"}
	bars := Plot{ID: "c", Label: "A chart", Unit: "count", Bars: true, From: 0, To: 4 * day, Marks: marks}
	return []Story{
		{Name: "chart_lines", Component: chart(draw(lines))}, {Name: "chart_bars", Component: chart(draw(bars))},
		{Name: "chart_border", Component: chart(draw(bordered))}, {Name: "chart_compared", Component: chart(draw(compared))},
		{Name: "chart_empty", Component: chart(draw(Plot{ID: "c", Label: "A chart", Unit: "count", From: 0, To: 4 * day}))},
		{Name: "chart_file", Component: ChartFile{"Pickup time, web", "1 Mar – 2 Mar", draw(bordered)}.Render()},
		{Name: "badge", Component: NewBadge("Pickup time", "2 h", "").Render()}, {Name: "badge_none", Component: NewBadge("Pickup time", "no data", "Nothing happened.").Render()},
	}
}
