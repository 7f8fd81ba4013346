package web_test

import (
	"net/http/httptest"
	"testing"

	"meridian/web/webtest"
)

func TestProxy_TheHeaderCountsFromTheProxyAlone(t *testing.T) {
	s := newServer(t, webtest.Acme(), proxied)
	for name, c := range map[string]struct {
		from    string
		headers map[string][]string
		want    int
	}{
		"the proxy":                    {"192.0.2.7:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"viewer"}}, 200},
		"mapped into IPv6":             {"[::ffff:192.0.2.7]:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"viewer"}}, 200},
		"somebody else":                {"198.51.100.1:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"viewer"}}, 401},
		"forwarded for the proxy":      {"198.51.100.1:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"viewer"}, "X-Forwarded-For": {"192.0.2.7"}}, 401},
		"without the header":           {"192.0.2.7:1234", map[string][]string{"X-Groups": {"viewer"}}, 401},
		"an empty header":              {"192.0.2.7:1234", map[string][]string{"X-User": {" "}, "X-Groups": {"viewer"}}, 401},
		"a header that came along":     {"192.0.2.7:1234", map[string][]string{"X-User": {"mai", "boss"}, "X-Groups": {"viewer"}}, 401},
		"several groups in one header": {"192.0.2.7:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"a, viewer,b"}}, 200},
		"no group that gives anything": {"192.0.2.7:1234", map[string][]string{"X-User": {"mai"}, "X-Groups": {"view"}}, 403},
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil)
		r.RemoteAddr = c.from
		r.Header.Set("Accept", asBrowser)
		for key, values := range c.headers {
			r.Header[key] = values
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d", name, w.Code, c.want)
		}
	}
}
