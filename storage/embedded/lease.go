package embedded

import (
	"maps"
	"slices"
	"strings"
)

// lease is a connection of the pool and what it currently has set.
type lease struct {
	*connection
	name     string // its log_comment, by which KILL QUERY finds what it runs
	database string
	settings map[string]string
}

// prepare makes the connection's database and settings those of a request: what differs from the last request is set, what
// that one had and this one has not goes back to its default.
func (l *lease) prepare(database string, settings map[string]string) error {
	var changes []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if old, ok := l.settings[name]; !ok || old != settings[name] {
			changes = append(changes, quoteName(name)+" = "+quoteText(settings[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.settings)) {
		if _, ok := settings[name]; !ok {
			changes = append(changes, quoteName(name)+" = DEFAULT")
		}
	}
	if database == "" {
		database = "default"
	}
	if database != l.database {
		if err := l.exec("USE " + quoteName(database)); err != nil {
			return err
		}
		l.database = database
	}
	if len(changes) == 0 {
		return nil
	}
	if err := l.exec("SET " + strings.Join(changes, ", ")); err != nil {
		return err
	}
	l.settings = maps.Clone(settings)
	return nil
}

func (c *connection) exec(sql string) error {
	r, err := c.query([]byte(sql), "Null")
	if err != nil {
		return err
	}
	r.release()
	return nil
}

func quoteName(name string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(name) + "`"
}

func quoteText(text string) string {
	return "'" + strings.NewReplacer("\\", "\\\\", "'", "\\'").Replace(text) + "'"
}
