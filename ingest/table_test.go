package ingest

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// A table does what a map does, whatever the hashes: good ones, and bad ones that
// let keys collide, run into each other and wrap around the end.
func TestTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table table[int, int]
		oracle := map[int]int{}
		hash := rapid.SampledFrom([]func(int) uint64{
			func(k int) uint64 { return uint64(k) * 0x9e3779b97f4a7c15 },
			func(int) uint64 { return 0 },
			func(k int) uint64 { return ^uint64(0) - uint64(k%3) },
			func(k int) uint64 { return uint64(k%5) << 57 },
		}).Draw(t, "hash")
		key := rapid.IntRange(0, rapid.SampledFrom([]int{5, 50, 500}).Draw(t, "keys"))
		for range rapid.IntRange(0, 800).Draw(t, "steps") {
			k := key.Draw(t, "key")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				table.put(hash(k), k, len(oracle))
				oracle[k] = len(oracle)
			case 2:
				table.remove(hash(k), k)
				delete(oracle, k)
			default:
				got, want := table.get(hash(k), k), oracle[k]
				if _, ok := oracle[k]; ok != (got != nil) || ok && *got != want {
					t.Fatalf("key %d: got %v, want %d", k, got, want)
				}
			}
		}
		left := map[int]int{}
		for k, v := range table.all() {
			left[k] = *v
		}
		if !maps.Equal(left, oracle) || table.size != len(oracle) {
			t.Fatalf("it holds %d entries %v, want %v", table.size, left, oracle)
		}
	})
}

// A history that is forgotten gives its memory back.
func TestTableShrinks(t *testing.T) {
	var table table[int, int]
	hash := func(k int) uint64 { return uint64(k) * 0x9e3779b97f4a7c15 }
	slots := func() (n int) {
		for i := range table.parts {
			n += len(table.parts[i].slots)
		}
		return n
	}
	for k := range 100_000 {
		table.put(hash(k), k, k)
	}
	full := slots()
	for k := range 99_000 {
		table.remove(hash(k), k)
	}
	if now := slots(); now > full/8 {
		t.Errorf("1,000 entries of 100,000 are left in %d of %d slots", now, full)
	}
}
