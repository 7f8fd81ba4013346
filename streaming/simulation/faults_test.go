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

	// Of generations: what begins one; a coordinator that dies when it has numbered
	// one, while it reads its history, before and behind the rows of a shard, between
	// two snapshots that it hands over, and before it says that it follows.
	catalogChanges
	logicChanges // a member comes back with another version
	beginCut
	readCut
	rowsCut
	engineCut
	handOverCut
	followCut
	historyResumed // from its checkpoint

	// Of promotions: a coordinator that dies at each step, rows that are moved by half
	// or without an answer, one that goes on when it has been replaced, a member that
	// hears of it late, and shards that move while they stand.
	catchUpCut
	pauseCut
	moveCut
	movedCut
	flipCut
	flippedCut
	movedHalf
	movedAndFailed
	overlap
	deaf
	movesWhileStanding

	// Of promotions beside a member that hears of nothing: too rare to be waited for, so
	// a test of their own brings them about.
	notMoved
	wroteOn
	sweptUp

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
		"the catalog changed", "a member came back with another version",
		"the coordinator died at the beginning of a generation", "the coordinator died while it read a history", "the coordinator died before the rows of a history were durable",
		"the coordinator died behind the snapshot of a history", "the coordinator died while it handed over", "the coordinator died before it said that a generation follows", "a history went on from its checkpoint",
		"the coordinator died while a generation caught up", "the coordinator died while shards stood", "the coordinator died before rows were moved", "the coordinator died after rows were moved",
		"the coordinator died before the turn", "the coordinator died after the turn", "rows were moved by half", "rows were moved, and the answer lost",
		"a coordinator went on after it was replaced", "a member did not hear of control", "a shard moved while it stood",
		"rows came between the move and the turn", "a member that had not stood wrote on until after the turn", "rows were moved after the turn",
	}[f]
}
