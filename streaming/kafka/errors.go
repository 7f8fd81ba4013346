package kafka

import "errors"

// Conditions that callers tell apart.
var (
	// ErrFull says that too much waits to be written already; nothing was written.
	ErrFull = errors.New("the log's write buffer is full")
	// ErrTimeout says that the broker did not confirm a write in time. The
	// record may still land later.
	ErrTimeout = errors.New("the broker did not confirm the write in time")
	// ErrTooLarge says that a record is above MaxRecordBytes.
	ErrTooLarge = errors.New("record is larger than the log takes")
	// ErrPartitions says that a topic has another number of partitions than
	// this instance was created with.
	ErrPartitions = errors.New("wrong number of partitions")
	// ErrTrimmed says that offsets that are still needed are gone.
	ErrTrimmed = errors.New("needed offsets are no longer on the log")
	// ErrForgotten says that a shard has no whole snapshot, and that its input does
	// not hold what it would have to begin with.
	ErrForgotten = errors.New("no snapshot is whole, and a history that no topic holds is in them alone; the coordinator begins a new generation, which takes over when it has caught up")
	// ErrGap says that offsets are not contiguous where they must be.
	ErrGap = errors.New("offsets are missing on the log")
	// ErrBroker says that a broker behaves in a way that Meridian cannot work with.
	ErrBroker = errors.New("the broker does not behave as Meridian needs")
	// ErrArchive says that an archive file cannot be read, or does not fit the log.
	ErrArchive = errors.New("archive is damaged")
)
