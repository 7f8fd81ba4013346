package main

import "testing"

// What is said of an export is what is in it: Parquet has no lines to count.
func TestExportedFileSays(t *testing.T) {
	lines := int64(28)
	for want, f := range map[string]exportedFile{
		"p.csv is written: 28 lines, 90 bytes before compression.":     {File: "p.csv", Lines: &lines, Bytes: 90},
		"All of it is written: 28 lines, 90 bytes before compression.": {File: "-", Lines: &lines, Bytes: 90},
		"p.parquet is written: 90 bytes before compression.":           {File: "p.parquet", Bytes: 90},
	} {
		if got := f.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
