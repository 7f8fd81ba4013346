package payload

import (
	"regexp"
	"slices"
	"strings"
)

const (
	maxCauses = 20
	maxCause  = 300
)

// An incident says which deployment caused it in a line of its text or in a
// label: "Caused by: run-42", "caused-by:9f2c6b1", "deployment: https://...". A
// deployment is named by its id, by a commit that it deployed, or by its address.
var (
	causeLine  = regexp.MustCompile(`(?im)^[\s>*_-]*(?:caused[ -]by|(?:caused by )?deployment)[*_]*:[*_]*[ \t]*(\S+)[ \t\r]*$`)
	causeLabel = regexp.MustCompile(`(?i)^(?:caused-by|deployment):\s*(\S+)$`)
)

// LearnCauses reads an incident's labels and its texts.
func LearnCauses(labels []string, texts ...string) []string {
	var causes []string
	add := func(name string) {
		name = strings.Trim(name, "`<>\"'.,;{}[]()") // and what marks code and links
		if address := WebURL(name); address != "" {
			name = address
		} else if strings.ContainsAny(name, "@:?") {
			return // an address of a person, or of something that is no web page
		}
		if name != "" && len(name) <= maxCause && len(causes) < maxCauses && !slices.Contains(causes, name) {
			causes = append(causes, name)
		}
	}
	for _, l := range labels {
		if m := causeLabel.FindStringSubmatch(l); m != nil {
			add(m[1])
		}
	}
	for _, text := range texts {
		for _, m := range causeLine.FindAllStringSubmatch(clip(text), maxCauses) {
			add(m[1])
		}
	}
	slices.Sort(causes)
	return causes
}
