package streaming_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

func compareNames(a, b string) int { return strings.Compare(a, b) }

// Timers fire like a list that is sorted again before each of them: by time and
// key, each once, also those that are set by others; after a restore too.
func TestTimersEqualOracle(t *testing.T) {
	type timer struct {
		due timeline.Millis
		key string
	}
	rapid.Check(t, func(rt *rapid.T) {
		timers := streaming.NewTimers(compareNames)
		var oracle []timer
		set := func(due timeline.Millis, key string) {
			timers.Set(due, key)
			if !slices.Contains(oracle, timer{due, key}) {
				oracle = append(oracle, timer{due, key})
			}
		}
		sorted := func() {
			slices.SortFunc(oracle, func(a, b timer) int { return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.key, b.key)) })
		}
		clock := timeline.Millis(0)
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			default:
				set(clock+timeline.Millis(rapid.IntRange(-2, 6).Draw(rt, "due")), rapid.StringMatching(`[a-e]{1,2}`).Draw(rt, "key"))
			case 3: // fire; a timer whose name has two letters sets its first one, some time later or at once
				clock += timeline.Millis(rapid.IntRange(0, 4).Draw(rt, "passes"))
				step := timeline.Millis(rapid.IntRange(-1, 3).Draw(rt, "again after"))
				var got, want []timer
				before := slices.Clone(oracle)
				timers.Fire(clock, func(due timeline.Millis, key string) {
					got = append(got, timer{due, key})
					if len(key) == 2 {
						timers.Set(due+step, key[:1])
					}
				})
				oracle = before
				for {
					sorted()
					if len(oracle) == 0 || oracle[0].due > clock {
						break
					}
					first := oracle[0]
					oracle = oracle[1:]
					want = append(want, first)
					if next := (timer{first.due + step, first.key[:1]}); len(first.key) == 2 && !slices.Contains(oracle, next) {
						oracle = append(oracle, next)
					}
				}
				if !slices.Equal(got, want) {
					rt.Fatalf("at %d fired %v, want %v", clock, got, want)
				}
			case 4:
				gone := rapid.SampledFrom([]byte("abcde")).Draw(rt, "gone")
				timers.Prune(func(key string) bool { return key[0] != gone })
				sorted()
				for len(oracle) > 0 && !slices.ContainsFunc(oracle, func(o timer) bool { return o.due == oracle[0].due && o.key[0] != gone }) {
					oracle = oracle[1:]
				}
				// Of the first time it may have dropped some, which are to be ignored.
				next := streaming.Never
				if len(oracle) > 0 {
					next = oracle[0].due
				}
				if timers.Next() != next {
					rt.Fatalf("next is %d, want %d", timers.Next(), next)
				}
				saved := timers.Save()
				oracle = slices.DeleteFunc(oracle, func(o timer) bool {
					return o.key[0] == gone && !slices.ContainsFunc(saved, func(s streaming.Timer[string]) bool { return s.Due == o.due && s.Key == o.key })
				})
			case 5:
				saved := timers.Save()
				timers = streaming.NewTimers(compareNames)
				timers.Load(saved)
				sorted()
				if len(saved) != len(oracle) || timers.Len() != len(oracle) {
					rt.Fatalf("saved %v of %v", saved, oracle)
				}
				for i, s := range saved {
					if s.Due != oracle[i].due || s.Key != oracle[i].key {
						rt.Fatalf("saved %v, want %v", saved, oracle)
					}
				}
			}
		}
	})
}

// reminders is a program that lives by timers: a record "tea@3x2" asks for one
// in 3 seconds, and for another one as long after it. What it emits is what
// fired, without the tick that let it.
type reminders struct {
	timers *streaming.Timers[string]
}

func newReminders() *reminders { return &reminders{timers: streaming.NewTimers(compareNames)} }

func (p *reminders) Apply(_ streaming.Clock, r streaming.Record[string], _ func(string)) {
	var name string
	var after, times int
	if _, err := fmt.Sscanf(strings.ReplaceAll(strings.Replace(r.Value, "@", " ", 1), "x", " "), "%s %d %d", &name, &after, &times); err != nil {
		panic(fmt.Errorf("%q: %w", r.Value, err))
	}
	at := timeline.Millis(r.Origin.Offset) * timeline.Second // its event time
	p.timers.Set(at+timeline.Millis(after)*timeline.Second, fmt.Sprintf("%s@%dx%d", name, after, times))
}

func (p *reminders) Tick(c streaming.Clock, _ streaming.Version, emit func(string)) {
	p.timers.Fire(c, func(due timeline.Millis, key string) {
		emit(fmt.Sprintf("%d %s", due/timeline.Second, key))
		name, rest, _ := strings.Cut(key, "@")
		var after, times int
		if _, err := fmt.Sscanf(rest, "%dx%d", &after, &times); err != nil {
			panic(err)
		}
		if times > 1 {
			p.timers.Set(due+timeline.Millis(after)*timeline.Second, fmt.Sprintf("%s@%dx%d", name, after, times-1))
		}
	})
}

func (p *reminders) Save(put func(string, []byte)) {
	var b strings.Builder
	for _, t := range p.timers.Save() {
		fmt.Fprintf(&b, "%d %s\n", t.Due, t.Key)
	}
	put("timers", []byte(b.String()))
}

func (p *reminders) Load(get func(string) ([]byte, error)) error {
	data, err := get("timers")
	if err != nil {
		return err
	}
	var timers []streaming.Timer[string]
	for line := range strings.Lines(string(data)) {
		var t streaming.Timer[string]
		if _, err := fmt.Sscan(line, &t.Due, &t.Key); err != nil {
			return err
		}
		timers = append(timers, t)
	}
	*p = *newReminders()
	p.timers.Load(timers)
	return nil
}

// The same records, live with a tick for every second, in replay with one tick
// for all, and with a restore after every message: timers fire in one order.
func TestTimersInReplayFireInTheOrderOfLive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var records []message
		for offset := range int64(rapid.IntRange(1, 12).Draw(rt, "records")) {
			// after 1: no timer is due before the tick that follows its record
			word := fmt.Sprintf("%s@%dx%d", rapid.SampledFrom([]string{"egg", "tea"}).Draw(rt, "name"), rapid.IntRange(1, 5).Draw(rt, "after"), rapid.IntRange(1, 4).Draw(rt, "times"))
			records = append(records, message{Record: streaming.Record[string]{Origin: streaming.Origin{Offset: offset}, Value: word}})
		}
		end := timeline.Minute
		tick := func(at timeline.Millis) message { return message{IsTick: true, Tick: at} }
		var live []message
		for i, r := range records {
			live = append(live, r, tick(timeline.Millis(i)*timeline.Second))
		}
		for at := timeline.Millis(len(records)) * timeline.Second; at <= end; at += timeline.Second {
			live = append(live, tick(at))
		}
		replay := append(slices.Clone(records), tick(end))

		run := func(log []message, restore bool) (out []string) {
			shard := streaming.NewShard(3, []int32{0}, newReminders())
			next := int64(0)
			for next < int64(len(log)) {
				shard.Feed(next, log[next], func(row string) { out = append(out, row) })
				next++
				if restore {
					sections := map[string][]byte{}
					shard.Save(func(name string, data []byte) { sections[name] = slices.Clone(data) })
					shard = streaming.NewShard(3, []int32{0}, newReminders())
					if err := shard.Load(func(name string) ([]byte, error) { return sections[name], nil }); err != nil {
						rt.Fatal(err)
					}
					for again := shard.Resume(); again < next; again++ {
						shard.Feed(again, log[again], func(string) { rt.Fatal("a row comes again") })
					}
				}
			}
			return out
		}
		want := run(live, false)
		if len(want) < len(slices.Compact(slices.Clone(want))) || len(want) == 0 {
			rt.Fatalf("live: %v", want)
		}
		for what, got := range map[string][]string{"live with restores": run(live, true), "replay": run(replay, false), "replay with restores": run(replay, true)} {
			if !slices.Equal(got, want) {
				rt.Fatalf("%s: %v\nlive: %v", what, got, want)
			}
		}
	})
}

// A timer that is set for a time that has passed is the next, and one that is
// set for now takes its place among the others of now.
func TestTimersSetByTimers(t *testing.T) {
	timers := streaming.NewTimers(compareNames)
	timers.Set(10, "b")
	timers.Set(10, "d")
	timers.Set(11, "a")
	var fired []string
	timers.Fire(20, func(due timeline.Millis, key string) {
		fired = append(fired, fmt.Sprintf("%d%s", due, key))
		if key == "b" {
			timers.Set(10, "c")
			timers.Set(10, "a") // before b, which has fired: at once
			timers.Set(5, "z")
			timers.Set(21, "later")
		}
	})
	if got := strings.Join(fired, " "); got != "10b 5z 10a 10c 10d 11a" {
		t.Error(got)
	}
	if timers.Len() != 1 || timers.Next() != 21 {
		t.Errorf("%d left, next at %d", timers.Len(), timers.Next())
	}
}

// Setting and firing: 100 keys of each of 1,000 times.
func BenchmarkTimers(b *testing.B) {
	b.ReportAllocs()
	timers := streaming.NewTimers(cmp.Compare[int])
	n := 0
	for b.Loop() {
		for i := range 100_000 {
			timers.Set(timeline.Millis(i*7919%1000), i)
		}
		timers.Fire(1000, func(timeline.Millis, int) { n++ })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/timer")
}
