package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// Token is an API token as it is stored: what it may do, and a hash of it. The
// token itself is seen once, by whoever makes it.
//
// Its reader has what the token names and its owner may: as of the owner's last
// sign-in, so that whoever loses a role loses it for their scripts too.
type Token struct {
	ID      string     `json:"id"`
	Label   string     `json:"label"`
	Hash    string     `json:"hash"` // SHA-256, in hex; tokens are random, so nothing slower is needed
	Roles   []string   `json:"roles"`
	Teams   []string   `json:"teams"` // patterns; empty: every team that the owner may see
	Owner   TokenOwner `json:"owner"`
	Created time.Time  `json:"created"`
	Expires time.Time  `json:"expires"`
	Used    time.Time  `json:"used,omitzero"` // to some minutes
}

// TokenOwner is who made a token and what they may do.
type TokenOwner struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Roles  Roles    `json:"roles"`
	Every  bool     `json:"every"`
	Teams  []string `json:"teams,omitempty"`
	Person string   `json:"person,omitempty"` // hex
}

func tokenOwner(r *Reader) TokenOwner {
	return TokenOwner{ID: r.ID, Name: r.Name, Roles: r.Roles, Every: r.Every, Teams: r.Teams}
}

// NewToken is what somebody asks for.
type NewToken struct {
	Label string
	Roles Roles
	Teams []string
	Life  time.Duration
}

// Lives of tokens.
const (
	TokenLife    = 90 * 24 * time.Hour  // where none is named
	LongestToken = 366 * 24 * time.Hour // a token that never ends is one that nobody remembers
	mostTokens   = 100                  // of one owner
	usedEvery    = 5 * time.Minute      // how exactly the last use is kept
)

// tokenPrefix lets scanners of leaked secrets know a token.
const tokenPrefix = "meridian_"

// MakeToken makes a token for a reader, with no more than they have, and returns
// it with what is kept of it.
func (s *Server) MakeToken(ctx context.Context, reader *Reader, n NewToken) (secret string, t Token, err error) {
	n.Label = strings.TrimSpace(n.Label)
	if n.Life == 0 {
		n.Life = TokenLife
	}
	switch {
	case s.config.Tokens == "":
		return "", t, notFound("This server keeps no tokens.")
	case reader.Looks || !reader.May(Viewer):
		return "", t, &Error{Status: http.StatusForbidden, Title: "No token for you", Detail: "Tokens are made by readers who have signed in."}
	case n.Label == "" || len(n.Label) > 60 || strings.ContainsFunc(n.Label, func(c rune) bool { return c < ' ' }):
		return "", t, badRequest("A token needs a name of at most 60 characters that says what it is for.")
	case n.Life < time.Minute || n.Life > LongestToken:
		return "", t, badRequest("A token lives for at most 366 days.")
	case n.Roles == 0 || n.Roles&^reader.Roles != 0:
		return "", t, badRequest("A token needs roles, and can have no other than yours: %s.", reader.Roles)
	}
	for _, team := range n.Teams {
		if _, err := path.Match(team, ""); err != nil || team == "" {
			return "", t, badRequest("%q is no team and no pattern of teams.", team)
		}
	}
	secret = tokenPrefix + rand.Text()
	t = Token{
		ID: strings.ToLower(rand.Text()[:8]), Label: n.Label, Hash: hashToken(secret), Roles: strings.Split((n.Roles | Viewer).String(), ", "), Teams: n.Teams,
		Owner: tokenOwner(reader), Created: s.now().UTC().Truncate(time.Second), Expires: s.now().Add(n.Life).UTC().Truncate(time.Second),
	}
	t.Owner.Person = personHex(reader.Person)
	if err := s.record(ctx, reader, "make", "token "+t.ID, n.Label+"; "+strings.Join(t.Roles, ", ")+"; until "+t.Expires.Format(time.DateOnly)); err != nil {
		return "", t, err
	}
	if err := s.tokens.add(t); err != nil {
		return "", t, err
	}
	return secret, t, nil
}

// Tokens lists those of a reader, the newest first; of an admin who asks for
// all, everybody's.
func (s *Server) Tokens(reader *Reader, all bool) []Token {
	list := s.tokens.list(func(t *Token) bool { return all && reader.May(Admin) || t.Owner.ID == reader.ID })
	slices.SortFunc(list, func(a, b Token) int { return b.Created.Compare(a.Created) })
	return list
}

// RevokeToken ends a token of the reader's own, or as an admin anybody's.
func (s *Server) RevokeToken(ctx context.Context, reader *Reader, id string) error {
	t, ok := s.tokens.find(id)
	if !ok || t.Owner.ID != reader.ID && !reader.May(Admin) { // that somebody else has one of that name is nobody's business
		return notFound("You have no token %q.", id)
	}
	if err := s.record(ctx, reader, "revoke", "token "+t.ID, t.Label+" of "+t.Owner.ID); err != nil {
		return err
	}
	return s.tokens.remove(id)
}

func hashToken(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// ofBearer returns whose token a request carries, or nil.
func (s *Server) ofBearer(r *http.Request) *Reader {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if secret = strings.TrimSpace(secret); secret == "" || !strings.EqualFold(scheme, "Bearer") {
		return nil
	}
	// Hashed first, so that not even the length shows in the time it takes.
	got, want := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(s.config.APIToken))
	if s.config.APIToken != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
		return &Reader{ID: "token:auth.token", Name: "the configured token", Roles: Viewer | Admin, Every: true, Looks: true}
	}
	t, ok := s.tokens.use(hex.EncodeToString(got[:]), s.now())
	if !ok {
		return nil
	}
	return t.reader()
}

// AdminToken returns whose token a request carries, if that token may run the
// instance: one that was made with the role admin, for all teams. Else nil. The
// token of the configuration only looks, and is none.
func (s *Server) AdminToken(r *http.Request) *Reader {
	reader := s.ofBearer(r)
	if reader == nil || reader.Looks || !reader.May(Admin) || !reader.AllowsAll() {
		return nil
	}
	return reader
}

// reader is who a token reads as: what it names, within what its owner may.
func (t *Token) reader() *Reader {
	r := &Reader{ID: "token:" + t.ID, Name: t.Label + " of " + t.Owner.Name, Every: len(t.Teams) == 0, Teams: t.Teams, Person: personOfHex(t.Owner.Person)}
	for _, name := range t.Roles {
		role, _ := RoleNamed(name)
		r.Roles |= role
	}
	r.Roles &= t.Owner.Roles
	r.within = &Reader{Roles: t.Owner.Roles, Every: t.Owner.Every, Teams: t.Owner.Teams}
	return r
}
