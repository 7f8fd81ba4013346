package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxList bounds lists of things that become events or parts of one. GitHub sends
// at most 2,048 commits of a push. Without a bound, 25 MB of "{}," would become
// gigabytes of empty commits before anybody has looked at one.
const maxList = 10_000

// List is a list with a bound on its length.
type List[T any] []T

// tooMany is the error of a list that is longer.
type tooMany struct{}

func (tooMany) Error() string { return fmt.Sprintf("a list holds more than %d elements", maxList) }

// UnmarshalJSON stops at the bound.
func (l *List[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	if data[0] != '[' {
		// For the error that it gives, or null.
		return json.Unmarshal(data, (*[]T)(l))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		if len(*l) == maxList {
			return tooMany{}
		}
		var element T
		if err := d.Decode(&element); err != nil {
			return err
		}
		*l = append(*l, element)
	}
	return nil
}
