package web

import (
	"net/http"
	"slices"
	"strings"
)

// nothing answers what no route is for: an address under which another method is
// known gets 405 with those methods, all others 404.
//
// The mux itself cannot say 405 here, because its last pattern, "/", takes every
// method of every address.
func (s *Server) nothing(routes []route) handler {
	paths, methods := http.NewServeMux(), map[string][]string{}
	for _, rt := range routes {
		if methods[rt.Pattern] == nil {
			paths.Handle(rt.Pattern, http.NotFoundHandler())
		}
		methods[rt.Pattern] = append(methods[rt.Pattern], rt.Method)
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		_, pattern := paths.Handler(r)
		list := slices.Clone(methods[pattern])
		if len(list) == 0 {
			return notFound("Nothing lives at this address.")
		}
		if slices.Contains(list, http.MethodGet) {
			list = append(list, http.MethodHead)
		}
		slices.Sort(list)
		w.Header().Set("Allow", strings.Join(list, ", "))
		return &Error{
			Status: http.StatusMethodNotAllowed, Title: "Not with this method",
			Detail: "This address is there for " + strings.Join(list, " and ") + ".",
		}
	}
}
