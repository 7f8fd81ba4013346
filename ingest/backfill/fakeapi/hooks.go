package fakeapi

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Redelivered is which deliveries of a webhook were asked for again, in order; hook
// is its key in Hooks.
func (g *GitHub) Redelivered(hook string) []int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if h := g.Hooks[hook]; h != nil {
		return slices.Clone(h.redelivered)
	}
	return nil
}

// hooks answers about the webhooks of an organisation or a repository.
func (g *GitHub) hooks(w http.ResponseWriter, r *http.Request, of, rest []string) {
	prefix := strings.Join(of, "/") + "/"
	if len(rest) > 0 {
		g.hook(w, r, prefix+rest[0], rest[1:])
		return
	}
	var list []Object
	for key, h := range g.Hooks {
		if strings.HasPrefix(key, prefix) {
			list = append(list, h.Object)
		}
	}
	slices.SortFunc(list, func(a, b Object) int { return int(asInt(a["id"]) - asInt(b["id"])) })
	writeJSON(w, http.StatusOK, g.page(w, r, list))
}

// hook answers about one webhook: its configuration, its deliveries, and the
// request for another attempt.
func (g *GitHub) hook(w http.ResponseWriter, r *http.Request, key string, p []string) {
	h := g.Hooks[key]
	switch {
	case h == nil:
		refuse(w, http.StatusNotFound, "Not Found")
	case len(p) == 0 || p[0] == "config":
		if len(p) == 1 {
			writeJSON(w, http.StatusOK, h.Object["config"])
			return
		}
		writeJSON(w, http.StatusOK, h.Object)
	case p[0] == "deliveries" && len(p) == 1:
		g.deliveries(w, r, h)
	case p[0] == "deliveries" && len(p) == 3 && p[2] == "attempts" && r.Method == http.MethodPost:
		id, _ := strconv.ParseInt(p[1], 10, 64)
		h.redelivered = append(h.redelivered, id)
		if g.OnRedeliver != nil {
			g.OnRedeliver(h, id)
		}
		writeJSON(w, http.StatusAccepted, Object{})
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

// deliveries is paged by a cursor, unlike everything else.
func (g *GitHub) deliveries(w http.ResponseWriter, r *http.Request, h *Hook) {
	size := number(r, "per_page", 30)
	if g.PageSize > 0 {
		size = min(size, g.PageSize)
	}
	from := 0
	if cursor, ok := strings.CutPrefix(r.URL.Query().Get("cursor"), "v1_"); ok {
		from, _ = strconv.Atoi(cursor)
	}
	from = min(from, len(h.Deliveries))
	to := min(len(h.Deliveries), from+size)
	if to < len(h.Deliveries) {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?per_page=%d&cursor=v1_%d>; rel="next"`, r.Host, r.URL.Path, size, to))
	}
	writeJSON(w, http.StatusOK, append([]Object{}, h.Deliveries[from:to]...))
}
