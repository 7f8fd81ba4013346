package kafka_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"meridian/streaming/kafka"
)

// Records change where they lie: what was not changed, offsets, and where the
// archive ends stay, and it can be appended to.
func TestArchiveIsRewrittenInPlace(t *testing.T) {
	dir := t.TempDir()
	a := kafka.OpenArchive(dir, splitAtBar)
	for i := range int64(4) {
		if err := a.Append(0, noon.Add(time.Duration(i)*24*time.Hour), records(10*i, 10*i+10)); err != nil {
			t.Fatal(err)
		}
	}
	info := func(day string) os.FileInfo {
		t.Helper()
		i, err := os.Stat(filepath.Join(dir, "0", day+".events"))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	before := info("2026-03-03")
	want := records(0, 40)
	edit := func(offset int64, v []byte) ([]byte, bool, error) {
		if offset != 5 && offset != 33 {
			return v, false, nil
		}
		v = bytes.ReplaceAll(bytes.ReplaceAll(v, []byte("event"), []byte("fact of nobody")), []byte("body"), []byte("x"))
		want[offset].Value = v
		return v, true, nil
	}
	var days []string
	if err := a.Rewrite(0, edit, func(day string) { days = append(days, day) }); err != nil {
		t.Fatal(err)
	}
	if len(days) != 4 || !os.SameFile(before, info("2026-03-03")) {
		t.Errorf("days %q; and the second, in which nothing changed, is another file: %v", days, !os.SameFile(before, info("2026-03-03")))
	}
	for _, bodies := range []bool{true, false} {
		got, err := readArchive(t, a, 0, bodies)
		if err != nil {
			t.Fatal(err)
		}
		if bodies {
			wantRecords(t, got, want)
		} else {
			wantRecords(t, got, onlyEvents(want))
		}
	}
	span, err := a.Span(0)
	if err != nil || span.Start != 0 || span.End != 40 || span.SealedBefore(noon.Add(25*time.Hour)) != 20 {
		t.Errorf("the archive is %+v, %v", span, err)
	}
	if err := a.Append(0, noon.Add(96*time.Hour), records(40, 42)); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "0", "*.new"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q were left behind, %v", left, err)
	}
}

// What fails half-way leaves every day as it was or whole.
func TestArchiveThatIsHalfRewritten(t *testing.T) {
	a := kafka.OpenArchive(t.TempDir(), splitAtBar)
	for i := range int64(2) {
		if err := a.Append(0, noon.Add(time.Duration(i)*24*time.Hour), records(10*i, 10*i+10)); err != nil {
			t.Fatal(err)
		}
	}
	tired := errors.New("no more")
	want := records(0, 20)
	err := a.Rewrite(0, func(offset int64, v []byte) ([]byte, bool, error) {
		if offset == 15 {
			return nil, false, tired
		}
		v = bytes.ToUpper(v)
		if offset < 10 {
			want[offset].Value = v
		}
		return v, true, nil
	}, func(string) {})
	if !errors.Is(err, tired) {
		t.Fatal(err)
	}
	got, err := readArchive(t, a, 0, true)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, want)
}

func TestArchiveIsTrimmedByDays(t *testing.T) {
	a := kafka.OpenArchive(t.TempDir(), splitAtBar)
	for i := range int64(4) {
		if err := a.Append(0, noon.Add(time.Duration(i)*24*time.Hour), records(10*i, 10*i+10)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct{ before, want int64 }{{0, 0}, {9, 0}, {19, 10}, {20, 20}, {20, 20}, {1000, 30}} {
		start, err := a.TrimDays(0, step.before)
		if err != nil || start != step.want {
			t.Errorf("trimmed before %d: it begins at %d, %v; want %d", step.before, start, err, step.want)
		}
	}
	got, err := readArchive(t, a, 30, true)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, records(30, 40))
}

// No file of an embedded broker holds what was deleted before its control topic
// was rewritten, and what lives is all there.
func TestControlIsRewrittenWithoutARest(t *testing.T) {
	dir := t.TempDir()
	broker, err := kafka.StartBroker(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	c := broker.Config("")
	if err := kafka.EnsureTopics(t.Context(), c, c.Topics(1)...); err != nil {
		t.Fatal(err)
	}
	control, err := kafka.OpenControl(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(control.Close)
	for key, value := range map[string]string{"a": "zebra", "b": "kept", "c": "zebra"} {
		if err := control.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := control.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := control.Put(t.Context(), "c", []byte("else")); err != nil {
		t.Fatal(err)
	}
	if !holds(t, dir, "zebra") {
		t.Fatal("nothing of it is on disk before; this test looks in the wrong place")
	}
	if err := control.Rewrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	if holds(t, dir, "zebra") {
		t.Error("what was deleted is on disk still")
	}
	if v, ok := control.Get("b"); !ok || string(v) != "kept" {
		t.Errorf("b is %q, %v", v, ok)
	}
	if v, _ := control.Get("c"); string(v) != "else" {
		t.Errorf("c is %q", v)
	}
}

// A topic that is emptied has nothing on disk either, and its offsets go on.
func TestATopicIsEmptied(t *testing.T) {
	dir := t.TempDir()
	broker, err := kafka.StartBroker(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	c := broker.Config("")
	if err := kafka.EnsureTopics(t.Context(), c, c.SideTopics(2)...); err != nil {
		t.Fatal(err)
	}
	sink := kafka.NewTopicSink(c, c.PointsTopic(), func(s string) (int32, []byte, []byte) { return 1, []byte("k"), []byte(s) })
	defer sink.Close()
	put := func(texts ...string) {
		t.Helper()
		if err := sink.Put(t.Context(), 1, texts); err != nil {
			t.Fatal(err)
		}
		if err := sink.Flush(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	put("zebra", "zebra")
	for range 2 {
		if err := kafka.Empty(t.Context(), c, c.PointsTopic()); err != nil {
			t.Fatal(err)
		}
	}
	if holds(t, dir, "zebra") {
		t.Error("what was in it is on disk still")
	}
	put("later")
	bounds, err := kafka.Offsets(t.Context(), c, c.PointsTopic())
	if err != nil || bounds[1].Start < 2 || bounds[1].End != bounds[1].Start+2 || bounds[0].End != 0 {
		t.Errorf("the topic is %+v, %v", bounds, err)
	}
	var read []string
	whole, err := kafka.ReadSide(t.Context(), c, c.PointsTopic(), func(_, value []byte) error {
		read = append(read, string(value))
		return nil
	})
	if err != nil || whole || !slices.Equal(read, []string{"later"}) {
		t.Errorf("it holds %q, whole %v, %v; want what came later and no mark", read, whole, err)
	}
}

func holds(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		found = found || bytes.Contains(data, []byte(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
