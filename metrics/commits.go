package metrics

import (
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"meridian/ingest/event"
)

// Commits are remembered by number: the first 16 digits of their names, of which
// no two in a world of repositories are alike, else a hash of the name. 8 bytes
// instead of 40, of which a line keeps tens of thousands.

const numberDigits = 16

func commitNumber(sha string) uint64 {
	if sha == "" || strings.Trim(sha, "0") == "" {
		return 0 // what a branch that is made had before
	}
	if len(sha) >= numberDigits {
		if n, err := strconv.ParseUint(sha[:numberDigits], 16, 64); err == nil {
			return n
		}
	}
	return xxhash.Sum64String(sha)
}

// shortName is a name that is cut short, as people and scripts write it: it
// stands for any number in [from, to].
func shortName(sha string) (from, to uint64, ok bool) {
	if len(sha) < shownDigits || len(sha) >= numberDigits {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(sha, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	shift := 4 * uint(numberDigits-len(sha))
	return n << shift, n<<shift | (1<<shift - 1), true
}

// authorNumber tells authors of commits apart. Addresses first: a rebase keeps
// them, and a login may be known of one copy and not of the other.
func authorNumber(a event.Account) uint64 {
	switch {
	case a.Email != "":
		return xxhash.Sum64String("email/" + a.Email)
	case a.Login != "":
		return xxhash.Sum64String("login/" + strings.ToLower(a.Login))
	case a.Key != "":
		return xxhash.Sum64String("key/" + a.Key)
	}
	return 0
}
