package web

import "net/http"

func (s *Server) apiRuns(w http.ResponseWriter, r *http.Request) error {
	p := newParams(r.URL.Query(), "format")
	if p.format(); p.err != nil {
		return p.err
	}
	as, err := s.guard.AsOf(r.Context())
	if err != nil {
		return err
	}
	var items []Run
	if s.config.Runs != nil {
		list, err := s.config.Runs.Runs(r.Context())
		if err != nil {
			return unavailable(err)
		}
		items = list.Items
	}
	return writeList(w, r, items, as, "")
}

func (s *Server) apiRun(w http.ResponseWriter, r *http.Request) error {
	run, err := s.runOf(r)
	if err != nil {
		return err
	}
	if run.Audit != nil && !ReaderOf(r.Context()).May(Admin) {
		for i := range run.Audit.Tables {
			run.Audit.Tables[i].Examples = []string{} // rows are of all teams
		}
	}
	return writeJSON(w, run)
}

func (s *Server) apiRunDiff(w http.ResponseWriter, r *http.Request) error {
	run, err := s.runOf(r)
	if err != nil {
		return err
	}
	q, err := ReadRunDiff(run.Number, r.URL.Query())
	if err != nil {
		return err
	}
	d, err := s.config.Runs.Diff(r.Context(), q)
	if err != nil {
		return err
	}
	// Whoever sees some teams is told of theirs; counts are of all.
	reader := ReaderOf(r.Context())
	kept := d.Windows[:0]
	for _, x := range d.Windows {
		if reader.Allows(x.Team) {
			kept = append(kept, x)
		}
	}
	d.Windows = kept
	return writeJSON(w, d)
}
