package web

import (
	"context"
	"strings"

	"github.com/alexedwards/scs/v2"
)

// identity is what a session knows of whoever signed in: who they are, and not
// what they may do. That is worked out of the configuration at each request, so
// that a change of it holds for people who are in already.
type identity struct {
	Link bool // followed the link on the console

	// Of an identity provider. Subjects are unique for an issuer and never given
	// to somebody else; names and addresses can change hands.
	Issuer, Subject string
	Name            string
	Email           string // "" unless the issuer has verified it
	Groups          []string
	Token           string // the ID token, which opens nothing here; the provider wants it back at a sign-out
}

// Keys of a session.
const (
	signedIn     = "signed_in" // with a link
	issuerKey    = "issuer"
	subjectKey   = "subject"
	nameKey      = "name"
	emailKey     = "email"
	groupsKey    = "groups"
	tokenKey     = "id_token"
	groupsSpacer = "\n"
)

func (who identity) put(ctx context.Context, m *scs.SessionManager) {
	if who.Link {
		m.Put(ctx, signedIn, true)
		return
	}
	m.Put(ctx, issuerKey, who.Issuer)
	m.Put(ctx, subjectKey, who.Subject)
	m.Put(ctx, nameKey, who.Name)
	m.Put(ctx, emailKey, who.Email)
	m.Put(ctx, groupsKey, strings.Join(who.Groups, groupsSpacer))
	m.Put(ctx, tokenKey, who.Token)
}

func identityOf(ctx context.Context, m *scs.SessionManager) identity {
	who := identity{
		Link:   m.GetBool(ctx, signedIn),
		Issuer: m.GetString(ctx, issuerKey), Subject: m.GetString(ctx, subjectKey),
		Name: m.GetString(ctx, nameKey), Email: m.GetString(ctx, emailKey), Token: m.GetString(ctx, tokenKey),
	}
	if groups := m.GetString(ctx, groupsKey); groups != "" {
		who.Groups = strings.Split(groups, groupsSpacer)
	}
	return who
}

// known reports whether somebody has signed in who may under the present mode: a
// session of an identity provider is none after the mode was changed.
func (who identity) known(m Mode) bool {
	return who.Link || m == ModeOIDC && who.Issuer != "" && who.Subject != ""
}

// reader is who they are and what they may do.
func (who identity) reader(c *Config) *Reader {
	if who.Link {
		return owner()
	}
	if who.Issuer != c.OIDC.Issuer {
		return &Reader{} // the configuration has another provider now
	}
	r := &Reader{ID: "oidc:" + who.Issuer + "#" + who.Subject, Name: who.Name}
	if r.Name == "" {
		r.Name = who.Subject
	}
	c.grant(r, who.Subject, who.Groups)
	if who.Email != "" && c.PersonOf != nil {
		r.Person = c.PersonOf(who.Email)
	}
	return r
}
