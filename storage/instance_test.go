package storage

import (
	"errors"
	"strings"
	"testing"
)

// The first instance has the tables, at each of its starts; another is told so.
func TestClaim(t *testing.T) {
	d, _ := open(t, nil)
	for range 2 {
		if err := d.Claim(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Claim(t.Context(), "another"); !errors.Is(err, ErrOtherInstance) || !strings.Contains(err.Error(), "of instance one") {
		t.Errorf("another instance: %v", err)
	}
	// Of two that began at the same moment, both rows are there: one has them.
	do(t, d.writeClaim(t.Context(), "another"))
	if err := d.Claim(t.Context(), "another"); !errors.Is(err, ErrOtherInstance) {
		t.Errorf("the later of two: %v", err)
	}
	if err := d.Claim(t.Context(), "one"); err != nil {
		t.Errorf("the earlier of two: %v", err)
	}
	// As its message says, somebody may give them away.
	do(t, d.conn.Exec(t.Context(), "TRUNCATE TABLE instance"))
	if err := d.Claim(t.Context(), "another"); err != nil {
		t.Errorf("tables that were given away: %v", err)
	}
}
