// Package storage keeps results in ClickHouse: it makes the tables (Migrate),
// takes the engine's rows (Sink) and reads them back (Reader).
//
// It knows rows and SQL. It does not know what a metric means (metrics does),
// who may see a number (web does), or what a generation is beyond the rows that
// say which is current.
//
// The surprising things:
//
//   - Embedded and served ClickHouse run the same code, over HTTP. The embedded
//     one is a child process (storage/embedded).
//   - All writing is upserting: a key is written again with a higher version,
//     and an equal version always means equal content. So a batch whose fate is
//     unknown is simply sent again.
//   - A key is never twice in one batch: ReplacingMergeTree keeps the last of
//     equal versions, which in one block is an accident of sorting.
//   - Every read uses FINAL, which is right before merges too, and cheap here:
//     a key's rows all lie in one partition, so partitions are looked at one by
//     one, and conditions stand on columns of the key, so they can be asked
//     before the others are read.
//   - "{x} OR team IN {teams}" costs nothing: parameters are constants by the
//     time that the primary key is looked at (a test reads the plan).
//   - Progress is written behind the rows that it speaks of, and readers' clock
//     is the lowest of all shards. A shard without rows has to say that it goes
//     on (Sink.Advance), or it would hold all pages back.
//   - A generation that has been current stays in the live tables, so a request
//     that began before a promotion still finds its rows after it.
package storage
