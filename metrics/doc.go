// Package metrics holds what each metric means: its definition with its
// passport, the folds that turn facts into observations, the aggregates that
// turn observations into points, and the engine stage that runs them.
//
// It has no I/O. It knows events, the catalog and windows; it does not know
// where rows are stored (storage) or shown (web).
//
// To add a metric: one file with its Definition and its observe function, one
// script of the same name in testdata/, one line in the list of
// definitions.go.
//
// The surprising thing: nobody retracts. A fold is asked for all observations
// of its entity whenever the entity changed, and the engine takes the
// difference to what it was given before. So a metric cannot forget to
// withdraw what a late fact has made wrong.
//
// # Non-obvious
//
//   - The engine keeps cells and not windows: the observations of 15 minutes of
//     UTC. Hours and days are added up from them in the team's zone when a row
//     is due, the running 30 days slide over them. So a zone that changes moves
//     no data, and a row never depends on rows that came before it.
//   - Within a round the engine only folds. Whatever is given out is worked out
//     at the tick and in the order of names, so neither batches nor the order
//     of records can show. The rows of a series come by the name of their
//     grain: day, day30, hour.
//   - Whether an observation is too old to change is decided by the clock that
//     let the record in, which route has written into it, and not by the
//     shard's: with several upstream partitions the shard may be further, and
//     an event that route has accepted must count.
//   - A change that is refused because its observation is too old has a row
//     among the rejects, although the record that brought it was accepted: the
//     record counts, and one number does not follow it.
//   - A gauge's interval is dated by its end and stored under its start. While
//     it is open it is never too old.
//   - A window's state goes from provisional to final to revised and never
//     back. A withdrawn row is revised even while its window is open, so such a
//     window has no final row.
//   - A quality row is the whole count of its cell. A cell that may have been
//     forgotten has no more rows, since they would begin again at zero; its
//     late events still have their rejects.
//   - A line forgets facts and never withdraws: what it told of them stands, and
//     parts that forgetting alone has changed are not asked.
//   - An entity that nobody has told anything since the last snapshot rests: its
//     fold, and what it was given, are slices of that snapshot's bytes, and are
//     read when it is touched. So most of the state takes the memory of its
//     snapshot, once, and a restore makes nothing of it (rest.go).
//   - What is forgotten depends on the clock alone: eviction runs at the first
//     tick of a day of UTC. Ticks at which nothing can happen may be left out
//     (see [Engine.Due]), as long as the last one before a record is not.
//   - At the tick that ends a history, the rows of a series of which nothing was said
//     come from one sweep of it (sweep.go). Whatever decides in points.go whether and how a
//     window's first row is given has its place there too.
//   - An engine that lends its rows (lend.go) uses them again: who keeps one past emit has
//     another one later.
//   - Numbers of names and people (symbols.go) differ between
//     processes. They are never compared for order, emitted or saved.
package metrics
