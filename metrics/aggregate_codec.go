package metrics

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"
)

// codec is the one encoding of state: CBOR, core deterministic (RFC 8949,
// 4.2.1), which gives equal values equal bytes.
type codec struct {
	cbor.EncMode
	cbor.DecMode
}

func newCodec() codec {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err) // fixed options; any test finds it
	}
	// Arrays as long as a busy team's day; the library's default is 131,072.
	dec, err := cbor.DecOptions{MaxArrayElements: 1 << 27, MaxMapPairs: 1 << 27, ExtraReturnErrors: cbor.ExtraDecErrorUnknownField}.DecMode()
	if err != nil {
		panic(err)
	}
	return codec{enc, dec}
}

var theCodec = newCodec()

// Bytes returns the canonical bytes of a: the column `state`.
func (a *Aggregate) Bytes() []byte { return a.AppendBytes(nil) }

// ErrDamagedState is wrapped when bytes are no aggregate that Bytes wrote.
var ErrDamagedState = errors.New("metrics: the state of a point cannot be read; its row is damaged, or was written by a later version")

// DecodeAggregate reads what Bytes wrote.
func DecodeAggregate(b []byte) (*Aggregate, error) {
	a := new(Aggregate)
	if err := theCodec.Unmarshal(b, a); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamagedState, err)
	}
	// What reading a point relies on.
	if n := len(a.Quantiles); n != 0 && n != 3 || !a.All.sound() || a.Primary != nil && !a.Primary.sound() {
		return nil, fmt.Errorf("%w: its values are not those of a point", ErrDamagedState)
	}
	if len(a.Quantiles) == 0 {
		a.Quantiles = nil // a list of none is none
	}
	return a, nil
}

func (p *Part) sound() bool {
	return p.Heat.sound() && slices.IsSorted(p.Values) && (len(p.Values) == 0 || int64(len(p.Values)) == p.N)
}
