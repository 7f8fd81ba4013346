package views

// Catalog is the page of what the catalog says on a date.
type Catalog struct {
	Page       Page
	Date       string
	Today      bool
	Here       string // the page's address
	Schema     string // address of the schema
	Hash, Zone string
	Production string
	Names      bool // of people may be shown
	Pending    bool // another one was taken, and history is computed by it
	Changes    []string
	Trouble    string // with the file on disk
	Teams      []CatalogTeam
	Services   []CatalogService
	Unassigned []Link          // what has numbers and no team
	People     []CatalogPerson // none for those who may not see names
}

// CatalogTeam is a team on the page's date.
type CatalogTeam struct {
	Name, Href, Group, Zone, Hours, Holidays, Repositories, Jira, Services, People string

	Zones   string // from where those of its people are known
	Unknown string // how many were active that it does not name; "": none, or nobody may know
}

// CatalogPerson is a person on the page's date.
type CatalogPerson struct{ Name, Teams, Accounts, Zone, From string }

// CatalogService is a service on the page's date.
type CatalogService struct{ Name, Repositories, Paths, Deploys string }
