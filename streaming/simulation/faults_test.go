package simulation

// fault is something that goes wrong.
type fault int

const (
	none fault = iota

	// Of ingesters: a produce that fails although the record is on the log, one
	// that fails because it is not, a tick likewise, and an ingester that dies.
	producedAndFailed
	notProduced
	tickedAndFailed
	tickNotProduced
	ingesterCrash
	ingesterClock // runs behind the others: its ticks raise nothing
	silence       // nobody sends anything for hours

	// Of route's copies: a batch that fails although it is on the log, one that
	// is not, one that fails and lands much later, and one that lands twice.
	copiesAndFailed
	notCopied
	copiesLandLater
	copiesTwice

	// Of the group and its members.
	rebalance // a shard moves, with its snapshot
	zombie    // it moves, and the old owner does not know yet
	crash     // a member dies with all of its shards
	slow      // a shard stands still for long

	// Of the database.
	sinkDown
	sinkHalf
	sinkTimedOut
	forgets // what no flush has vouched for

	// Of snapshots.
	notPublished
	publishedAndFailed
	damagedChunk
	missingChunk
	tornManifest
	stale // a snapshot that another owner has overtaken

	faults
)

func (f fault) String() string {
	return [faults]string{
		"none", "a delivery that is on the log was answered with an error", "a delivery was not produced", "a tick that is on the log failed", "a tick was not produced",
		"an ingester died", "an ingester's clock was behind", "silence",
		"copies that are on the log failed", "copies were not produced", "copies landed later", "copies landed twice",
		"a shard moved", "a zombie wrote", "a member died", "a shard stood still",
		"the database was down", "the database took half", "the database timed out after it had taken rows", "the database forgot its last second",
		"a snapshot was not published", "a snapshot was published, and the answer lost", "a chunk was damaged", "a chunk was missing", "a manifest was torn",
		"a snapshot was overtaken",
	}[f]
}
