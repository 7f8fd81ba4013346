package ingest

import (
	"testing"

	"pgregory.net/rapid"
)

// A table of ids finds what a map finds, whatever the hashes.
func TestIDTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table idTable
		oracle := map[int]idRef{} // by id
		ids := map[idRef]int{}    // what lies where
		hash := rapid.SampledFrom([]func(int) uint64{
			func(k int) uint64 { return uint64(k) * 0x9e3779b97f4a7c15 },
			func(int) uint64 { return 0 },
			func(k int) uint64 { return ^uint64(0) - uint64(k%3) },
			func(k int) uint64 { return uint64(k%5) << 57 },
			func(k int) uint64 { return uint64(k%7) << 40 },
		}).Draw(t, "hash")
		find := func(k int) idRef { return table.get(hash(k), func(r idRef) bool { return ids[r] == k }) }
		key := rapid.IntRange(0, rapid.SampledFrom([]int{5, 50, 500}).Draw(t, "ids"))
		for range rapid.IntRange(0, 800).Draw(t, "steps") {
			k := key.Draw(t, "id")
			if got := find(k); got != oracle[k] {
				t.Fatalf("id %d lies at %d, want %d", k, got, oracle[k])
			}
			if ref := oracle[k]; ref != 0 {
				table.remove(hash(k), ref)
				delete(oracle, k)
				delete(ids, ref)
				continue
			}
			ref := idRef(len(ids) + 1)
			for ids[ref] != 0 || ref == 1 {
				ref++
			}
			if ids[ref] = k; k == 0 {
				delete(ids, ref) // as a map says it of what is not there
				continue
			}
			oracle[k] = ref
			table.add(hash(k), ref)
		}
		for k, want := range oracle {
			if got := find(k); got != want {
				t.Fatalf("id %d lies at %d, want %d", k, got, want)
			}
		}
		if table.size != len(oracle) {
			t.Fatalf("it holds %d ids, want %d", table.size, len(oracle))
		}
	})
}
