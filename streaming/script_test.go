package streaming_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"meridian/streaming"
	"meridian/streaming/timeline"
)

// script plays one shard: the input topic as it was written, and the shard
// that reads it. Commands, one a line:
//
//	send P OFFSET WORD...   records of deliveries partition P; ordinals count up
//	tick P HH:MM:SS         a tick of partition P
//	snapshot                publish
//	crash                   forget the shard, and what it had not published
//	restore                 from the last snapshot, then read to the end of the input
//	state                   describe the shard
type script struct {
	upstreams []int32
	input     []message
	shard     *streaming.Shard[string, string]
	snapshot  map[string][]byte
	out       strings.Builder
}

func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/shard", func(t *testing.T, path string) {
		var s *script
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "shard":
				var n int
				d.ScanArgs(t, "upstreams", &n)
				s = &script{}
				for p := range n {
					s.upstreams = append(s.upstreams, int32(p))
				}
				s.shard = streaming.NewShard(3, s.upstreams, newTally())
				return ""
			case "run":
				s.out.Reset()
				for line := range strings.Lines(d.Input) {
					s.step(t, d.Pos, strings.Fields(line))
				}
				return s.out.String()
			}
			d.Fatalf(t, "unknown command %q; there are shard and run", d.Cmd)
			return ""
		})
	})
}

func (s *script) step(t *testing.T, pos string, words []string) {
	t.Helper()
	number := func(i int) int64 {
		n, err := strconv.ParseInt(words[i], 10, 32)
		if err != nil {
			t.Fatalf("%s: %v: %v", pos, words, err)
		}
		return n
	}
	switch words[0] {
	case "send":
		for i, word := range words[3:] {
			o := streaming.Origin{Partition: int32(number(1)), Offset: number(2), Ordinal: int32(i)}
			s.write(message{Record: streaming.Record[string]{Origin: o, Value: word}})
		}
	case "tick":
		at, err := time.Parse("15:04:05.999", words[2])
		if err != nil {
			t.Fatalf("%s: %v", pos, err)
		}
		m := message{IsTick: true, Tick: timeline.FromTime(at.AddDate(1970, 0, 0))}
		m.Origin.Partition = int32(number(1))
		s.write(m)
	case "snapshot":
		s.snapshot = save(s.shard)
		fmt.Fprintf(&s.out, "snapshot: resume %d\n", s.shard.Resume())
	case "crash":
		s.shard = nil
	case "restore":
		s.shard = streaming.NewShard(3, s.upstreams, newTally())
		if s.snapshot != nil {
			s.shard = load(t, s.upstreams, s.snapshot)
		}
		fmt.Fprintf(&s.out, "reads %d to %d\n", s.shard.Resume(), len(s.input)-1)
		for offset := s.shard.Resume(); offset < int64(len(s.input)); offset++ {
			s.feed(offset)
		}
	case "state":
		s.out.WriteString(s.shard.Describe())
	default:
		t.Fatalf("%s: unknown step %v", pos, words)
	}
}

func (s *script) write(m message) {
	s.input = append(s.input, m)
	if s.shard != nil {
		s.feed(int64(len(s.input) - 1))
	}
}

func (s *script) feed(offset int64) {
	dropped := s.shard.Dropped()
	s.shard.Feed(offset, s.input[offset], func(row string) { fmt.Fprintln(&s.out, row) })
	if s.shard.Dropped() > dropped {
		fmt.Fprintf(&s.out, "dropped %s\n", s.input[offset].Origin)
	}
}
