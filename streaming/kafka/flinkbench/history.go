package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The history that Flink was measured with. The order in which random numbers
// are drawn is part of it: another order is another history.
const (
	teamCount, teamSize, reposPerTeam = 200, 10, 5
	historyDays                       = 90
	historyStart                      = int64(1780272000000) // Monday, 2026-06-01, UTC

	minute, hour, day = int64(60_000), int64(3_600_000), int64(86_400_000)
)

var zones = [...]int32{-480, -300, 0, 60, 120, 330, 345, 540}

// fact is a record to be written.
type fact struct {
	time, arrival int64
	id            [2]uint64
	entity        int32
	person        uint16
	team, kind    uint8
	repo          uint8
}

// maker draws a history.
type maker struct {
	*rand.Rand
	zone   [teamCount * teamSize]int32 // of each person
	weight [teamCount]float64          // cumulative: teams differ in size by up to 5
	facts  []fact
	most   int
}

// makeHistory returns n records in order of arrival.
func makeHistory(n int, seed uint64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, 7)), most: n - n/51} // 2 % of these come twice
	m.people()
	m.facts = make([]fact, 0, n+16)
	for entity := int32(1); len(m.facts) < m.most; entity++ {
		m.live(entity)
	}
	for i := 0; len(m.facts) < n; i += 50 {
		again := m.facts[i+m.IntN(50)]
		again.arrival += 1000 + int64(m.IntN(int(day)))
		m.facts = append(m.facts, again)
	}
	slices.SortFunc(m.facts, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.arrival, b.arrival), cmp.Compare(a.id[0], b.id[0]), cmp.Compare(a.id[1], b.id[1]))
	})
	return m
}

func (m *maker) people() {
	sum := 0.0
	for team := range teamCount {
		sum += 0.4 + 1.6*m.Float64()
		m.weight[team] = sum
		home := zones[m.IntN(len(zones))]
		for p := range teamSize {
			m.zone[team*teamSize+p] = home
			if m.Float64() < 0.2 {
				m.zone[team*teamSize+p] = zones[m.IntN(len(zones))]
			}
		}
	}
}

// live draws one entity: a pull request of 3.6 facts, a deployment, or something
// else that is done once.
func (m *maker) live(entity int32) {
	team, _ := slices.BinarySearch(m.weight[:], m.Float64()*m.weight[teamCount-1])
	member := func() int { return team*teamSize + m.IntN(teamSize) }
	f := fact{entity: entity, team: uint8(team)}
	author := member()
	f.repo = uint8(m.IntN(reposPerTeam))
	at := m.moment(m.zone[author])
	p := m.Float64()
	if p >= 0.14 {
		kind := uint8(deployed)
		if p >= 0.22 {
			kind = uint8(committed + m.IntN(4))
		}
		m.add(f, at, author, kind)
		return
	}
	m.add(f, at, author, opened)
	at += m.wait(2 * hour)
	for i := 0; i == 0 || i < 4 && m.Float64() < 0.45; i++ {
		reviewer := member()
		if m.Float64() < 0.1 {
			reviewer = author
		}
		m.add(f, at, reviewer, reviewed)
		at += m.wait(3 * hour)
	}
	if m.Float64() < 0.85 {
		m.add(f, at, member(), merged)
	}
}

// moment draws when somebody acts: mostly from Monday to Friday, 9 to 18.
func (m *maker) moment(zone int32) int64 {
	d := int64(m.IntN(historyDays))
	for d%7 >= 5 && m.Float64() < 0.85 {
		d = int64(m.IntN(historyDays))
	}
	h := 9 + 9*m.Float64()
	if m.Float64() < 0.15 {
		h = 24 * m.Float64()
	}
	return historyStart + d*day + int64(h*float64(hour)) - int64(zone)*minute
}

func (m *maker) wait(median int64) int64 { return int64(float64(median) * math.Exp(m.NormFloat64())) }

// add draws when a fact arrives: within 5 minutes, one of a hundred within a day.
func (m *maker) add(f fact, at int64, person int, kind uint8) {
	if at < historyStart || at >= historyStart+historyDays*day || len(m.facts) == m.most {
		return
	}
	delay := int64(m.IntN(int(5 * minute)))
	if m.Float64() < 0.01 {
		delay = 5*minute + int64(m.IntN(int(day-5*minute)))
	}
	f.time, f.arrival, f.person, f.kind = at, at+delay, uint16(person), kind
	f.id[0] = uint64(at)<<16 | m.Uint64()>>48
	f.id[1] = m.Uint64()
	m.facts = append(m.facts, f)
}

var (
	sources  = [...]uint64{0, 1, 1, 1, 3, 4, 1, 2, 3} // by kind
	branches = [...]string{"main", "release", "feature/login", "feature/search", "fix/timeout"}
)

func teamName(team uint8) string { return fmt.Sprintf("team-%03d", team) }

// record encodes a fact.
func (m *maker) record(f *fact) []byte {
	repo := fmt.Sprintf("acme/svc-%04d", int(f.team)*reposPerTeam+int(f.repo))
	b := appendText(make([]byte, 0, 192), 1, formatID(f.id))
	b = appendNumber(b, 2, sources[f.kind])
	b = appendNumber(b, 3, uint64(f.kind))
	b = appendNumber(b, 4, uint64(f.time))
	b = appendText(b, 5, teamName(f.team))
	b = appendText(b, 6, repo)
	b = appendText(b, 7, fmt.Sprintf("%s#%d", repo, f.entity))
	b = appendText(b, 8, fmt.Sprintf("user-%05d", f.person))
	b = appendNumber(b, 9, protowire.EncodeZigZag(int64(m.zone[f.person])))
	for _, attribute := range [][2]string{{"branch", branches[f.id[1]%5]}, {"lines", fmt.Sprint(f.id[1] % 900)}} {
		pair := appendText(appendText(nil, 1, attribute[0]), 2, attribute[1])
		b = protowire.AppendBytes(protowire.AppendTag(b, 10, protowire.BytesType), pair)
	}
	return b
}

// tickRecord encodes a tick.
func tickRecord(at int64) []byte { return appendNumber(nil, 4, uint64(at)) }
