package event

import "errors"

// ErrUnreadable says that bytes are not a record of this codec, or one of a
// newer Meridian that an older one cannot understand.
var ErrUnreadable = errors.New("unreadable event record")
