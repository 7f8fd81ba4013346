package storage

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// What can be wrong with the database, for whoever can act on it.
var (
	ErrUnavailable    = errors.New("ClickHouse cannot be reached; check that it runs and that clickhouse.dsn is right")
	ErrAuthentication = errors.New("ClickHouse refuses the user or the password; correct clickhouse.dsn")
	ErrSchema         = errors.New("ClickHouse lacks a table or a column; run `meridian migrate`")
	ErrDiskFull       = errors.New("ClickHouse has no disk space left; make room, and writing goes on by itself")
	ErrTooManyParts   = errors.New("ClickHouse has too many parts and merges them first; writing goes on by itself")
	ErrMemory         = errors.New("ClickHouse has reached its memory limit; what was asked of it is tried again or has to be asked again")
	ErrTooMuch        = errors.New("the answer is too large or takes too long; ask for a shorter time or for fewer teams")
	ErrRefused        = errors.New("ClickHouse refuses the statement")
	ErrOtherInstance  = errors.New("a database has the tables of one instance; name another database in clickhouse.dsn, which has to be there, or start with the instance.json of that instance. Where that one is gone for good, `meridian sql --write \"TRUNCATE TABLE instance\"` gives its tables to the next start, and `meridian replay --mode restate` computes all rows anew")
	ErrNewerSchema    = errors.New("the database was written by a later version of Meridian; start that one, or restore a backup")
	ErrMoving         = errors.New("this generation is being moved between its tables; ask again in a moment")
	ErrNotMoved       = errors.New("not all of its rows are in one half of the tables; it is moved again")
	ErrCurrent        = errors.New("it is the one that readers see, and stays where it is; make another one current first")
	ErrOldTurn        = errors.New("a later turn has been taken; look again which generation is current")
	ErrStopped        = errors.New("the sink has stopped; what was not flushed comes again from the last snapshot")
)

// Codes of ClickHouse's exceptions (its src/Common/ErrorCodes.cpp) by what to do.
var byCode = map[int32]error{
	192: ErrAuthentication, // UNKNOWN_USER
	193: ErrAuthentication, // WRONG_PASSWORD
	194: ErrAuthentication, // REQUIRED_PASSWORD
	497: ErrAuthentication, // ACCESS_DENIED
	516: ErrAuthentication, // AUTHENTICATION_FAILED

	10: ErrSchema, // NOT_FOUND_COLUMN_IN_BLOCK
	16: ErrSchema, // NO_SUCH_COLUMN_IN_TABLE
	47: ErrSchema, // UNKNOWN_IDENTIFIER
	60: ErrSchema, // UNKNOWN_TABLE
	81: ErrSchema, // UNKNOWN_DATABASE

	243: ErrDiskFull,     // NOT_ENOUGH_SPACE
	252: ErrTooManyParts, // TOO_MANY_PARTS
	241: ErrMemory,       // MEMORY_LIMIT_EXCEEDED

	158: ErrTooMuch, // TOO_MANY_ROWS
	159: ErrTooMuch, // TIMEOUT_EXCEEDED
	307: ErrTooMuch, // TOO_MANY_BYTES
	396: ErrTooMuch, // TOO_MANY_ROWS_OR_BYTES
}

// Trouble names what is wrong in a word, for programs: the label of a metric. It
// is one of Troubles, or "" of no error.
func Trouble(err error) string {
	if err == nil {
		return ""
	}
	for _, t := range troubles {
		if errors.Is(err, t.err) {
			return t.word
		}
	}
	return "other"
}

// Troubles are all words of Trouble.
func Troubles() (words []string) {
	for _, t := range troubles {
		words = append(words, t.word)
	}
	return append(words, "other")
}

var troubles = []struct {
	err  error
	word string
}{
	{ErrAuthentication, "authentication"}, {ErrSchema, "schema"}, {ErrDiskFull, "disk_full"}, {ErrTooManyParts, "too_many_parts"},
	{ErrMemory, "memory"}, {ErrUnavailable, "unavailable"}, {ErrRefused, "refused"},
}

// refusedRows says of rows that are refused for what they are, or where they go, what
// becomes of them and what to do. Nothing is left out of the tables: a snapshot
// vouches for its rows, and each of these causes is mended once for all rows.
func refusedRows(err error) error {
	if !errors.Is(err, ErrRefused) {
		return err
	}
	return fmt.Errorf("%w; the rows wait, with all that come after them, until it takes them: look whether a table was changed by hand, a right is missing or a limit is too low; else it is a fault of Meridian's, and this message is what to report", err)
}

// classify wraps what the client says in the sentinel that says what to do. ctx
// is the caller's: its own giving up stays what it is, while another deadline
// that has passed is a database that does not answer.
func classify(ctx context.Context, doing string, err error) error {
	var ex *clickhouse.Exception
	var status *clickhouse.HTTPError
	kind := ErrUnavailable
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ex):
		if kind = byCode[ex.Code]; kind == nil {
			kind = ErrRefused
		}
	case errors.As(err, &status) && (status.StatusCode == http.StatusUnauthorized || status.StatusCode == http.StatusForbidden):
		kind = ErrAuthentication
	case ctx.Err() != nil:
		return fmt.Errorf("storage: %s: %w", doing, err)
	}
	return fmt.Errorf("storage: %s: %w (%w)", doing, kind, err)
}
