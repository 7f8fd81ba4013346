package ingest

import (
	"encoding/hex"
	"errors"

	"meridian/ingest/event"
)

// LineOf returns an entry of the log as a line of an archive. What its decoder made
// of a delivery is left out: whoever reads the line decodes its body again, which
// gives the same.
func LineOf(e Entry) ArchiveLine {
	line := ArchiveLine{Coverage: e.Coverage, Gap: e.Gap, Erase: e.Erase, Tick: e.Tick}
	if d := e.Delivery; d != nil {
		line.Delivery, line.ID = &d.Delivery, d.ID
		if d.Outcome == OutcomeUndecodable {
			line.Reason = d.Reason
		}
	}
	return line
}

// Logged returns a delivery of an archive as the log keeps it, with its key.
func (line ArchiveLine) Logged(by Decoder) (key string, _ *LoggedDelivery) {
	key, d := DecodeArchived(by, *line.Delivery)
	if line.ID != "" {
		d.ID = line.ID
	}
	if line.Reason != "" && d.Outcome == OutcomeUndecodable { // else a better decoder reads it now
		d.Reason = line.Reason
	}
	return key, d
}

// erasure reads a line that says that a person was erased.
func (a *archiveLine) erasure(line *ArchiveLine) error {
	if a.Tick != "" || a.Source != "" {
		return errors.New("it is several things at once; write a line for each")
	}
	b, err := hex.DecodeString(a.Erase)
	if err != nil || len(b) != len(event.PersonID{}) {
		return errors.New("erase is no pseudonym of 32 hex digits")
	}
	line.Erase = &Erase{Person: event.PersonID(b)}
	return nil
}
