package ingest

// Versioned is a [Decoder] that tells its version without decoding anything.
type Versioned interface {
	Decoder
	Version() int32 // as in [Decoded].Version
}

// Redecoder reads deliveries again that an older decoder has read. A generation
// is pinned to the versions of its decoders, so that it means the same however often
// it is computed: what was decoded by them, or by later ones, is taken as it is.
//
// A process whose decoders are not those of the pins reads nothing again: it could
// not say what they would.
type Redecoder struct {
	by map[string]Versioned // by provider; only those that are of the pinned version
}

// NewRedecoder returns a redecoder of a generation that is pinned to versions, by
// provider. A nil map pins nothing.
func NewRedecoder(decoders map[string]Decoder, pinned map[string]int32) *Redecoder {
	r := &Redecoder{map[string]Versioned{}}
	for provider, version := range pinned {
		if d, ok := decoders[provider].(Versioned); ok && d.Version() == version {
			r.by[provider] = d
		}
	}
	return r
}

// Versions are those of decoders, by provider: what a generation that begins now is
// pinned to.
func Versions(decoders map[string]Decoder) map[string]int32 {
	versions := map[string]int32{}
	for provider, d := range decoders {
		if v, ok := d.(Versioned); ok {
			versions[provider] = v.Version()
		}
	}
	return versions
}

// Wants reports whether the body of a delivery has to be read again.
func (r *Redecoder) Wants(d *LoggedDelivery) bool {
	if r == nil || d == nil {
		return false
	}
	by := r.by[d.Delivery.Provider]
	return by != nil && d.Decoder < by.Version()
}

// Decode returns a delivery as its decoder reads it now, without its body. What it
// does not understand any more, and what has lost its body, stays as it was.
func (r *Redecoder) Decode(d *LoggedDelivery) *LoggedDelivery {
	again := *d
	again.Delivery.Body, again.Delivery.Headers = nil, nil
	if !r.Wants(d) || len(d.Delivery.Body) == 0 {
		return &again
	}
	decoded, err := safely(r.by[d.Delivery.Provider], d.Delivery)
	if err != nil {
		return &again
	}
	again.Outcome, again.Reason, again.Type = decoded.Outcome, decoded.Reason, decoded.Type
	again.Events, again.Decoder = decoded.Events, decoded.Version
	return &again
}
