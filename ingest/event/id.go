package event

import (
	"crypto/sha256"
	"encoding/hex"
)

// ID is an event's natural id: one fact has one id, whatever hook, redelivery
// or API read it came by. A delivery's GUID is never part of it.
type ID [16]byte

// NewID hashes the parts that make a fact what it is: provider, object, fact,
// and the object's own id or time. Parts are length-prefixed, so no two lists
// of parts run together.
func NewID(parts ...string) ID {
	h := sha256.New()
	var n [4]byte
	for _, p := range parts {
		n[0], n[1], n[2], n[3] = byte(len(p)>>24), byte(len(p)>>16), byte(len(p)>>8), byte(len(p))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var id ID
	copy(id[:], h.Sum(nil))
	return id
}

// String returns id in hex.
func (id ID) String() string { return hex.EncodeToString(id[:]) }
