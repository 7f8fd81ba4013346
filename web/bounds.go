package web

import (
	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Bound is how long the engine waits for a source before it calls a window final,
// beside how late its events really come.
type Bound struct {
	Source        string
	Wait          timeline.Millis
	Events, Late  int64           // of the measured ones; Late came after the wait
	For1, ForTen  timeline.Millis // waits of which one event in 100, in 1,000 is later
	P50, P99, Max timeline.Millis // from what happened to its receipt
	Exceeded      bool            // more are late than the budget allows
}

// boundLeast is how many events it takes before a share of them means anything.
const boundLeast = 1000

// bounds are the measured delays as the quality page shows them.
func (s *Server) bounds(say *language.Words) (out []views.Bound) {
	if s.config.Bounds == nil {
		return nil
	}
	length := func(m timeline.Millis) string { return views.Duration(float64(m) / 1000) }
	for _, b := range s.config.Bounds() {
		v := views.Bound{
			Source: b.Source, Wait: length(b.Wait), Events: views.Int(b.Events), For1: length(b.For1), ForTen: length(b.ForTen),
			P50: length(b.P50), P99: length(b.P99), Max: length(b.Max), Exceeded: b.Exceeded,
		}
		if b.Events > 0 {
			v.Late = views.Share(float64(b.Late) / float64(b.Events))
			v.Says = say.Quality.Fits
			if b.Events < boundLeast {
				v.Says = say.Quality.TooFew
			} else if b.Exceeded {
				v.Says = say.Quality.Exceeded(length(b.For1))
			} else if b.Wait > 4*b.ForTen && b.ForTen > 0 {
				v.Says = say.Quality.TooLong(length(b.ForTen))
			}
		}
		out = append(out, v)
	}
	return out
}
