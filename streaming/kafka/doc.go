// Package kafka carries records between the log and the pure programs of
// streaming. It knows franz-go, topics, consumer groups, the embedded broker,
// and the files of archive and snapshots. It does not know what a record means:
// decoding, encoding and the cut between events and bodies are given to it.
//
//   - [StartBroker] is the embedded broker, [Config] how to reach any.
//   - [Appender] writes deliveries and ticks, durably and in time.
//   - [Log] reads a partition: archive first, then the broker, without a hole.
//   - [Runner] runs the shards of a [Stage]; [TopicSink] is route's way out.
//   - [SnapshotDir] keeps snapshots, [Sealer] and [Archive] the deliveries.
//   - [Control] is the store of manifests, catalogs, clocks and status.
//   - [Check] finds out at start whether a broker can be relied on.
//
// # The one order
//
// A shard's rows, snapshot and offset become durable in this order and in no
// other; only shardRun knows it:
//
//	put → flush → publish the snapshot → commit the group's offset → trim
//
// A crash between any two repeats rows that are the same to the byte. The
// group's offset serves displays of lag: recovery begins at the snapshot.
//
// # Non-obvious
//
//   - The group's client fetches nothing. Each shard has a reader of its own
//     that begins where its snapshot says, which may lie in the archive. With
//     one shared client, a shard that fails would have to move the position of
//     its partition while a rebalance may take it away.
//   - A record that failed must never be followed by a later one of its writer
//     (a reader drops what is below the highest origin it has seen). franz-go
//     goes on with the next batch after a failed one, so [TopicSink] sends
//     pieces of one batch a partition and waits for all of them.
//   - An append that has timed out may still land; so may what a dead process
//     had sent. Natural ids and origins make both harmless.
//   - Record contexts are never cancelled: franz-go fails what is buffered
//     behind such a record too.
//   - Offsets are contiguous, or something was lost: readers insist on it, and
//     never reset to another offset by themselves.
//   - Nothing here reads a record's Kafka timestamp. Producers of one process
//     set rising ones, for brokers' own sake.
//
// # Traps of the embedded broker (kfake)
//
//   - A partition whose records are all deleted begins at offset 0 again after
//     a restart, even a clean one. [Trim] always leaves the last record.
//   - After kill -9 the start of a partition moves back to its first whole
//     segment, so that trimmed records come again. Nothing may rely on a trim
//     having happened.
//   - Compaction deletes a partition's files before it writes the new ones, in
//     the loop that serves every request. No embedded topic has
//     cleanup.policy=compact; [Control] rewrites its keys itself.
//   - Saved passwords win over those of the new start, and group members saved
//     at a clean stop are waited for. Both files are removed at start.
//   - It ignores the error of an fsync. A write that fails (full disk) is
//     answered with UNKNOWN_SERVER_ERROR and leaves the log whole.
//   - Every partition is read completely at start, and each batch costs 76
//     bytes of heap: hence segments of 16 MiB and a [Sealer] that trims.
//   - What a SIGKILL cannot take is tested in crash_test.go.
package kafka
