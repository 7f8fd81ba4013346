// Package backfill is what reading history from an API has in common, whoever's
// API it is: waiting as the API asks for, going on after a crash, and saying how
// far it is. ingest/backfill/github and ingest/backfill/jira know what to read.
//
// It knows deliveries, and that everything it appends has natural ids, so that
// reading a thing twice is harmless. It does not know the log, jobs or
// generations: what it needs of them stands in [Work].
//
// The surprising thing: waiting is done under the client libraries, in a
// [Transport], and not above them. go-github refuses requests by a clock of its
// own once it has seen a limit, and tells a secondary limit by the address of a
// page of documentation; Jira's client knows no limits at all. One transport that
// reads status and headers serves both, and can be tested with a clock that does
// not wait.
package backfill
