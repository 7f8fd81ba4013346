package main

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Every page asks how far an import is, and the list of jobs is read once a second.
func TestRecentText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text recentText
		found := 0
		ask := func() string {
			return text.recent(time.Second, func() string {
				found++
				return fmt.Sprint(found)
			})
		}
		for range 50 {
			if got := ask(); got != "1" {
				t.Fatalf("%q", got)
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if got := ask(); got != "2" || found != 2 {
			t.Errorf("%q after a second, found %d times", got, found)
		}
	})
}
