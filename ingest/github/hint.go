package github

// hint is a delivery that is known and tells no fact that a metric needs: who
// joined a team, where the App was installed. It is taken, and the body is kept
// without its text.
type hint struct{ envelope }

func (*hint) strip(Hasher, bool) {}

func (*hint) read(*reading) {}

// hints are the types of which no event is made.
var hints = map[string]bool{
	"member": true, "membership": true, "team": true, "team_add": true, "organization": true,
	"installation": true, "installation_repositories": true, "installation_target": true, "github_app_authorization": true,
	"meta": true, "pull_request_review_thread": true,
}
