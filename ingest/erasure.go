package ingest

import (
	"encoding/hex"
	"reflect"
	"slices"
	"strings"
	"sync"

	"meridian/ingest/catalog"
	"meridian/ingest/event"
)

// Erasure takes the names of erased people out of deliveries. They become deleted
// accounts, and their work stays: what was one account is one tombstone, so that a
// pull request is still reviewed by somebody else than its author.
//
// It knows pseudonyms of names, never the names: so it can go on at the door for
// ever, and whoever reads what it is made of learns nothing. The nil Erasure does
// nothing. It is safe for concurrent use.
type Erasure struct {
	names  Names
	erased map[event.PersonID]bool

	mu    sync.Mutex
	known map[[2]string]string // provider and name: tombstone, or "" where the name is nobody's who was erased
}

// Names makes pseudonyms under the instance's key.
type Names interface {
	NameID(provider, name string) event.PersonID // of a login or numeric id (github), an account (jira), a hash (email)
	EmailHash(address string) string
}

var _ Names = (*catalog.Catalog)(nil)

// knownNames bounds what an Erasure remembers: a name costs two hashes otherwise.
const knownNames = 1 << 16

// NewErasure returns what takes these names out; nil where there are none.
func NewErasure(names Names, erased ...event.PersonID) *Erasure {
	if len(erased) == 0 {
		return nil
	}
	e := &Erasure{names: names, erased: map[event.PersonID]bool{}, known: map[[2]string]string{}}
	for _, id := range erased {
		e.erased[id] = true
	}
	return e
}

// Tombstone is what stands in the place of a name.
func Tombstone(id event.PersonID) string { return catalog.ErasedMark + hex.EncodeToString(id[:4]) }

// tombstone returns what stands in the place of a name; "" is the name itself.
func (e *Erasure) tombstone(provider, name string) string {
	if name == "" || strings.HasPrefix(name, catalog.ErasedMark) {
		return ""
	}
	key := [2]string{provider, name}
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.known[key]
	if !ok {
		if id := e.names.NameID(provider, name); e.erased[id] {
			t = Tombstone(id)
		}
		if len(e.known) >= knownNames {
			clear(e.known)
		}
		e.known[key] = t
	}
	return t
}

// NamesOf are the names of an account by what they are: provider and name. Deploy
// systems name people as some other system does.
func NamesOf(names Names, a event.Account) (all [][2]string) {
	add := func(provider, name string) {
		if n := [2]string{provider, name}; name != "" && !strings.HasPrefix(name, catalog.ErasedMark) && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	switch a.Provider {
	case "github", "git":
		add("github", strings.ToLower(a.Login))
		add("github", a.Key)
	case "jira":
		add("jira", a.Key)
		add("jira", a.Login)
	default:
		add("github", strings.ToLower(a.Login))
		add("jira", a.Login)
		if strings.Contains(a.Login, "@") {
			add("email", names.EmailHash(a.Login))
		}
	}
	add("email", a.Email)
	return all
}

// Has reports whether an account belongs to somebody who was erased.
func (e *Erasure) Has(a event.Account) bool {
	if e == nil {
		return false
	}
	for _, n := range NamesOf(e.names, a) {
		if e.tombstone(n[0], n[1]) != "" {
			return true
		}
	}
	return false
}

// Delivery returns a delivery without them, and whether that is another one. What
// it is given is not changed.
func (e *Erasure) Delivery(d *LoggedDelivery) (*LoggedDelivery, bool) {
	if e == nil || d == nil {
		return d, false
	}
	// What an account of theirs is called besides is theirs as well, in this delivery.
	here := e
	for _, ev := range d.Events {
		eachAccount(reflect.ValueOf(&ev).Elem(), func(a *event.Account) {
			if here.Has(*a) {
				here = here.with(NamesOf(e.names, *a))
			}
		})
	}
	out := *d
	changed := false
	out.Events = make([]event.Event, len(d.Events))
	for i := range d.Events {
		ev, other := here.event(d.Events[i])
		out.Events[i], changed = ev, changed || other
	}
	body, other := here.body(d.Delivery.Body, d.Delivery.Kept)
	if out.Delivery.Body = body; !changed && !other {
		return d, false
	}
	return &out, true
}

// with returns an Erasure of more names.
func (e *Erasure) with(more [][2]string) *Erasure {
	var ids []event.PersonID
	for _, n := range more {
		if id := e.names.NameID(n[0], n[1]); !e.erased[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return e
	}
	for id := range e.erased {
		ids = append(ids, id)
	}
	return NewErasure(e.names, ids...)
}

// event returns a fact without them. Events are values, but share what they point
// to, so whatever holds a name is copied first.
func (e *Erasure) event(ev event.Event) (event.Event, bool) {
	changed := false
	copied := cloned(reflect.ValueOf(ev)).Interface().(event.Event)
	eachAccount(reflect.ValueOf(&copied).Elem(), func(a *event.Account) {
		b := e.account(*a)
		changed = changed || b != *a
		*a = b
	})
	text := func(s *string, by func(string) string) {
		t := by(*s)
		changed = changed || t != *s
		*s = t
	}
	text(&copied.Scope.Repository, e.owned)
	if p := copied.PullRequest; p != nil {
		text(&p.HeadRef, e.ref)
		text(&p.BaseRef, e.ref)
		text(&p.URL, e.url)
	}
	if p := copied.Push; p != nil {
		text(&p.Ref, e.ref)
	}
	if d := copied.Deployment; d != nil {
		text(&d.Ref, e.ref)
		text(&d.URL, e.url)
	}
	if i := copied.Issue; i != nil {
		text(&i.URL, e.url)
	}
	if r := copied.Repository; r != nil {
		text(&r.Former, e.owned)
	}
	if !changed {
		return ev, false
	}
	return copied, true
}

// account is what becomes of an account. A number of GitHub's goes, since no other
// number is nobody's; every other name has its tombstone.
func (e *Erasure) account(a event.Account) event.Account {
	if !e.Has(a) {
		return a
	}
	github := a.Provider == "github" || a.Provider == "git"
	if github {
		a.Key = ""
	} else {
		a.Key = e.inPlace(a.Key, "jira")
	}
	if github {
		a.Login = e.inPlace(a.Login, "github")
	} else {
		a.Login = e.inPlace(a.Login, "github", "jira", "address")
	}
	a.Email = e.inPlace(a.Email, "email")
	return a
}

// inPlace returns the tombstone of a name that is one of these, else the name.
func (e *Erasure) inPlace(name string, providers ...string) string {
	for _, provider := range providers {
		value := name
		switch {
		case provider == "github":
			value = strings.ToLower(name)
		case provider == "address" && strings.Contains(name, "@"):
			provider, value = "email", e.names.EmailHash(name)
		case provider == "address":
			continue
		}
		if t := e.tombstone(provider, value); t != "" {
			return t
		}
	}
	return name
}

// owned is the full name of a repository, which may be somebody's own: mai/web.
func (e *Erasure) owned(fullName string) string {
	owner, rest, ok := strings.Cut(fullName, "/")
	if !ok {
		return fullName
	}
	return e.inPlace(owner, "github") + "/" + rest
}

// ref is the name of a branch, which often begins with its author's: mai/fix, and
// mai-patch-1, as GitHub's editor calls it.
func (e *Erasure) ref(name string) string {
	prefix := ""
	for _, p := range []string{"refs/heads/", "refs/tags/"} {
		if strings.HasPrefix(name, p) {
			prefix = p
		}
	}
	rest := name[len(prefix):]
	for i := 1; i < len(rest); i++ {
		if rest[i] == '/' || rest[i] == '-' { // a login may have dashes itself
			if t := e.tombstone("github", strings.ToLower(rest[:i])); t != "" {
				return prefix + t + rest[i:]
			}
		}
	}
	return name
}

// url is an address whose first folder may be somebody: https://github.com/mai/web.
func (e *Erasure) url(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	parts := strings.Split(rest, "/")
	for i := 1; i < len(parts) && i < 3; i++ {
		if i == 2 && !slices.Contains([]string{"repos", "users"}, parts[1]) {
			break
		}
		parts[i] = e.inPlace(parts[i], "github")
	}
	return scheme + "://" + strings.Join(parts, "/")
}

// Text is what becomes of a text of a row that may name somebody's own repository: an
// address, or a full name with whatever stands behind it (mai/web#7).
func (e *Erasure) Text(text string) string {
	if e == nil {
		return text
	}
	if strings.Contains(text, "://") {
		return e.url(text)
	}
	return e.owned(text)
}

var accountType = reflect.TypeFor[event.Account]()

// EachAccount calls do with every account that an event names.
func EachAccount(ev *event.Event, do func(event.Account)) {
	eachAccount(reflect.ValueOf(ev).Elem(), func(a *event.Account) {
		if !a.IsZero() {
			do(*a)
		}
	})
}

func eachAccount(v reflect.Value, do func(*event.Account)) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == accountType {
			do(v.Addr().Interface().(*event.Account))
			return
		}
		for i := range v.NumField() {
			eachAccount(v.Field(i), do)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			eachAccount(v.Elem(), do)
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer {
			for i := range v.Len() {
				eachAccount(v.Index(i), do)
			}
		}
	}
}

// cloned copies what v points to, and slices of structs.
func cloned(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(cloned(v.Field(i)))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(cloned(v.Elem()))
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Struct && !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(cloned(v.Index(i)))
			}
		}
	}
	return out
}
