package views

// DORA is the page of DORA's five: each with the facts that it was able to use,
// and what is missing to compute the rest.
type DORA struct {
	Page   Page
	Period string
	Zone   string
	Teams  []Link
	UpTo   UpTo
	Five   []DORAMetric // none before the first numbers
}

// DORAMetric is one of the five.
type DORAMetric struct {
	ID       string
	Question string
	Stat     Stat
	Used     []string
	Lacks    []DORALack
	Exports  []Link
	LeftOut  []string // what does not count by definition, and lacks nothing
}

// DORALack is something that could not be computed, and what to do about it.
type DORALack struct{ Text, Todo string }
