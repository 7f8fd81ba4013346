package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// DecodeDelivery makes a record of a delivery, with the key under which it goes
// to the log. The only error is [ErrMalformed]; what cannot be decoded for another
// reason is kept with it.
func DecodeDelivery(by Decoder, d Delivery) (key string, _ *LoggedDelivery, err error) {
	logged := &LoggedDelivery{ID: newDeliveryID(d), Delivery: d}
	decoded, err := safely(by, d)
	if errors.Is(err, ErrMalformed) {
		return "", nil, err
	}
	if err == nil {
		logged.Delivery.Body, logged.Delivery.Kept = decoded.Body, true
	} else {
		// What is left of the body without its text is for a better decoder to read.
		logged.Delivery = withoutText(d)
		decoded = Decoded{Outcome: OutcomeUndecodable, Reason: unread(err.Error(), d, logged.Delivery)}
	}
	logged.Outcome, logged.Reason, logged.Type = decoded.Outcome, decoded.Reason, decoded.Type
	logged.Events, logged.Decoder = decoded.Events, decoded.Version
	if key = decoded.Scope; key == "" {
		key = sourceLabel(d.Provider, d.Name)
	}
	return key, logged, nil
}

// DecodeArchived makes a record of a delivery of an archive. Nobody is there to
// mend a malformed one, so it is set aside like everything that cannot be decoded;
// that of a provider without a decoder (nil) is ignored.
func DecodeArchived(by Decoder, d Delivery) (key string, _ *LoggedDelivery) {
	outcome, why := OutcomeIgnored, "this version has no decoder for it"
	if by != nil {
		key, logged, err := DecodeDelivery(by, d)
		if err == nil {
			return key, logged
		}
		outcome, why = OutcomeUndecodable, err.Error()
	}
	aside := &LoggedDelivery{ID: newDeliveryID(d), Delivery: withoutText(d), Outcome: outcome}
	aside.Reason = unread(why, d, aside.Delivery)
	return sourceLabel(d.Provider, d.Name), aside
}

// safely decodes, and turns a decoder's panic into an error: a delivery that it
// cannot stand is kept and counted, and does not take the connection along.
func safely(by Decoder, d Delivery) (_ Decoded, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("the decoder failed on it; this is a fault of Meridian, please report it")
		}
	}()
	return by.Decode(d)
}

// newDeliveryID is what the sender is told: a hash of what came and when.
func newDeliveryID(d Delivery) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00", d.Provider, d.Name, int64(d.Received))
	h.Write(d.Body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
