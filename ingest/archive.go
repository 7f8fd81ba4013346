package ingest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// A delivery archive is JSON lines, a delivery, a tick, or what is said of a
// scope's time or of a person each, in order of receipt: what `replay --input`
// reads, what `export` writes, and how a fault is reported. Signatures are not asked for: whoever has the file has the deliveries.

// ArchiveLine is one line.
type ArchiveLine struct {
	Number   int       // from 1
	Delivery *Delivery // nil: a tick, or one of the next three
	Coverage *Coverage
	Gap      *Gap
	Erase    *Erase
	Tick     timeline.Millis

	// ID is what the sender of a delivery was told, where an instance has taken it
	// before; "": it gets one. Reason is why it could not be read then: what is left
	// of its body says less.
	ID, Reason string

	// Place in meridian.deliveries, which files of an instance carry.
	Placed    bool
	Partition int32
	Offset    int64
}

// IsTick reports whether line is a tick.
func (line ArchiveLine) IsTick() bool {
	return line.Delivery == nil && line.Coverage == nil && line.Gap == nil && line.Erase == nil
}

// Control is the control record that line is; it is no delivery.
func (line ArchiveLine) Control() Entry {
	return Entry{Coverage: line.Coverage, Gap: line.Gap, Erase: line.Erase, Tick: line.Tick}
}

// archiveLine is an ArchiveLine as it is written.
type archiveLine struct {
	Source     string            `json:"source,omitempty"`
	Name       string            `json:"name,omitempty"`
	Received   string            `json:"received,omitempty"`
	Via        string            `json:"via,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	Body       *string           `json:"body,omitempty"`
	BodyBase64 *string           `json:"body_base64,omitempty"`
	Kept       bool              `json:"kept,omitempty"` // the body has been through a decoder
	Tick       string            `json:"tick,omitempty"`
	Coverage   *archiveSpan      `json:"coverage,omitempty"`
	Gap        *archiveSpan      `json:"gap,omitempty"`
	Erase      string            `json:"erase,omitempty"`
	ID         string            `json:"id,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Partition  *int32            `json:"partition,omitempty"`
	Offset     *int64            `json:"offset,omitempty"`
}

const viaAPI = "api"

// parseArchiveLine reads one line. The error says what is wrong with it and
// quotes no body.
func parseArchiveLine(text []byte) (ArchiveLine, error) {
	if !utf8.Valid(text) {
		return ArchiveLine{}, errors.New("it is not UTF-8; a body that is not goes into body_base64")
	}
	var a archiveLine
	if err := json.Unmarshal(text, &a); err != nil {
		if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) && wrong.Field != "" {
			return ArchiveLine{}, fmt.Errorf("%s is of the wrong type", wrong.Field)
		}
		return ArchiveLine{}, errors.New("it is not one JSON object")
	}
	var line ArchiveLine
	if a.Partition != nil && a.Offset != nil {
		line.Placed, line.Partition, line.Offset = true, *a.Partition, *a.Offset
	}
	if a.Coverage != nil || a.Gap != nil {
		return line, a.span(&line)
	}
	if a.Erase != "" {
		return line, a.erasure(&line)
	}
	switch {
	case a.Tick != "" && a.Source != "":
		return ArchiveLine{}, errors.New("it is a tick and a delivery at once; write a line for each")
	case a.Tick != "":
		tick, err := timeline.ParseInstant(a.Tick)
		if err != nil {
			return ArchiveLine{}, fmt.Errorf("tick: %w", err)
		}
		line.Tick = tick
		return line, nil
	case a.Source == "":
		return ArchiveLine{}, errors.New("it is neither a delivery (source, received, headers, body) nor a tick")
	}
	d, err := a.delivery()
	line.Delivery, line.ID, line.Reason = d, a.ID, a.Reason
	return line, err
}

func (a *archiveLine) delivery() (*Delivery, error) {
	if SourceOf(a.Source) == event.SourceUnknown {
		return nil, errors.New("its source is none of github, jira, deploy, argocd and cdevents")
	}
	if a.Received == "" {
		return nil, errors.New("received is missing")
	}
	received, err := timeline.ParseInstant(a.Received)
	if err != nil {
		return nil, fmt.Errorf("received: %w", err)
	}
	d := &Delivery{Provider: a.Source, Name: a.Name, Received: received, Kept: a.Kept}
	switch a.Via {
	case "":
	case viaAPI:
		d.ViaAPI = true
	default:
		return nil, errors.New(`via may be "api" or left out`)
	}
	switch {
	case a.Body != nil && a.BodyBase64 != nil:
		return nil, errors.New("it has both body and body_base64")
	case a.Body != nil:
		d.Body = []byte(*a.Body)
	case a.BodyBase64 != nil:
		if d.Body, err = base64.StdEncoding.DecodeString(*a.BodyBase64); err != nil {
			return nil, errors.New("body_base64 is not base64")
		}
	default:
		return nil, errors.New("it has no body")
	}
	if len(a.Headers) > 0 {
		d.Headers = make(map[string]string, len(a.Headers))
		// Sorted, so that of two spellings of one name the same one always wins.
		for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
			d.Headers[http.CanonicalHeaderKey(name)] = a.Headers[name]
		}
	}
	return d, nil
}

// format returns line as it is written, without the line's end.
func (line ArchiveLine) format() archiveLine {
	var a archiveLine
	if line.Placed {
		a.Partition, a.Offset = &line.Partition, &line.Offset
	}
	d := line.Delivery
	switch {
	case line.Coverage != nil:
		a.Coverage = spanOf(*line.Coverage)
		return a
	case line.Gap != nil:
		a.Gap = spanOf(Coverage(*line.Gap))
		return a
	case line.Erase != nil:
		a.Erase = hex.EncodeToString(line.Erase.Person[:])
		return a
	case d == nil:
		a.Tick = line.Tick.String()
		return a
	}
	a.ID, a.Reason = line.ID, line.Reason
	a.Source, a.Name, a.Received, a.Headers, a.Kept = d.Provider, d.Name, d.Received.String(), d.Headers, d.Kept
	if d.ViaAPI {
		a.Via = viaAPI
	}
	if utf8.Valid(d.Body) {
		body := string(d.Body)
		a.Body = &body
	} else {
		body := base64.StdEncoding.EncodeToString(d.Body)
		a.BodyBase64 = &body
	}
	return a
}
