package ingest

import "google.golang.org/protobuf/encoding/protowire"

// SplitEntry cuts a record of meridian.deliveries in two, for the archive: what
// every replay reads, and the body with its headers, which only a newer decoder
// opens again. Both are records, and so are their bytes one behind the other:
// Protobuf merges two messages of one field. What is no delivery has no second
// part, and neither has what cannot be read, which is kept as it is.
func SplitEntry(value []byte) (events, body []byte) {
	number, kind, n := protowire.ConsumeTag(value)
	if n < 0 || number != entryDelivery || kind != protowire.BytesType {
		return value, nil
	}
	delivery, m := protowire.ConsumeBytes(value[n:])
	if m < 0 || n+m != len(value) {
		return value, nil
	}
	var first, second []byte
	for rest := delivery; len(rest) > 0; {
		number, _, n := protowire.ConsumeField(rest)
		if n < 0 {
			return value, nil
		}
		if number == deliveryHeaders || number == deliveryBody {
			second = append(second, rest[:n]...)
		} else {
			first = append(first, rest[:n]...)
		}
		rest = rest[n:]
	}
	if len(second) == 0 {
		return value, nil
	}
	return deliveryRecord(first), deliveryRecord(second)
}

func deliveryRecord(delivery []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, entryDelivery, protowire.BytesType), delivery)
}
