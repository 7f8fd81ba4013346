package embedded

import "errors"

var (
	// ErrNoLibrary says that libchdb is not on this machine yet.
	ErrNoLibrary = errors.New("the embedded ClickHouse library is not installed")
	// ErrLocked says that another process has the data directory.
	ErrLocked = errors.New("the embedded ClickHouse directory is in use by another process")
	// ErrStopped says that the server has been stopped, so nothing will answer any more.
	ErrStopped = errors.New("the embedded ClickHouse has been stopped")
	// ErrChecksum says that what was fetched is not what this version was made for.
	ErrChecksum = errors.New("the checksum does not match")
)
