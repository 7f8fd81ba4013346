// Package simulation plays the whole machine in one goroutine: senders,
// ingesters, the log, route and engine members, the database, and everything
// that goes wrong between them. All of it is drawn from one seed, so a run that
// fails is played again by one command.
//
// It knows route, engine, shards and the life of a shard as streaming/kafka runs
// it (the very code, moved step by step); broker, group and database are played.
// It has no file but tests: nothing can depend on it.
//
// Three things are proven with it:
//
//   - whatever goes wrong, the database ends with the rows that one straight run
//     over the log gives, all of their history to the byte (simulation_test.go);
//   - that run equals a recomputation in batch, in some dozens of obvious lines
//     (oracle_test.go);
//   - what each rule of time means, in scripts that can be read (testdata).
//
// The surprising thing: no fault may need a rule of its own. Records that are
// written twice are dropped by their origins, rows that are written twice have
// equal versions, and a state that is restored is the state that was saved.
package simulation
