package ingest

import (
	"fmt"
	"testing"
	"time"
)

// An event that this version does not know is visible by its name; who makes names
// up fills fifty of them and no more.
func TestIgnoredTypesAreCountedByName(t *testing.T) {
	now := time.Unix(1_772_442_000, 0)
	tally := newTally(SourceConfig{Provider: "github", Name: "acme"})
	took := func(name string, o Outcome) { tally.took(&LoggedDelivery{Type: name, Outcome: o}, now) }
	took("star.created", OutcomeIgnored)
	took("star.created", OutcomeIgnored)
	took("pull_request.enqueued", OutcomeIgnored)
	took("push", OutcomeAccepted)
	took("ping", OutcomePing)
	took("push", OutcomeUndecodable)
	first := tally.snapshot(now)
	if got := fmt.Sprint(first.Unread); got != "map[pull_request.enqueued:1 star.created:2]" {
		t.Errorf("ignored are %s", got)
	}
	for i := range 1000 {
		took(fmt.Sprintf("made_up_%d", i), OutcomeIgnored)
	}
	took("star.created", OutcomeIgnored)
	s := tally.snapshot(now)
	var sum int64
	for _, n := range s.Unread {
		sum += n
	}
	if len(s.Unread) != mostUnread+1 || s.Unread["star.created"] != 3 || s.Unread[OtherUnread] != 952 || sum != s.Ignored {
		t.Errorf("%d types, %d of others, %d of %d", len(s.Unread), s.Unread[OtherUnread], sum, s.Ignored)
	}
	if len(first.Unread) != 2 {
		t.Error("what was said before has changed")
	}
}
