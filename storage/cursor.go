package storage

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"meridian/metrics"
)

// A cursor holds the place of the last row that was given, in the order of its
// query. It is no secret and no promise: whoever makes one up sees the rows that
// they may see anyway, from another place on.

type observationCursor struct {
	At                                                   int64
	Team, Metric, Service, Entity, Item, Outcome, Reason string
}

type rejectCursor struct {
	Received  int64
	Partition int32
	Offset    int64
	Ordinal   int32
	Team      string
}

func encodeCursor(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and strings always marshal
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func decodeCursor(cursor string, into any) error {
	if cursor == "" {
		return nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("storage: %w", metrics.ErrCursor)
	}
	return nil
}
