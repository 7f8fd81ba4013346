package ingest

import (
	"errors"
	"fmt"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// archiveSpan is what is said of a scope's time, as it is written:
// {"coverage": {"source": "github", "scope": "acme/web", "from": ..., "to": ...}}.
// Without a scope it is the whole source. Its place among the lines is where it
// was appended; what it says does not depend on it.
type archiveSpan struct {
	Source string `json:"source"`
	Scope  string `json:"scope,omitempty"`
	From   string `json:"from"`
	To     string `json:"to"`
}

func spanOf(c Coverage) *archiveSpan {
	return &archiveSpan{c.Source.String(), c.Scope, c.From.String(), c.To.String()}
}

func (s archiveSpan) coverage() (c Coverage, err error) {
	c.Source, c.Scope = event.ParseSource(s.Source), s.Scope
	if c.Source == event.SourceUnknown {
		return c, errors.New("its source is none of github, jira and deploy")
	}
	if c.From, err = timeline.ParseInstant(s.From); err != nil {
		return c, fmt.Errorf("from: %w", err)
	}
	if c.To, err = timeline.ParseInstant(s.To); err != nil {
		return c, fmt.Errorf("to: %w", err)
	}
	return c, nil
}

// span reads a line that is a coverage or a gap.
func (a *archiveLine) span(line *ArchiveLine) error {
	if a.Tick != "" || a.Source != "" || a.Coverage != nil && a.Gap != nil {
		return errors.New("it is several things at once; write a line for each")
	}
	if a.Gap != nil {
		c, err := a.Gap.coverage()
		line.Gap = (*Gap)(&c)
		return err
	}
	c, err := a.Coverage.coverage()
	line.Coverage = &c
	return err
}
