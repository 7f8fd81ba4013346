// Package event is Meridian's canonical language: what can happen (kinds),
// which fact it is (natural ids), who did it (accounts), and how it is written
// down (the codec).
//
// It knows no provider's payload and no catalog. Decoders in ingest/<source>
// translate into it; route adds what the catalog knows ([Routed]); folds in
// metrics read it.
//
// The surprising thing: an event's Time is the time by which it is judged late
// or future, and nothing else. Every other time inside it (an author time of a
// commit in a push, the creation in a merge) is a fact that is never judged.
// So the commits of a push are facts of the push and not events: the same
// commit is pushed again by every rebase and merge.
package event
