// Package streaming is the event-time engine: shards that run pure programs
// over an ordered log, clocks that only ticks move, versions, and snapshots.
//
// It knows nothing of GitHub, metrics, Kafka or SQL: what a record means
// belongs to the [Program] that is run, where records come from and rows go
// belongs to an adapter at the rim (streaming/kafka for the log, storage for
// the rows). It has no I/O, no goroutine, no wall clock, no randomness.
//
// Words of this package and the field's terms for them:
//
//   - tick: punctuated progress, a record that says "it is now T, and I have
//     nothing older in hand"; it replaces watermark generators and idleness
//     timeouts.
//   - clock: the running maximum of a partition's ticks. A watermark is a
//     clock less a bound of out-of-orderness.
//   - round: what lies between two ticks that raise the clock of their own
//     partition, the unit in which state changes and rows come out: a
//     micro-batch whose borders stand in the log.
//   - shard: one partition of a stage's input with its program's state: a task.
//   - timers: what a program wants to be reminded of in event time
//     ([Timers]); they fire in the order of time and key.
//   - version: generation and round of a row; the higher one wins an upsert.
//
// # Non-obvious
//
//   - A record is applied when the tick that closes its round is read, not
//     when the record is read, and sees the clock of the round before. That
//     costs nothing (rows come out at ticks anyway) and makes a shard's state
//     between rounds independent of how its inputs interleave.
//   - Rounds are numbered by the clock (500 ms each), not counted: the same
//     log gives the same numbers wherever reading begins.
//   - A tick that does not raise its partition's clock closes nothing. Records
//     before it belong to the next one that does.
//   - A shard drops origins not above the highest it has taken from that
//     upstream partition. So a router that restarts and repeats itself, or a
//     zombie that goes on writing, adds nothing; but a writer must never leave
//     a gap and go on, or the records of the gap are lost.
//   - Pending records are not in a snapshot. A restored shard reads again from
//     the lowest input offset that was still pending ([Shard.Resume]); what
//     was already applied is dropped by its origin.
package streaming
