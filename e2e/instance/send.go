package instance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"meridian/e2e/senders"
)

// paths and secrets of the sources in the configuration of an instance under test.
var sources = map[string]struct{ path, secret string }{
	"github": {"/webhooks/github/acme", GitHubSecret},
	"jira":   {"/webhooks/jira/cloud", JiraSecret},
	"deploy": {"/webhooks/deploy/ci", DeploySecret},
}

// Send signs a delivery and sends it to its source.
func (in *Instance) Send(d senders.Delivery) (Answer, error) {
	to := sources[d.Provider]
	return in.Ask(http.MethodPost, to.path, d.Signed(to.secret), bytes.NewReader(d.Body))
}

// MustSend is Send for deliveries that have to be taken, as this: accepted, ping or ignored.
func (in *Instance) MustSend(as string, deliveries ...senders.Delivery) {
	in.t.Helper()
	for _, d := range deliveries {
		a, err := in.Send(d)
		if err == nil {
			err = a.took(as)
		}
		if err != nil {
			in.t.Fatalf("send %s: %v", d.Body[:min(len(d.Body), 200)], err)
		}
	}
}

// took checks the answer to a delivery that was taken.
func (a Answer) took(as string) error {
	var answer struct{ Status, Delivery string }
	if a.Status != http.StatusAccepted || json.Unmarshal(a.Body, &answer) != nil || answer.Status != as || answer.Delivery == "" {
		return fmt.Errorf("want 202 with status %q and a delivery's id, got %d: %s", as, a.Status, a.Body)
	}
	return nil
}
