package web_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"meridian/metrics"
	"meridian/web"
	"meridian/web/webtest"
)

// failing is a store that stops answering in the middle of a page.
type failing struct {
	web.Results
	left *atomic.Int64 // look-ups of the clock that are answered
}

func (f failing) AsOf(ctx context.Context) (metrics.AsOf, error) {
	if f.left.Add(-1) < 0 {
		return metrics.AsOf{}, errors.New("away")
	}
	return f.Results.AsOf(ctx)
}

// A store that goes away while it is decided what may be shown must not make
// anything be shown: a page is whole and as it should be, or there is none.
func TestGuard_TroubleShowsNothing(t *testing.T) {
	o := webtest.Acme()
	for _, path := range []string{"/", "/teams/mobile", "/teams/mobile?grain=day", "/teams/mobile/after_hours", "/dora", "/catalog", "/api/v1/points?metric=after_hours&scope=org"} {
		// ask is what a new server answers whose store answers so many look-ups.
		ask := func(look int64) (status int, text string, used int64) {
			left := new(atomic.Int64)
			left.Store(look)
			s, err := web.New(config(func(c *web.Config) { c.Shared, c.Catalog = true, hostileCatalog{} }), failing{o.Results(), left}, o.Directory(), o, o, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			r := request(t, s, "GET", path, "Accept", asBrowser)
			return r.StatusCode, body(t, r), look - left.Load()
		}
		status, whole, used := ask(1000)
		if status != http.StatusOK || used == 0 {
			t.Fatalf("%s: %d after %d look-ups", path, status, used)
		}
		for look := range used {
			if look > 12 && look < used-3 {
				continue // more of the same
			}
			switch status, text, _ := ask(look); {
			case status == http.StatusOK && text != whole:
				t.Errorf("%s: with %d of %d look-ups answered it shows something else", path, look, used)
			case status != http.StatusOK && status != http.StatusServiceUnavailable:
				t.Errorf("%s: with %d of %d look-ups answered: %d", path, look, used, status)
			}
		}
	}
}
