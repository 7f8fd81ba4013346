package metrics

import (
	"bytes"
	"cmp"
	"strings"

	"meridian/ingest/event"
)

// who is an account in a fold, with what the catalog makes of it. Payloads do
// not agree about an account for ever: it is renamed, or deleted later and then
// shown as nobody.
type who struct {
	Person  event.PersonID
	Key     string
	Login   string
	Bot     bool
	Deleted bool
}

func whoIs(a event.Account, p event.Person) who {
	return who{Person: p.ID, Key: a.Key, Login: a.Login, Bot: a.Bot || p.Bot, Deleted: a.Deleted || p.Deleted}
}

// known reports whether any payload has said who it is.
func (w *who) known() bool { return *w != who{} }

// see takes what another payload says of the same account. Somebody wins over
// an account that is gone, since a fact belongs to whoever did it then; between
// two names of one account the smaller one, so that the order does not matter.
func (w *who) see(o who) {
	if !o.known() || *w == o {
		return
	}
	bot := w.Bot || o.Bot
	if !w.known() || o.compare(w) < 0 {
		*w = o
	}
	w.Bot = bot
}

func (w *who) compare(o *who) int {
	if w.Deleted != o.Deleted {
		if o.Deleted {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(w.Key, o.Key), cmp.Compare(w.Login, o.Login), bytes.Compare(w.Person[:], o.Person[:]))
}

// same reports whether two accounts are one person, as far as anybody can tell.
func (w *who) same(o *who) bool {
	switch {
	case w.Person != event.PersonID{} && w.Person == o.Person:
		return true
	case w.Key != "" && o.Key != "":
		return w.Key == o.Key
	}
	return w.Login != "" && strings.EqualFold(w.Login, o.Login)
}
