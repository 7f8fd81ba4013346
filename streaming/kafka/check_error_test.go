package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
)

// A record that the broker did not take is too large only where the broker says so: a
// disk that is full has another name.
func TestNotTaken(t *testing.T) {
	for err, large := range map[error]bool{kerr.MessageTooLarge: true, kerr.RecordListTooLarge: true, kerr.KafkaStorageError: false, kerr.UnknownServerError: false} {
		if text := notTaken(err).Error(); strings.Contains(text, "message.max.bytes") != large {
			t.Errorf("%v: %s", err, text)
		}
	}
}
