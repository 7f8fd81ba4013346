// Meridian is one binary that takes webhooks, computes engineering metrics in
// event time, keeps them in ClickHouse, and shows them on pages.
//
// # A tour: one event from the door to the page
//
//   - serve.go starts everything, in the order in which an event meets it.
//   - ingest/receiver.go verifies a webhook over its raw body, has it decoded,
//     appends one record to meridian.deliveries, and answers 202.
//   - ingest/github/pull_request.go turns the payload into canonical events;
//     ingest/event/event.go is the language that it turns it into.
//   - ingest/ticker.go appends ticks to the log. Only they move time.
//   - streaming/kafka/runner.go carries records between the log and a stage's
//     shards, and knows the order: put, flush, snapshot, commit.
//   - streaming/shard.go holds records until their round is complete, and
//     applies them in the order of their origins.
//   - ingest/route.go gives each event its verdict, its team and its copies, in
//     meridian.events.<generation>.
//   - metrics/engine.go folds them into entities, takes the difference of their
//     observations, and emits rows at ticks; metrics/pr_pickup_time.go is what a
//     metric looks like.
//   - storage/sink.go upserts the rows into ClickHouse, storage/reader.go reads
//     them, right before merges.
//   - web/metric.go makes a page of them, web/views/metric.templ draws it.
//
// # This package
//
// Wiring in straight lines, and no logic of its own: commands (one file each),
// the parts of a running instance (instance, log, results, door, coordinator,
// room, history, stages, pages), and jobs as compositions of them.
package main
