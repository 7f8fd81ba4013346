package ingest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"meridian/streaming/timeline"
)

func openArchive(t testing.TB, text string) *ArchiveReader {
	t.Helper()
	a, err := NewArchiveReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

const twoLines = `{"source": "github", "name": "acme", "received": "2026-03-02T09:00:02Z", "headers": {"X-GitHub-Event": "pull_request", "content-type": "application/json"}, "body": "{\"a\":\"é\"}"}
{"tick": "2026-03-02T09:00:30Z"}
`

func TestArchiveLines(t *testing.T) {
	want := []ArchiveLine{
		{Number: 1, Delivery: &Delivery{
			Provider: "github", Name: "acme", Received: 1_772_442_002_000, Body: []byte(`{"a":"é"}`),
			Headers: map[string]string{"X-Github-Event": "pull_request", "Content-Type": "application/json"},
		}},
		{Number: 2, Tick: 1_772_442_030_000},
	}
	var zipped, squeezed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, twoLines)
	z.Close()
	for _, line := range strings.SplitAfter(twoLines, "\n") { // a frame each, as a sealed archive has them
		s, err := zstd.NewWriter(&squeezed)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(s, line)
		s.Close()
	}
	for name, text := range map[string]string{
		"plain": twoLines, "gzip": zipped.String(), "zstd": squeezed.String(),
		"byte order mark": "\ufeff" + twoLines,
		"no last newline": strings.TrimSpace(twoLines),
		"DOS":             strings.ReplaceAll(twoLines, "\n", "\r\n"),
	} {
		a := openArchive(t, text)
		for i := range want {
			if got, err := a.Next(); err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Errorf("%s: %+v, %v\nwant %+v", name, got, err, want[i])
			}
		}
		if _, err := a.Next(); err != io.EOF {
			t.Errorf("%s: %v at the end", name, err)
		}
	}
}

func TestArchiveLinesOfEveryKind(t *testing.T) {
	a := openArchive(t, `
{"source":"deploy","received":"2026-03-02T09:00:02.5+07:00","body":"","via":"api"}

{"source":"argocd","received":"2026-03-02T02:00:00Z","body_base64":"/wA=","partition":3,"offset":17}
{"source":"jira","received":"2026-03-02T02:00:03Z","body":"{}","kept":true,"later_field":[1]}
`)
	want := []ArchiveLine{
		{Number: 2, Delivery: &Delivery{Provider: "deploy", Received: 1_772_416_802_500, ViaAPI: true, Body: []byte{}}},
		// Received goes back here: the highest so far holds.
		{Number: 4, Delivery: &Delivery{Provider: "argocd", Received: 1_772_416_802_500, Body: []byte{0xff, 0}}, Placed: true, Partition: 3, Offset: 17},
		{Number: 5, Delivery: &Delivery{Provider: "jira", Received: 1_772_416_803_000, Body: []byte("{}"), Kept: true}},
	}
	for i := range want {
		if got, err := a.Next(); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%+v, %v\nwant %+v", got, err, want[i])
		}
	}
}

func TestLinesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		`hello`:        "it is not one JSON object",
		`[]`:           "it is not one JSON object",
		`{} {}`:        "it is not one JSON object",
		`{`:            "it is not one JSON object",
		`{}`:           "it is neither a delivery (source, received, headers, body) nor a tick",
		"\"\xff":       "it is not UTF-8; a body that is not goes into body_base64",
		`{"source":1}`: "source is of the wrong type",
		`{"source":"gitlab","received":"2026-03-02T09:00:02Z","body":""}`:                     "its source is none of github, jira, deploy, argocd and cdevents",
		`{"source":"github","body":""}`:                                                       "received is missing",
		`{"source":"github","received":"2026-03-02T09:00:02Z"}`:                               "it has no body",
		`{"source":"github","received":"2026-03-02T09:00:02Z","body":"","body_base64":""}`:    "it has both body and body_base64",
		`{"source":"github","received":"2026-03-02T09:00:02Z","body_base64":"%"}`:             "body_base64 is not base64",
		`{"source":"github","received":"2026-03-02T09:00:02Z","body":"","via":"mail"}`:        `via may be "api" or left out`,
		`{"source":"github","received":"2026-03-02T09:00:02Z","body":"","tick":"2026-03-02"}`: "it is a tick and a delivery at once; write a line for each",
	} {
		a := openArchive(t, "\n"+text+"\n"+twoLines)
		_, err := a.Next()
		var bad *LineError
		if !errors.As(err, &bad) || bad.Line != 2 || err.Error() != "line 2: "+want {
			t.Errorf("%s: %v\nwant line 2: %s", text, err, want)
		}
		if line, err := a.Next(); err != nil || line.Number != 3 {
			t.Errorf("%s: the line behind is %+v, %v", text, line, err)
		}
	}
	if _, err := openArchive(t, `{"tick":"today"}`).Next(); err == nil || !strings.HasPrefix(err.Error(), "line 1: tick: ") {
		t.Errorf("a tick that is none: %v", err)
	}
}

func TestLinesThatAreTooLong(t *testing.T) {
	a, err := NewArchiveReader(io.MultiReader(&zeros{MaxArchiveLine + 1}, strings.NewReader("\n"+twoLines)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Next(); err == nil || err.Error() != "line 1: it is longer than 64 MiB" {
		t.Errorf("%v", err)
	}
	if cap(a.line) > 2*MaxArchiveLine {
		t.Errorf("%d bytes are held", cap(a.line))
	}
	if line, err := a.Next(); err != nil || line.Number != 2 {
		t.Errorf("behind it: %+v, %v", line, err)
	}
}

func TestDamagedArchives(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, twoLines)
	z.Close()
	a := openArchive(t, zipped.String()[:zipped.Len()-9])
	for range 2 {
		if _, err := a.Next(); err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "behind line") {
				t.Errorf("cut: %v", err)
			}
			return
		}
	}
	if _, err := a.Next(); !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "archive: it cannot be read behind line 2: unexpected EOF" {
		t.Errorf("cut: %v", err)
	}
	if _, err := NewArchiveReader(strings.NewReader("\x1f\x8bnothing")); err == nil {
		t.Error("a file that only begins like gzip can be read")
	}
}

func TestHasTicks(t *testing.T) {
	delivery := strings.SplitAfter(twoLines, "\n")[0]
	for name, test := range map[string]struct {
		text string
		want bool
	}{
		"empty":         {"", false},
		"ticks":         {twoLines, true},
		"none":          {delivery, false},
		"in a body":     {strings.Replace(delivery, `{\"a\":`, `{\"tick\":`, 1), false},
		"behind rubble": {"{\n\"tick\"\n" + twoLines, true},
		"as a header":   {strings.Replace(delivery, "X-GitHub-Event", "tick", 1), false},
	} {
		if got, err := HasTicks(strings.NewReader(test.text)); got != test.want || err != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []ArchiveLine
		for i := range rapid.IntRange(0, 5).Draw(t, "lines") {
			line := ArchiveLine{Number: i + 1}
			at := timeline.Millis(rapid.Int64Range(-1e12, 4e12).Draw(t, "time"))
			if rapid.Bool().Draw(t, "tick") {
				line.Tick = at
			} else {
				if i > 0 && want[i-1].Delivery != nil {
					at = max(at, want[i-1].Delivery.Received)
				}
				line.Delivery = &Delivery{
					Provider: rapid.SampledFrom([]string{"github", "jira", "deploy", "argocd", "cdevents"}).Draw(t, "source"),
					Name:     rapid.String().Draw(t, "name"),
					ViaAPI:   rapid.Bool().Draw(t, "api"), Kept: rapid.Bool().Draw(t, "kept"),
					Received: at, Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
				}
				line.ID = rapid.SampledFrom([]string{"", "0123456789abcdef"}).Draw(t, "id")
				if v := rapid.String().Draw(t, "header"); v != "" {
					line.Delivery.Headers = map[string]string{"X-Github-Event": v}
				}
			}
			if line.Placed = rapid.Bool().Draw(t, "placed"); line.Placed {
				line.Partition, line.Offset = rapid.Int32().Draw(t, "partition"), rapid.Int64().Draw(t, "offset")
			}
			want = append(want, line)
		}
		var file bytes.Buffer
		w := NewArchiveWriter(&file)
		highest := timeline.Millis(math.MinInt64)
		for i, line := range want {
			if err := w.Write(line); err != nil {
				t.Fatal(err)
			}
			if d := line.Delivery; d != nil {
				copied := *d
				if line.ID == "" {
					copied.Received = max(d.Received, highest)
				}
				highest = max(highest, copied.Received)
				want[i].Delivery = &copied
			}
		}
		a, err := NewArchiveReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			got, err := a.Next()
			if err != nil || !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("line %d: %+v, %v\nwant %+v", i+1, got, err, want[i])
			}
		}
	})
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte(twoLines))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x00"))
	f.Add([]byte(`{"source":"argocd","received":"2026-03-02T02:00:00Z","body_base64":"/wA="}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		a, err := NewArchiveReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		defer a.Close()
		last := timeline.Millis(math.MinInt64)
		for {
			line, err := a.Next()
			if bad := new(LineError); errors.As(err, &bad) {
				continue
			}
			if err != nil {
				return
			}
			if d := line.Delivery; d != nil {
				if d.Received < last {
					t.Fatalf("line %d goes back", line.Number)
				}
				last = d.Received
			}
			var again bytes.Buffer
			if err := NewArchiveWriter(&again).Write(line); err != nil {
				t.Fatal(err)
			}
			text := bytes.TrimSpace(again.Bytes())
			if back, err := parseArchiveLine(text); err != nil {
				t.Fatalf("%s cannot be read again: %v", text, err)
			} else if back.Number = line.Number; !reflect.DeepEqual(back, line) {
				t.Fatalf("%+v\nbecomes %+v", line, back)
			}
		}
	})
}

// story tells lines and ticks of an archive as one text: d1 is the delivery of
// line 1, a time is a tick.
func story(t *testing.T, a *TickedArchive) string {
	t.Helper()
	var b strings.Builder
	for {
		line, err := a.Next()
		if err == io.EOF {
			return strings.TrimSpace(b.String())
		}
		if err != nil {
			t.Fatal(err)
		}
		if line.Delivery != nil {
			fmt.Fprintf(&b, "d%d ", line.Number)
		} else {
			fmt.Fprintf(&b, "%s ", strings.TrimPrefix(strings.TrimSuffix(line.Tick.String(), "Z"), "2026-03-02T"))
		}
	}
}

// receipts makes an archive of deliveries received at these times of 2026-03-02,
// with ticks where an element begins with "tick ".
func receipts(times ...string) string {
	var b strings.Builder
	for _, s := range times {
		tick := strings.HasPrefix(s, "tick ")
		if s = strings.TrimPrefix(s, "tick "); !strings.Contains(s, "T") {
			s = "2026-03-02T" + s
		}
		if tick {
			fmt.Fprintf(&b, "{\"tick\":%q}\n", s+"Z")
		} else {
			fmt.Fprintf(&b, "{\"source\":\"github\",\"received\":%q,\"body\":\"{}\"}\n", s+"Z")
		}
	}
	return b.String()
}

func TestTicksOfAnArchive(t *testing.T) {
	for _, test := range []struct {
		name, archive, until, want string
	}{
		{"nothing", "", "", ""},
		{"one delivery: one tick at it", receipts("10:01:12.3"), "", "d1 10:01:12.5"},
		{"at a half minute: that is the one", receipts("10:01:30"), "", "d1 10:01:30"},
		{"just before a half minute: rounding reaches it", receipts("10:01:29.8"), "", "d1 10:01:30"},
		{"every half minute between", receipts("10:01:10", "10:01:30", "10:01:30.001", "10:03:05"), "",
			"d1 d2 10:01:30 d3 10:02:00 10:02:30 10:03:00 d4 10:03:05"},
		{"receipt goes back", receipts("10:02:10", "10:01:00", "10:02:31"), "", "d1 d2 10:02:30 d3 10:02:31"},

		{"until in the middle", receipts("10:01:10", "10:01:40", "10:02:10"), "10:01:45", "d1 10:01:30 d2 10:01:45 d3"},
		{"until at a half minute", receipts("10:01:10", "10:01:40", "10:02:10"), "10:02:00", "d1 10:01:30 d2 10:02:00 d3"},
		{"until at a receipt: it is received by then", receipts("10:01:10", "10:01:40"), "10:01:10", "d1 10:01:10 d2"},
		{"until before all", receipts("10:01:10"), "10:01:00", "10:01:00 d1"},
		{"until behind all", receipts("10:01:10", "10:01:40"), "10:04:00.1", "d1 10:01:30 d2 10:01:40 10:04:00.5"},
		{"until of nothing", "", "10:04:00", "10:04:00"},

		{"tick lines are the only ones", receipts("10:01:10", "tick 10:01:10.6", "10:02:10", "10:03:10", "tick 10:03:11.5", "10:03:20"), "",
			"d1 10:01:11 d3 d4 10:03:11.5 d6"},
		{"a tick line that does nothing", receipts("tick 10:01:00", "10:01:10", "tick 10:00:00"), "", "10:01:00 d2 10:00:00"},
		{"tick lines until", receipts("10:01:10", "tick 10:01:11.5", "10:01:40", "tick 10:02:00", "10:02:10", "tick 10:02:11"), "10:01:45",
			"d1 10:01:11.5 d3 10:01:45 d5"},
		{"tick lines until one of them", receipts("10:01:10", "tick 10:01:11.5", "10:01:40", "tick 10:02:00"), "10:01:11.5", "d1 10:01:11.5 d3"},
		{"tick lines until behind all", receipts("10:01:10", "tick 10:01:11.5"), "10:02:00", "d1 10:01:11.5 10:02:00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var ticks ArchiveTicks
			var err error
			if ticks.Lines, err = HasTicks(strings.NewReader(test.archive)); err != nil {
				t.Fatal(err)
			}
			if test.until != "" {
				until := instant(t, "2026-03-02T"+test.until+"Z")
				ticks.Until = &until
			}
			if got := story(t, NewTickedArchive(openArchive(t, test.archive), ticks)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTicksAtWhichNothingCanHappenAreLeftOut(t *testing.T) {
	archive := receipts("10:01:10", "10:07:10")
	due := func(times ...string) func() timeline.Millis {
		return func() timeline.Millis {
			if len(times) == 0 {
				return math.MaxInt64
			}
			next := instant(t, "2026-03-02T"+times[0]+"Z")
			times = times[1:]
			return next
		}
	}
	for _, test := range []struct {
		due  func() timeline.Millis
		want string
	}{
		{nil, "d1 10:01:30 10:02:00 10:02:30 10:03:00 10:03:30 10:04:00 10:04:30 10:05:00 10:05:30 10:06:00 10:06:30 10:07:00 d2 10:07:10"},
		// Always: the one that closes the first delivery's round, and the one whose clock judges the second.
		{due(), "d1 10:01:30 10:07:00 d2 10:07:10"},
		{due("10:04:00", "10:05:00.001"), "d1 10:01:30 10:04:00 10:05:30 10:07:00 d2 10:07:10"},
		{due("10:01:00", "10:01:00"), "d1 10:01:30 10:02:00 10:02:30 10:07:00 d2 10:07:10"},
	} {
		if got := story(t, NewTickedArchive(openArchive(t, archive), ArchiveTicks{Due: test.due})); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

// 56 years have 59 million half minutes; a walk through them would be seen here.
func TestAJumpFrom1970CostsNothing(t *testing.T) {
	a := NewTickedArchive(openArchive(t, receipts("1970-01-01T00:00:00", "10:01:10")), ArchiveTicks{Due: func() timeline.Millis { return math.MaxInt64 }})
	if got, want := story(t, a), "d1 1970-01-01T00:00:00 10:01:00 d2 10:01:10"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestABadLineDoesNotEndATickedArchive(t *testing.T) {
	a := NewTickedArchive(openArchive(t, receipts("09:00:10")+"rubble\n"+receipts("09:00:40")), ArchiveTicks{})
	var got []string
	for {
		line, err := a.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprint(line.Number, line.Delivery != nil))
	}
	want := "[1 true line 2: it is not one JSON object 0 false 3 true 0 false]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
}
