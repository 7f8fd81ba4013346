package catalog

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"meridian/streaming/timeline"
)

// reader reads the nodes of one file. Whatever it cannot read becomes a problem
// with its line, and reading goes on, so that all of them come at once.
type reader struct {
	file string
	*collector
}

func (r *reader) at(n *yaml.Node) place { return place{r.file, n.Line} }

func (r *reader) problem(n *yaml.Node, format string, args ...any) {
	r.add(r.at(n), format, args...)
}

// real is what an alias stands for.
func real(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// absent reports a key without a value, which is as if it were not there.
func absent(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

// field is a key of a mapping and how to read its value.
type field struct {
	name string
	read func(*yaml.Node)
}

// mapping reads the fields of a mapping; what is the thing's name in sentences.
func (r *reader) mapping(n *yaml.Node, what string, fields ...field) bool {
	n = real(n)
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s must be a mapping of names to values; write %s", what, sample(fields))
		return false
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], real(n.Content[i+1])
		if first, ok := seen[key.Value]; ok {
			r.problem(key, "%s says %q twice, first in line %d; keep one", what, key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		if at < 0 {
			r.problem(key, "%s has no field %q; %s", what, key.Value, choices(key.Value, fieldNames(fields)))
			continue
		}
		if !absent(value) {
			fields[at].read(value)
		}
	}
	return true
}

func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

func sample(fields []field) string {
	names := fieldNames(fields)
	return "{" + strings.Join(names[:min(2, len(names))], ": ..., ") + ": ...}"
}

// choices says what could have been meant.
func choices(got string, names []string) string {
	if best := Nearest(got, names); best != "" {
		return "did you mean " + best + "?"
	}
	return "it has " + strings.Join(names, ", ")
}

// pairs gives the keys and values of a mapping whose keys are free.
func (r *reader) pairs(n *yaml.Node, what string, each func(key, value *yaml.Node)) {
	n = real(n)
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s must be a mapping of names to values", what)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if first, ok := seen[key.Value]; ok {
			r.problem(key, "%s says %q twice, first in line %d; keep one", what, key.Value, first)
			continue
		}
		seen[key.Value] = key.Line
		each(key, real(n.Content[i+1]))
	}
}

// text reads a scalar that is not empty. Numbers and dates are texts too: an
// account may be called 0815.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	n = real(n)
	if n.Kind == yaml.SequenceNode {
		r.problem(n, "%s must be one text and not a list", what)
		return "", false
	}
	if n.Kind != yaml.ScalarNode || absent(n) {
		r.problem(n, "%s must be a text", what)
		return "", false
	}
	s := strings.TrimSpace(n.Value)
	if s == "" {
		r.problem(n, "%s is empty; write it or leave the field out", what)
		return "", false
	}
	return s, true
}

// nameField reads the one field that nothing goes without. Named, called after
// the mapping was read, reports whether it is there.
func (r *reader) nameField(what string, to *string) (f field, named func(n *yaml.Node, example string) bool) {
	said := false
	f = field{"name", func(n *yaml.Node) {
		said = true
		*to, _ = r.text(n, "the name of "+what)
	}}
	return f, func(n *yaml.Node, example string) bool {
		if !said {
			r.problem(n, "%s has no name; write name: %s", what, example)
		}
		return *to != ""
	}
}

// elements gives the nodes of a list; a single value is a list of one.
func (r *reader) elements(n *yaml.Node) []*yaml.Node {
	n = real(n)
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// texts reads a list of texts.
func (r *reader) texts(n *yaml.Node, what string) []string {
	var list []string
	for _, element := range r.elements(n) {
		if s, ok := r.text(element, what); ok {
			list = append(list, s)
		}
	}
	return list
}

func (r *reader) date(n *yaml.Node, to *timeline.Date) {
	s, ok := r.text(n, "a date")
	if !ok {
		return
	}
	d, err := timeline.ParseDate(s)
	if err != nil {
		r.problem(n, "%s", sentence(err))
		return
	}
	*to = d
}

// isDated reports a mapping {value, from, to}.
func isDated(n *yaml.Node) bool {
	n = real(n)
	if n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == "value" {
			return true
		}
	}
	return false
}

// span reads {value, from, to} under the name that the value has there. It
// returns the value's node, nil where there is none.
func span[T any](r *reader, n *yaml.Node, value, what string, e *entry[T]) (found *yaml.Node) {
	e.from, e.to = always, forever
	ok := r.mapping(n, what+" with dates",
		field{value, func(n *yaml.Node) { found = n }},
		field{"from", func(n *yaml.Node) { r.date(n, &e.from) }},
		field{"to", func(n *yaml.Node) { r.date(n, &e.to) }})
	if ok && found == nil {
		r.problem(n, "%s with dates has no %s; write {%s: ..., from: 2026-03-01, to: 2026-03-31}, from or to may be left out", what, value, value)
	}
	if e.from > e.to {
		r.problem(n, "%s ends on %s, before it begins on %s; both dates are inclusive", what, e.to, e.from)
	}
	return found
}

// readDated reads one value, or a list of {value, from, to}.
func readDated[T any](r *reader, n *yaml.Node, what string, read func(*yaml.Node) (T, bool)) dated[T] {
	if n = real(n); n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		return nil
	}
	if n.Kind == yaml.SequenceNode && !isDated(n.Content[0]) {
		r.problem(n, "%s is one value and not a list; where it changed, write [{value: ..., to: 2026-02-28}, {value: ..., from: 2026-03-01}]", what)
		return nil
	}
	return readDatedLists(r, n, what, read)
}

// readDatedLists is readDated for values that are lists themselves.
func readDatedLists[T any](r *reader, n *yaml.Node, what string, read func(*yaml.Node) (T, bool)) dated[T] {
	n = real(n)
	if !isDated(n) && (n.Kind != yaml.SequenceNode || len(n.Content) == 0 || !isDated(n.Content[0])) {
		if v, ok := read(n); ok {
			return dated[T]{{v, always, forever}}
		}
		return nil
	}
	var ds dated[T]
	for _, element := range r.elements(n) {
		var e entry[T]
		value := span(r, element, "value", what, &e)
		if value == nil {
			continue
		}
		var ok bool
		if e.value, ok = read(value); !ok {
			continue
		}
		if slices.ContainsFunc(ds, func(other entry[T]) bool { return other.from == e.from }) {
			r.problem(element, "two values of %s begin on the same day; give the second another from", what)
			continue
		}
		ds = append(ds, e)
	}
	return ds
}

// readList reads a list of texts, each of which may have dates.
func readList(r *reader, n *yaml.Node, what string, valid func(*yaml.Node, string) bool) []entry[string] {
	var list []entry[string]
	for _, element := range r.elements(n) {
		e := entry[string]{from: always, to: forever}
		value := element
		if isDated(element) {
			if value = span(r, element, "value", what, &e); value == nil {
				continue
			}
		}
		values := []*yaml.Node{value}
		if value != element { // a value with dates may be a list
			values = r.elements(value)
		}
		for _, element := range values {
			if s, ok := r.text(element, what); ok && valid(element, s) {
				e.value = s
				list = append(list, e)
			}
		}
	}
	return list
}

// anything is a text that needs no further rule.
func anything(*yaml.Node, string) bool { return true }

// sentence is an error's text without this package's prefixes.
func sentence(err error) string { return strings.TrimPrefix(err.Error(), "timeline: ") }
