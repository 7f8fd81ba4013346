package views

// storyPage is a page's frame as stories have it.
func storyPage(site Site, title, nav string) Page {
	return Page{Title: title, Nav: nav, Site: site, Live: true, Self: site.nav(nav), Notices: []Notice{{"warn", "The engine is 12 min behind."}},
		Foot: Foot{Shown: true, Generation: "2", Logic: "1", Catalog: "9f2c6b1de03a4477", Zones: "77aa3412bb00cd", Clock: Time{"3 Mar, 15:05 UTC", "2026-03-03T15:05:00Z"}, Behind: "12 min"}}
}

func frameStories(site Site) []Story {
	out := site
	out.SignOut, out.Hidden = false, []string{"sources", "replays"}
	turn := storyPage(site, "A page", "dora")
	turn.Foot.Behind, turn.Foot.Kept = "", "Numbers of before 1 Apr 2025 are of generation 0"
	turn.Foot.Coming, turn.Foot.Runs, turn.Foot.Changed, turn.Foot.Diff = "Generation 3 takes over when it has caught up", site.nav("replays"), "Generation 2 took over from 1 at 14:00", site.nav("replays/2?with=1")
	return []Story{
		{Name: "page_live", Component: Sources{Page: storyPage(site, "A page", "sources")}.Render(), Whole: true},
		{Name: "page_still", Component: Problem{Page: Page{Title: "Gone", Site: out}, Status: "404", Title: "There is no such page", Detail: "No team is called \"<b>\"."}.Render(), Whole: true},
		{Name: "page_broken", Component: Problem{Page: Page{Title: "Away", Site: out}, Status: "503", Title: "The numbers cannot be read just now", Detail: "Try again in a moment.", RequestID: "7Q2N4KD3MZ5T"}.Render(), Whole: true},
		{Name: "page_hidden", Component: Layout(storyPage(out, "A page", "dora")), Whole: true},
		{Name: "foot_turn", Component: foot(turn)},
		{Name: "notice_clock", Component: body(Page{Notices: []Notice{{"warn", "The clock stands still: say `meridian clock trust`."}}, Foot: Foot{Shown: true, Stands: true}})},
		{Name: "notice_info", Component: body(Page{Notices: []Notice{{"info", "Importing: 41 of 90 days. Numbers grow as it runs."}}})},
		{Name: "copied", Component: copied("code", "A command", "meridian doctor")},
	}
}
