package web_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"meridian/web"
	"meridian/web/webtest"
)

// TestConformance lets Schemathesis ask the API all that its description allows and
// much that it does not: answers keep the description, what is wrong is refused as
// a problem document, nothing is answered without a token, and nothing is a 500.
// `make conformance` installs it; the same seed asks the same.
func TestConformance(t *testing.T) {
	program := os.Getenv("MERIDIAN_TEST_SCHEMATHESIS")
	if program == "" {
		t.Skip("run make conformance")
	}
	for name, o := range map[string]*webtest.Organisation{"acme": webtest.Acme(), "empty": webtest.Empty()} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, o, guarded, func(c *web.Config) { c.Shared = true })
			h := httptest.NewServer(s.Handler())
			defer h.Close()
			cmd := exec.CommandContext(t.Context(), program, "run", h.URL+"/openapi.json",
				"--header", "Authorization: Bearer "+apiToken, "--seed", "1", "--max-examples", "50", "--no-color", "--warnings", "off",
				// What only fits together in some ways (hours of one team, from before to, a cursor of
				// the same question) cannot be described, so not all that the description allows is taken.
				"--exclude-checks", "positive_data_acceptance")
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			t.Logf("%s", out)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
