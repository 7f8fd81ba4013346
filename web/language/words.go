package language

// Words are the texts of the pages in one language. A field that is a function has
// something to fill in, which each language puts where it belongs.
type Words struct {
	Tag string // as Accept-Language has it

	Common   CommonWords
	Frame    FrameWords
	Number   NumberWords
	Overview OverviewWords
	Team     TeamWords
	Metric   MetricWords
	Chart    ChartWords
	DORA     DORAWords
	Waiting  WaitingWords
	Quality  QualityWords
	Asides   AsidesWords
	Catalog  CatalogWords
	Sources  SourcesWords
	Guides   GuidesWords
	Replays  ReplaysWords
	Status   StatusWords
	Access   AccessWords
}

// CommonWords are what is said on several pages.
type CommonWords struct {
	ShortJSON, Since, Source, What, Why, Quality, WhatItIs, Events, Team, From, To, Length, Kind, DuplicatesTitle string
	Duplicates, Newest, LastFailure, Catalog, Show, Teams, Name, Sources, Engine, Replays, APITokens              string
	AuditLog, NoData, YouAreHere, AllTeams, TheWeek, TheWeekNote, Compare, Window, Status, Item, When             string
	OpensItsOwnPage, Grain, Range, Service, NoSource, CSV, JSON, Never, All, Today                                string

	Days  func(n int) string
	Items func(n int64, number string) string
}

// FrameWords are what stands around every page: navigation, notices, foot.
type FrameWords struct {
	Skip, Meridian, Pages, Live, NumbersUpTo, Generation, Logic, ZoneData, StandsStill, Behind, UpToDate   string
	WhatChanged, SignOut, ProvisionalTitle, Provisional, RevisedTitle, Revised, Copy, Which30Days, Earlier string
	DaysTo, Later, Final, NothingYet, TrustClock, Overview, Waiting                                        string

	Importing     func(far string) string
	EngineBehind  func(length string) string
	BeingComputed func(next, shown string) string
	ClockStands   func(why string) string
	Kept          func(before string) string
}

// NumberWords are what stands beside a value: how many, against what, why not.
type NumberWords struct {
	NoData, New, Unchanged, NotCovered, WithheldFew, JustNow string

	N             func(n string) string
	Covers        func(n string, days int) string
	Before        func(value string) string
	Spark         func(title, first, last string) string
	Mark          func(window, value, n string) string
	MarkWas       func(value, n string) string
	MarkNone      func(window, why string) string
	ChartLabel    func(title, period string) string
	TooLateBeside func(late, dropped string) string
	Ignored       func(n, reason string) string
	Ages          func(half, tenth string) string
	InDays        func(n string, days int64) string
	OfThese       func(n, of string) string
	Usual         func(low, high string) string
	DaysTo        func(day string) string
	SecondsAgo    func(n int) string
	MinutesAgo    func(n int) string
	HoursAgo      func(n int) string
	DaysAgo       func(n int) string
	AndMore       func(from string) string
	Below         func(to string) string
	OrMore        func(target string) string
	OrLess        func(target string) string
}

// OverviewWords are what is on the page of all teams, the first page of an empty instance included.
type OverviewWords struct {
	PeriodNote, Provisional, Revised, FewNote, ImportingAll, Imported, ImportingNote, ConnectTitle string
	ConnectLead, Address, Secret, ShowTheSecret, SecretNote, SecretAsk, Sample, DocsNote, Changed  string
	ChangedNote, ShellScript, Title, ImportingPage, CSV                                            string

	ConnectTo      func(provider string) string
	ImportingTitle func(far string) string
	Caption        func(teams int) string
}

// TeamWords are what is on a team's page, and in its feed.
type TeamWords struct {
	LocalTimeOf, WeeklyFeed, NothingMoved, Moved, MovedNote, NoteDay30, NoteDay, NoteHour, Longest   string
	Largest, LongestBefore, LargestBefore, NewestCounted, MostBy, Stages, StagesNote, Coding, Pickup string
	Review, Deploy, LeadTime, HeatCaption, Hours, Days, Days30, CSV, FeedEmpty                       string

	PeopleNote  func(least int) string
	Was         func(now, before string) string
	StagesLabel func(parts string) string
	FeedTitle   func(team string) string
	FeedBefore  func(value string) string
	HeatCell    func(day, from, to string, n int64, number string) string
}

// MetricWords are what is on a metric's page.
type MetricWords struct {
	LastMonth, Last30Days, OverTime, To, CompareWith, OrFrom, LocalTimeOf, ChartAsSVG, AsPNG, NumbersAsCSV string
	APICall, Beside, InNumbers, InNumbersNote, NTitle, LateTitle, Late, LeftOut, Was, Passport, Evidence   string
	EvidenceNote, Find, FindExample, Order, Search, Value, Counted, Yes, MoreItems, First, More            string
	ItemsAsCSV, Spread, InTheRange, HowMany, UpToHere, AllServices, P75, P75Title, P90, P90Title, Fraction string
	FractionTitle, InDays, InDaysTitle, Evenings, EveningsTitle, Weekends, WeekendsTitle, Holidays         string
	HolidaysTitle, ZonesKnown, ZonesKnownTitle, HalfOlder, HalfOlderTitle, TenthOlder, TenthOlderTitle     string
	LateName, LateNote, TooLate, TooLateNote, DuplicatesName, DuplicatesNote, SetAside, SetAsideNote       string
	LiveNumbers, Nothing, TimeBefore, YearBefore, NoItem, NoSuchItem, StillOpen                            string

	OfRun       func(run string) string
	Withholds   func(least int) string
	LeftOutBy   func(reason string) string
	IgnoredBy   func(reason string) string
	RunNamed    func(run string) string
	TimeFrom    func(day string) string
	OfNewest    func(n string) string
	LeftOutItem func(why string) string
	IgnoredItem func(why string) string
	FileNote    func(period, zone, generation, clock string) string
	Ordered     func(by string) string
	Shown       func(which string) string
	Target      func(target string) string
}

// ChartWords are what is in a chart.
type ChartWords struct {
	Keys, Empty, Border, Median, UpToP90, UpToP90Cut, Provisional, Revised, Was string
}

// DORAWords are what is on the page of DORA's five.
type DORAWords struct {
	DORA, Lead, NoNumbers, ConnectASource, DaysOf, MadeOf, NothingSoFar, LeftOut, Missing string
	NothingKnownMissing, NothingMissing                                                   string
}

// WaitingWords are what is on the page of what is open now.
type WaitingWords struct {
	WaitingNow, Lead, Age, NothingOpen string

	More func(n string) string
}

// QualityWords are what is on the quality page.
type QualityWords struct {
	ClocksAndBounds, BoundsNote, NothingMeasured, HalfWithinTitle, HalfWithin, NinetyNine, Latest        string
	BoundTitle, Bound, LaterThanIt, PerThousandTitle, PerThousand, WhichMeans, Gaps, GapsNote, Lead      string
	Verdicts, VerdictsByTime, NoEvent, Decoded, Accepted, LateTitle, Late, BackfilledTitle, Backfilled   string
	TooLateTitle, TooLate, QuarantinedTitle, Quarantined, UnreadableNote, LeftOut, LeftOutByReceipt      string
	LeftOutOrder, NoOlder, AllReadTakenIn, AllTakenIn, Received, EventTime, Event, LeftOutNote, Earlier  string
	MoreRejects, Older, Unread, UnreadNote, Deliveries, WhyNot, TooFew, Fits, CauseLate, EffectLate      string
	CauseOld, EffectOld, CauseHealed, EffectHealed, CauseRead, EffectRead, All, TooLateWord, Deployments string
	CSV, RejectsCSV                                                                                      string

	Exceeded   func(bound string) string
	TooLong    func(bound string) string
	ByDays     func(n, first, last string) string
	Unreadable func(n int64, number string) string
}

// AsidesWords are what is said of what was set aside.
type AsidesWords struct {
	SetAside, SetAsideNote, None, Do, Body, Retry, Drop, ToldSender, BodyNote, LateData, LateNote, Cause string
	ByDay, Effect, More                                                                                  string

	RetryOf func(id string) string
	DropOf  func(id string) string
	DoneBy  func(state, by, at string) string
}

// CatalogWords are what is on the catalog page.
type CatalogWords struct {
	Lead, On, Today, Trouble, TroubleNote, TroubleLabel, Changes, ChangesNote, NoChangeToday, TeamsOwn   string
	TeamsProduction, ZoneAndHours, Repositories, Jira, Services, People, ZonesTitle, Zones, UnknownTitle string
	UnknownPeople, Unassigned, PeopleNote, Accounts, Zone, KnownFrom, Service, Paths, Deploys, NoTeams   string
	UnassignedNote, ToChange, Schema, Hash, FromPerson, FromOrganisation, FromInstance                   string

	ZonesOf  func(configured, inferred, assumed int64) string
	PeopleIn func(n int) string
	FromTeam func(team string) string
}

// SourcesWords are what is on the page of sources and in the form of an import.
type SourcesWords struct {
	History, HistoryNote, Cancel, ImportHistory, ImportsByAdmins, API, ProjectsByTheirKeys                 string
	ProjectsExample, Organisation, OrganisationExample, OrRepositories, RepositoriesExample, Since         string
	SinceNote, ImportNote, Import, Lead, LastDelivery, NoneYet, IgnoredByType, LastRefusal, Test, TestNote string
	RowsTrouble, BeforeProcess, Accepted, AcceptedTitle, Ignored, IgnoredTitle, Pings, PingsTitle          string
	Undecoded, UndecodedTitle, Unreadable, Untaken, QuietSinceStart, WaitsForFirst, WaitsForEvent, Flowing string
	ImportFrom, JobAgain                                                                                   string

	RateLabel    func(n int64) string
	LastHour     func(n int64, number string) string
	Unsigned     func(n int64, number string) string
	Gap          func(from, to string) string
	Refused      func(code int) string
	MoreTypes    func(n int64) string
	TestOf       func(provider, name string) string
	DoneOf       func(what string) string
	CancelOf     func(what string) string
	ImportingJob func(far string) string
	JobRate      func(rate, unit string) string
	JobLeft      func(length string) string
	Refusals     map[int]string
}

// GuidesWords are what says how a system is connected.
type GuidesWords struct {
	GitHub, Jira, Deploy, DeployName, DeployTitle, ArgoCD, CDEvents, Other, MadeHere, Configured string
	SecretConfigured, SecretMade, Bearer, Token                                                  string

	Unreadable func(at string) string
	Pinged     func(at string) string
	OtherType  func(at string) string
}

// ReplaysWords are what is on the pages of runs.
type ReplaysWords struct {
	AskedBy, RowsUpTo, InPart, KeptUntil, Both, Withheld, NoRow, NotNowTitle string

	Promote, Rollback, Drop, Resume RunQuestion

	LimitFrom, LimitBefore, LimitTeams, Agrees, Disagrees func(what string) string
	Summary                                               func(equal, differ, onlyFirst, first, onlySecond, second string) string
	Evidence                                              func(onlyFirst, first, onlySecond, second, other string) string
	NotNowFor                                             func(run, says string) string

	Lead, Generations, None, Run, State, Because, Begun, Differences, AllRuns, DiffersFromLive, Audit  string
	Table, Rows, Equal, Different, MissingRows, ExtraRows, NewerRows, WhatDiffers, CountsLabel, Metric string
	Windows, Differ, WindowsLabel, MoreWindows, NotNow, Note                                           string

	DiffOf    func(run string) string
	HistoryOf func(run string) string
	RunNumber func(run string) string
	Between   func(first, second string) string
	OnlyIn    func(run string) string
	InRun     func(run string) string
}

// RunQuestion is what somebody is asked before something is done with a run.
type RunQuestion struct {
	Verb, Button string
	Text         []string
	Title        func(run string) string
}

// StatusWords are what is on the status page, at the sign-in and on problems.
type StatusWords struct {
	Parts, Works, Fails, Shards, SignIn, ProxyNote, Token, SignedIn, SignedOut, Continue, BackToAllTeams, WrongLink string
	LinkNote, Well, Unwell, ResultsAway, EngineClock, NumbersClock, ImportingFact                                   string

	ProviderNote func(host string) string
	SignInWith   func(host string) string
	SignOutAt    func(host string) string
	ReportNote   func(id string) string
}

// AccessWords are what is on the pages of tokens and of the audit log.
type AccessWords struct {
	TokensLead, TheNewToken, Tokens, NoTokens, Owner, Roles, Made, Ends, LastUsed, EndIt, Over, End    string
	MakeOne, Label, TeamsNote, Days, MakeToken, Example, AuditLead, NothingWritten, Who, About, Detail string
	OlderEntries, ExampleLabel                                                                         string

	EndOf     func(label string) string
	TokenMade func(label string) string
}
