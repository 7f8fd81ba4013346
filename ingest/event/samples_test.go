package event

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"meridian/ingest/event/eventpb"
)

// samples are one event of each body, as decoders make them.
func samples() []Event {
	mai := Account{Provider: "github", Key: "583231", Login: "mai", Email: "6c7a1b0f0e6f5b7f2d8c0f3b6a9de0e1c2b3a4958677f8e9d0c1b2a3948576ab"}
	jonas := Account{Provider: "github", Key: "9919", Login: "jonas"}
	github := Scope{Provider: "github", Name: "acme", Repository: "acme/web", DefaultTip: "main"}
	pr := &PullRequest{
		Number: 7, Author: mai, Created: 1772442000000, State: "open", BaseRef: "main", HeadRef: "checkout-fix",
		HeadSHA: "9f2c6b1d0a5e4f3c2b1a09f8e7d6c5b4a3928170", IntoMain: true, Additions: 120, Deletions: 7, Commits: 3,
		Labels: []string{"bug"}, IssueKeys: []string{"OPS-7"}, URL: "https://github.com/acme/web/pull/7",
	}
	return []Event{
		{
			ID: NewID("review"), Source: GitHub, Kind: ReviewSubmitted, Time: 1772451000000, Entity: "github/repo/42/pr/7", Created: 1772442000000,
			Scope: github, Actor: jonas, PullRequest: pr, Review: &Review{Key: "991", State: ReviewApproved, Submitted: 1772451000000},
		},
		{
			ID: NewID("push"), Source: GitHub, Kind: Pushed, Time: 1772442100000, Entity: "github/repo/42", Scope: github, Actor: mai,
			Push: &Push{
				Ref: "main", Default: true, Before: "1111111111111111111111111111111111111111", After: "2222222222222222222222222222222222222222",
				Commits: []Commit{{
					SHA: "2222222222222222222222222222222222222222", Author: mai, Authored: 1772441000000, Local: LocalEvidence{HasOffset: true, Offset: 420},
					Paths: []string{"services/checkout/pay.go", "README.md"}, Marks: Marks{Hotfix: true}, IssueKeys: []string{"OPS-7"},
				}},
			},
		},
		{
			ID: NewID("deployment"), Source: Deploy, Kind: DeploymentStatus, Time: 1772442250000, Entity: "deploy/ci/run-42/checkout",
			Scope: Scope{Provider: "deploy", Name: "ci", Repository: "acme/web", Service: "checkout", Environment: "production"},
			Actor: Account{Provider: "deploy", Login: "mai"},
			Deployment: &Deployment{
				Key: "run-42", State: DeploymentSuccess, Started: 1772442000000, Finished: 1772442250000, Revisions: []string{"9f2c6b1d"},
				Creator: Account{Provider: "deploy", Login: "mai"}, Labels: []string{"hotfix"}, Marks: Marks{Hotfix: true},
				FixesIncident: "OPS-7", URL: "https://ci.example/run/42", OriginalService: "checkout",
			},
		},
		{
			ID: NewID("transition"), Source: Jira, Kind: IssueTransitioned, Time: 1772442300000, Entity: "jira/acme.atlassian.net/issue/10010", Created: 1772000000000,
			Scope: Scope{Provider: "jira", Name: "cloud", Project: "OPS", Components: []string{"Checkout"}, Labels: []string{"incident"}},
			Actor: Account{Provider: "jira", Key: "712020:mai", Login: "712020:mai"}, Local: LocalEvidence{Profile: "Asia/Ho_Chi_Minh"},
			Issue: &Issue{
				Key: "OPS-7", Type: "Incident", Created: 1772000000000, Reporter: Account{Provider: "jira", Key: "712020:jonas"},
				Current: Status{"Done", CategoryDone}, From: Status{Name: "In Progress"}, To: Status{"Done", CategoryDone}, Change: "20017",
				Components: []string{"Checkout"}, Labels: []string{"incident"}, Resolved: 1772442300000, URL: "https://acme.atlassian.net/browse/OPS-7",
			},
		},
		{
			ID: NewID("comment"), Source: GitHub, Kind: PullRequestCommented, Time: 1772451000500, Entity: "github/repo/42/pr/7", Created: 1772442000000,
			Scope: github, Actor: jonas, PullRequest: pr, Comment: &Comment{Key: "10082", Created: 1772451000500},
		},
		{ID: NewID("defect"), Source: GitHub, Kind: CommitDefective, Time: 1772442100000, Entity: "github/repo/42", Scope: github, Defect: "its author's time has an impossible offset"},
	}
}

func records() (all [][]byte, bytes int64) {
	for _, e := range samples() {
		all = append(all, Encode(e))
		bytes += int64(len(all[len(all)-1]))
	}
	return all, bytes / int64(len(all))
}

func BenchmarkDecode(b *testing.B) {
	all, size := records()
	b.SetBytes(size)
	b.ReportAllocs()
	var d Decoder
	for i := 0; b.Loop(); i++ {
		if _, err := d.Event(all[i%len(all)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	events := samples()
	var buffer []byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buffer = Append(buffer[:0], &events[i%len(events)])
	}
}

// What the generated code needs for the same records, without making events of
// its messages: the figure behind the decision to write the codec by hand.
func BenchmarkGeneratedDecode(b *testing.B) {
	all, size := records()
	b.SetBytes(size)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		var e eventpb.Event
		if err := proto.Unmarshal(all[i%len(all)], &e); err != nil {
			b.Fatal(err)
		}
	}
}
