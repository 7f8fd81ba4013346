// Package ingest is Meridian's door and the first stage behind it: HTTP
// receivers that verify, decode and append deliveries (one durable write, then
// 202), the ticker, the delivery archive's lines, and route, the stage that
// gives each event its verdict, its team and its copies.
//
// It knows the shape of a delivery and of the log's records. It does not know
// what a provider's payload means (ingest/github, ingest/jira, ingest/deploy
// implement Decoder and import this package, never the reverse), nor Kafka:
// it appends through an interface of its own.
//
// The surprising thing: decoding happens at the door, before the log, and the
// events travel inside the delivery's record, with the decoder's version. Route
// takes them as they are. The body that is kept beside them gives the same
// events when it is decoded again, which tests of every decoder show; so a
// later decoder can read what an earlier one has taken.
//
// # Non-obvious
//
//   - Verification comes before anything is believed, and counting failures comes
//     after it: a correctly signed delivery is never refused for what others at
//     its address have done, since GitHub does not send it again.
//   - The receiver gives up on a log that hangs after 4 seconds and answers 503.
//     The record may land all the same, and the sender's second copy of it is a
//     duplicate by its natural ids. What the log holds of it counts against the
//     receiver's memory until it lets go.
//   - A verdict depends on the clock of the delivery's own partition before the
//     record, and on nothing that depends on how records were batched.
//   - Late is asked before duplicate, with the same predicate by which ids are
//     forgotten ([Late]); that is the whole proof that nothing counts twice.
//   - In a history, route holds a round's records until its tick: only the tick
//     tells whether the round still belongs to the history.
//   - A tick that is 0 is a tick: see [Entry.IsTick].
//   - The ticker doubts its own machine's clock, because a tick cannot be taken
//     back: one in 2099 would make every later delivery late.
package ingest
