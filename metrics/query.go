package metrics

import (
	"errors"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// Query asks for stored rows.
type Query struct {
	Generation streaming.Generation // a replay run; 0: the live one
	Metric     Name                 // "": all, or those of Metrics
	Metrics    []Name               // several at once; nil: what Metric says
	Teams      []string             // nil: all
	Service    string               // "": the totals; AllServices: every row
	Grain      Grain                // Hour, Day or Day30
	From, To   timeline.Millis      // windows that start in [From, To)
}

// AllServices in Query.Service asks for totals and services alike.
const AllServices = "*"

// AsOf says which computation an answer comes from, and how far its clock is.
type AsOf struct {
	Generation streaming.Generation
	Clock      timeline.Millis

	// HistoryFrom is where what that computation has given begins: windows that start
	// before it are of generation 0, which has kept them. 0: nothing is kept.
	HistoryFrom timeline.Millis
}

// ErrCursor is wrapped when a reader is given a cursor that it did not make.
var ErrCursor = errors.New("the cursor cannot be read; begin without one")
