package catalog

import (
	"strings"

	"meridian/ingest/event"
	"meridian/streaming/timeline"
)

// defaultProduction are the names of a catalog that lists none.
var defaultProduction = []owned{{"prod*", allTime}, {"production", allTime}, {"live", allTime}}

// pages is where GitHub deploys a repository's documentation to.
const pages = "github-pages"

// Production reports whether a deployment is one to production: because its
// payload says so, else by its environment's name. * in the catalog matches a
// missing name as well. github-pages is not, unless the catalog names it.
func (c *Catalog) Production(e event.Event) bool {
	if e.Deployment == nil {
		return false
	}
	if e.Deployment.OnlyIfNamed && e.Scope.Environment == "" {
		return true // whoever names a workflow as a deployment means production
	}
	return e.Deployment.SaysProduction || anyAt(c.environments.get(e.Scope.Environment, c.productionName), createdOr(&e))
}

// productionName gives the times during which an environment of this name is one.
func (c *Catalog) productionName(environment string) (during []timeline.Window) {
	production := defaultProduction
	if c.content.hasProduction {
		production = c.production
	}
	name := strings.ToLower(environment)
	for _, p := range production {
		if name == pages && p.pattern == pages || name != pages && wild(p.pattern, name) {
			during = append(during, p.window)
		}
	}
	return during
}
