package views

// Status is the page that says whether the machine works.
type Status struct {
	Page   Page
	OK     bool
	Title  string
	Parts  []Part
	Engine []Fact
	Shards []string

	Exports []Link
}

// Part is one dependency or part.
type Part struct {
	Name, Detail string
	OK           bool
}

// SignIn asks for the one-time link, or sends people to where they sign in.
type SignIn struct {
	Page     Page
	Wrong    bool   // a link was used that is not valid
	Provider string // identity provider; "": there is none
	Start    string // where signing in at the provider begins
	Proxy    bool   // a proxy signs people in
	Action   string
}

// SignedIn follows the one-time link.
type SignedIn struct {
	Page Page
	Next string
}

// SignedOut goes on to the identity provider, which signs its part out.
type SignedOut struct {
	Page     Page
	Next     string
	Provider string
}

// Problem says what went wrong, to a person.
type Problem struct {
	Page      Page
	Status    string
	Title     string
	Detail    string
	RequestID string
}
