package web

import (
	"net/http"
	"net/url"
	"strconv"

	"meridian/metrics"
)

const (
	diffWindows     = 100
	mostDiffWindows = 20_000
)

// ReadRunDiff reads what is wanted of the difference of a run and another one: with
// names that, and "" is the one that readers see, which stands first then.
func ReadRunDiff(run uint32, v url.Values) (q RunDiffQuery, err error) {
	bad := func(detail string) (RunDiffQuery, error) {
		return q, &Error{Status: http.StatusBadRequest, Title: "Bad parameter", Detail: detail}
	}
	q = RunDiffQuery{Second: run, Teams: v["team"], Limit: diffWindows, Cursor: v.Get("cursor")}
	for name := range v {
		switch name {
		case "with", "team", "metric", "grain", "from", "to", "limit", "cursor":
		default:
			return bad("There is no parameter " + name + ".")
		}
	}
	if with := v.Get("with"); with != "" && with != "live" {
		n, err := strconv.ParseUint(with, 10, 24)
		if err != nil {
			return bad("Parameter with is the number of a run, or live.")
		}
		q.First = uint32(n)
	}
	for _, name := range v["metric"] {
		if metrics.Find(metrics.Name(name)) == nil {
			return bad("There is no metric " + name + ".")
		}
		q.Metrics = append(q.Metrics, metrics.Name(name))
	}
	switch g := metrics.Grain(v.Get("grain")); g {
	case "", metrics.Hour, metrics.Day, metrics.Day30:
		q.Grain = g
	default:
		return bad("Parameter grain is hour, day or day30.")
	}
	for name, to := range map[string]**string{"from": &q.From, "to": &q.To} {
		if text := v.Get(name); text != "" {
			*to = &text
		}
	}
	if text := v.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > mostDiffWindows {
			return bad("Parameter limit is a number from 1 to 20000.")
		}
	}
	return q, nil
}
