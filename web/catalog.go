package web

import (
	"net/http"
	"strings"

	"meridian/streaming/timeline"
	"meridian/web/language"
	"meridian/web/views"
)

// Catalog knows what the catalog says.
type Catalog interface {
	// On is the catalog of the numbers that readers see, as it is on a local date.
	On(d timeline.Date) CatalogView

	// Changes are what a catalog that was taken and is not that of the numbers yet
	// changes, as sentences; of people only for those who may see names. pending
	// says that there is one, trouble what is wrong with the one on disk.
	Changes(names bool) (changes []string, pending bool, trouble string)
}

// CatalogView is the catalog on a date, as pages show it.
type CatalogView struct {
	Hash       string
	Zone       string
	Production []string
	Teams      []CatalogTeam
	Services   []CatalogService
	People     []CatalogPerson
}

// CatalogTeam is a team on a date.
type CatalogTeam struct {
	Name, Group, Zone, Hours, Holidays string
	Repositories, Jira, Services       []string
	People                             []string // names
}

// CatalogPerson is a person on a date.
type CatalogPerson struct {
	Name            string
	Teams, Accounts []string
	Zone            string
	ZoneFrom        ZoneFrom
}

// ZoneFrom is what says which zone a person is in.
type ZoneFrom struct {
	Own          bool
	Team         string // else the first of theirs that has one
	Organisation bool   // else the organisation; else the instance, for lack of better
}

func zoneFrom(say *language.Words, f ZoneFrom) string {
	switch {
	case f.Own:
		return say.Catalog.FromPerson
	case f.Team != "":
		return say.Catalog.FromTeam(f.Team)
	case f.Organisation:
		return say.Catalog.FromOrganisation
	}
	return say.Catalog.FromInstance
}

// CatalogService is a service on a date.
type CatalogService struct {
	Name                         string
	Repositories, Paths, Deploys []string
}

func (s *Server) catalogPage(w http.ResponseWriter, r *http.Request) error {
	if s.config.Catalog == nil {
		return notFound("This server has no catalog.")
	}
	p := newParams(r.URL.Query(), "at")
	on := p.text("at")
	if p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	today := s.directory.Zone().Date(timeline.FromTime(s.now()))
	date := today
	if on != "" {
		if date, err = timeline.ParseDate(on); err != nil {
			return badRequest("Parameter at: %s.", strings.TrimPrefix(err.Error(), "timeline: "))
		}
	}
	c := s.config.Catalog.On(date)
	names := s.admin(r)
	say := language.Of(r.Context())
	v := views.Catalog{
		Page: s.page(r, say.Common.Catalog, "catalog", as), Date: date.String(), Today: date == today, Here: s.site(r).Path("catalog"), Schema: s.base + "/schemas/catalog.json",
		Hash: c.Hash, Zone: c.Zone, Production: strings.Join(c.Production, ", "), Names: names,
	}
	v.Changes, v.Pending, v.Trouble = s.config.Catalog.Changes(names)
	join := func(list []string) string { return strings.Join(list, ", ") }
	for _, t := range c.Teams {
		people := say.Catalog.PeopleIn(len(t.People))
		if names {
			people = join(t.People)
		}
		v.Teams = append(v.Teams, views.CatalogTeam{
			Name: t.Name, Href: s.site(r).Path("teams", t.Name), Group: t.Group, Zone: t.Zone, Hours: t.Hours, Holidays: t.Holidays,
			Repositories: join(t.Repositories), Jira: strings.ToUpper(join(t.Jira)), Services: join(t.Services), People: people,
		})
	}
	for _, x := range c.Services {
		v.Services = append(v.Services, views.CatalogService{Name: x.Name, Repositories: join(x.Repositories), Paths: join(x.Paths), Deploys: join(x.Deploys)})
	}
	if names {
		for _, x := range c.People {
			v.People = append(v.People, views.CatalogPerson{
				Name: x.Name, Teams: join(x.Teams), Accounts: join(x.Accounts), Zone: x.Zone, From: zoneFrom(say, x.ZoneFrom),
			})
		}
	}
	if err := s.outside(r, &v, as, c); err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, v.Render())
}
