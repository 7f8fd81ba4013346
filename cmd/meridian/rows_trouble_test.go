package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// What keeps rows from the tables stands on /readyz and in a metric while it lasts,
// and writing goes on by itself when it is mended.
func TestRowsThatAreNotWrittenAreSaid(t *testing.T) {
	notUnderRace(t)
	in := newInstanceTest(t)
	s := in.start(t, "one", "")
	s.answers(t)
	s.deploy(t, "run-1", "checkout")
	s.deploys(t, "checkout", 1)
	says := func(trouble bool) {
		t.Helper()
		await(t, s.ended, func() error {
			metrics, err := s.text("/metrics")
			if err != nil {
				return err
			}
			ready, err := s.text("/readyz")
			if err != nil {
				return err
			}
			kind := `meridian_sink_trouble{kind="schema"} `
			if !strings.Contains(metrics, kind+map[bool]string{true: "1", false: "0"}[trouble]) || strings.Contains(ready, "run `meridian migrate`") != trouble {
				return fmt.Errorf("trouble %v is not said: %s", trouble, ready)
			}
			return nil
		})
	}
	says(false)
	in.sql(t, "RENAME TABLE quality_live TO quality_gone")
	s.deploy(t, "run-2", "checkout")
	says(true)
	in.sql(t, "RENAME TABLE quality_gone TO quality_live")
	s.deploys(t, "checkout", 2)
	says(false)
}

// text is an answer, whatever its status.
func (s *server) text(path string) (string, error) {
	res, err := overSocket(s.socket).Get("http://localhost" + path)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), err
}
