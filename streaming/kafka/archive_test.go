package kafka_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"meridian/streaming/kafka"
)

// splitAtBar cuts "events|body" in two.
func splitAtBar(v []byte) (events, body []byte) {
	if i := bytes.IndexByte(v, '|'); i >= 0 {
		return v[:i], v[i:]
	}
	return v, nil
}

func records(from, to int64) (out []kafka.LogRecord) {
	for o := from; o < to; o++ {
		out = append(out, kafka.LogRecord{Offset: o, Value: fmt.Appendf(nil, "event %d|body %d", o, o*o)})
	}
	return out
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func readArchive(t interface{ Fatal(...any) }, a *kafka.Archive, from int64, bodies bool) (out []kafka.LogRecord, err error) {
	r, err := a.ReadArchive(0, from, bodies)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		records, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, records...)
	}
}

func wantRecords(t interface{ Fatalf(string, ...any) }, got, want []kafka.LogRecord) {
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Offset != want[i].Offset || !bytes.Equal(got[i].Value, want[i].Value) {
			t.Fatalf("record %d is %d %q, want %d %q", i, got[i].Offset, got[i].Value, want[i].Offset, want[i].Value)
		}
	}
}

func onlyEvents(records []kafka.LogRecord) (out []kafka.LogRecord) {
	for _, r := range records {
		e, _ := splitAtBar(r.Value)
		out = append(out, kafka.LogRecord{Offset: r.Offset, Value: e})
	}
	return out
}

// Whatever the pieces, days and places of reading, what comes out is what went in.
func TestArchiveRoundTrip(t *testing.T) {
	parent := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(parent, fmt.Sprint(runs))
		now, next := noon, int64(rapid.IntRange(0, 3).Draw(t, "first"))
		first := next
		var all []kafka.LogRecord
		for range rapid.IntRange(1, 6).Draw(t, "appends") {
			now = now.Add(time.Duration(rapid.IntRange(-30, 30).Draw(t, "hours")) * time.Hour)
			piece := records(next, next+int64(rapid.IntRange(1, 40).Draw(t, "records")))
			if err := kafka.OpenArchive(dir, splitAtBar).Append(0, now, piece); err != nil {
				t.Fatal(err)
			}
			all = append(all, piece...)
			next = piece[len(piece)-1].Offset + 1
		}
		a := kafka.OpenArchive(dir, nil)
		span, err := a.Span(0)
		if err != nil || span.Start != first || span.End != next {
			t.Fatalf("span %d to %d, %v; want %d to %d", span.Start, span.End, err, first, next)
		}
		from := rapid.Int64Range(first, next).Draw(t, "from")
		want := all[from-first:]
		got, err := readArchive(t, a, from, true)
		if err != nil {
			t.Fatal(err)
		}
		wantRecords(t, got, want)
		if got, err = readArchive(t, a, from, false); err != nil {
			t.Fatal(err)
		}
		wantRecords(t, got, onlyEvents(want))
	})
}

// A crash leaves a file cut anywhere, or the bodies ahead of the events. The
// frames before are whole, and the next append goes on behind them.
func TestArchiveTornAppend(t *testing.T) {
	whole := t.TempDir()
	a := kafka.OpenArchive(whole, splitAtBar)
	for from := int64(0); from < 30; from += 10 {
		if err := a.Append(0, noon, records(from, from+10)); err != nil {
			t.Fatal(err)
		}
	}
	events, bodies := filepath.Join("0", "2026-03-02.events"), filepath.Join("0", "2026-03-02.bodies")
	info, err := os.Stat(filepath.Join(whole, events))
	if err != nil {
		t.Fatal(err)
	}
	for cut := info.Size() - 1; cut >= 0; cut -= 7 {
		for _, day := range []time.Time{noon, noon.AddDate(0, 0, 1)} {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(filepath.Join(dir, events), cut); err != nil {
				t.Fatal(err)
			}
			a := kafka.OpenArchive(dir, splitAtBar)
			span, err := a.Span(0)
			if err != nil {
				t.Fatal(err)
			}
			if span.End%10 != 0 || span.End >= 30 {
				t.Fatalf("cut at %d: span ends at %d", cut, span.End)
			}
			got, err := readArchive(t, a, 0, true)
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			wantRecords(t, got, records(0, span.End))
			if err := a.Append(0, day, records(span.End, 50)); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if got, err = readArchive(t, a, 0, true); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			wantRecords(t, got, records(0, 50))
		}
	}
	if _, err := os.Stat(filepath.Join(whole, bodies)); err != nil {
		t.Error(err)
	}
}

// A flipped bit is an error and never a different record.
func TestArchiveDamage(t *testing.T) {
	whole := t.TempDir()
	a := kafka.OpenArchive(whole, splitAtBar)
	for from := int64(0); from < 30; from += 10 {
		if err := a.Append(0, noon.AddDate(0, 0, int(from/20)), records(from, from+10)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join("0", "2026-03-02.events")
	data, err := fs.ReadFile(os.DirFS(whole), path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(data); at += 3 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(data)
		bad[at] ^= 4
		if err := os.WriteFile(filepath.Join(dir, path), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readArchive(t, kafka.OpenArchive(dir, nil), 0, false)
		if !errors.Is(err, kafka.ErrArchive) {
			t.Fatalf("byte %d is damaged: %d records, error %v", at, len(got), err)
		}
		wantRecords(t, got, onlyEvents(records(0, int64(len(got)))))
	}
}

func TestArchiveRefusesWhatItHas(t *testing.T) {
	a := kafka.OpenArchive(t.TempDir(), splitAtBar)
	if err := a.Append(0, noon, records(5, 9)); err != nil {
		t.Fatal(err)
	}
	if err := a.Append(0, noon, records(8, 12)); !errors.Is(err, kafka.ErrArchive) {
		t.Errorf("append of an offset that is there: %v", err)
	}
	span, err := a.Span(0)
	if err != nil || span.Start != 5 || span.End != 9 {
		t.Errorf("span %d to %d, %v", span.Start, span.End, err)
	}
	if got, want := span.SealedBefore(noon.Add(-time.Second)), int64(5); got != want {
		t.Errorf("sealed before the seal: %d, want %d", got, want)
	}
	if got, want := span.SealedBefore(noon), int64(9); got != want {
		t.Errorf("sealed at the seal: %d, want %d", got, want)
	}
}

func TestArchiveOfAnotherInstance(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "archive")
	for range 2 {
		if err := kafka.OpenArchive(dir, nil).Claim("one"); err != nil {
			t.Fatal(err)
		}
	}
	if err := kafka.OpenArchive(dir, nil).Claim("two"); !errors.Is(err, kafka.ErrOtherInstance) {
		t.Errorf("claim by another: %v", err)
	}
}
