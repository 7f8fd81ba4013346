package timeline

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestTheZoneDataIsPinned(t *testing.T) {
	// Changing this line is changing results: release notes and a new generation follow.
	equal(t, "hash of "+DataVersion, DataHash(), "8f55634d05f8bca1f7bc7c69c5933428c69357e0bdf565e5ba224e3f88ff12e8")
}

func TestEveryZoneLoads(t *testing.T) {
	for _, name := range allZones(t) {
		z := zoneNamed(t, name)
		equal(t, "name", z.Name(), name)
		if again := zoneNamed(t, name); again != z {
			t.Errorf("%s: two zones of one name", name)
		}
	}
}

func TestNamesThatAreNoZones(t *testing.T) {
	for _, name := range []string{
		"", "Local", "local", "Europe", "Europe/", "/Europe/Berlin", "../Europe/Berlin", "Europe/../Europe/Berlin", "Europe//Berlin",
		"/etc/localtime", `Europe\Berlin`, "Europe/Berlin\x00", " Europe/Berlin", "Europe/Atlantis", "+07:00", "posix/UTC", "CEST",
	} {
		z, err := LoadZone(name)
		if !errors.Is(err, ErrUnknownZone) || z != nil {
			t.Errorf("%q: got %v, %v, want an error", name, z, err)
		} else if !strings.Contains(err.Error(), "Europe/Berlin") {
			t.Errorf("%q: the error names no valid zone: %v", name, err)
		}
	}
	_, err := LoadZone("asia/ho_chi_minh")
	if !errors.Is(err, ErrUnknownZone) || !strings.HasSuffix(err.Error(), "did you mean Asia/Ho_Chi_Minh?") {
		t.Errorf("a name in lower case: %v", err)
	}
}

func TestFixedZones(t *testing.T) {
	for minutes, name := range map[int]string{0: "+00:00", 420: "+07:00", -210: "-03:30", 345: "+05:45", 1080: "+18:00", -1080: "-18:00", -1: "-00:01"} {
		z, err := FixedZone(minutes)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := FixedZone(minutes)
		parsed, err := ParseZone(name)
		if again != z || parsed != z || err != nil {
			t.Errorf("%s: not the same zone again: %p %p %p %v", name, z, again, parsed, err)
		}
		equal(t, "name", z.Name(), name)
		for _, m := range []Millis{0, -1e15, 1e15} {
			equal(t, name, z.Offset(m), Millis(minutes)*Minute)
		}
	}
	for _, minutes := range []int{1081, -1081, 1 << 40, -1 << 62} {
		if z, err := FixedZone(minutes); !errors.Is(err, ErrBadOffset) {
			t.Errorf("%d: got %v, %v, want an error", minutes, z, err)
		}
	}
}

func TestParseZone(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "UTC", "+07:00", "-18:00"} {
		z, err := ParseZone(name)
		if err != nil || z.Name() != name {
			t.Errorf("%s: got %v, %v", name, z, err)
		}
	}
	if _, err := ParseZone("+18:01"); !errors.Is(err, ErrBadOffset) {
		t.Errorf("beyond the bound: %v", err)
	}
	for _, name := range []string{"", "Local", "+7:00", "07:00", "+07:61", "+0700", "++7:00", "-00:00", "+ 7:00", "+07:00 "} {
		if z, err := ParseZone(name); !errors.Is(err, ErrUnknownZone) {
			t.Errorf("%q: got %v, %v, want an error", name, z, err)
		}
	}
}

func TestOneZoneForOneNameAlsoAtOnce(t *testing.T) {
	var group sync.WaitGroup
	named, fixed := make([]*Zone, 8), make([]*Zone, 8)
	for i := range named {
		group.Go(func() {
			named[i], _ = LoadZone("America/Argentina/Ushuaia")
			fixed[i], _ = FixedZone(-599)
			named[i].Hour(0)
		})
	}
	group.Wait()
	for i := range named {
		if named[i] == nil || named[i] != named[0] || fixed[i] == nil || fixed[i] != fixed[0] {
			t.Fatal("two zones of one name")
		}
	}
	utc, err := LoadZone("UTC")
	if err != nil || utc != UTC() || utc.Name() != "UTC" {
		t.Errorf("UTC is %v, %v", utc, err)
	}
}

// Zones of the machine would make the same log give other rows elsewhere.
func TestNothingReadsTheZonesOfTheMachine(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"time." + "Local\n", "time." + "Local)", "time." + "Local.", "time.LoadLocation" + "(", "time." + "Now", "time." + "Since", ".Local" + "()"} {
			if bytes.Contains(source, []byte(word)) {
				t.Errorf("%s says %q", name, word)
			}
		}
	}
}
