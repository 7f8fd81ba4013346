package jira

import (
	"regexp"
	"slices"
	"strings"

	"meridian/ingest/payload"
)

// issueLearned is what stands in a kept body instead of an issue's texts, and of
// those items of its changelog that are no transitions.
type issueLearned struct {
	CausedBy   []string `json:"caused_by,omitempty"`
	FormerKeys []string `json:"former_keys,omitempty"`
}

// IsZero reports whether nothing was learned; encoding/json leaves it out then.
func (l issueLearned) IsZero() bool { return len(l.CausedBy) == 0 && len(l.FormerKeys) == 0 }

// size is how many bytes each event repeats of it.
func (l issueLearned) size() (n int) {
	for _, s := range slices.Concat(l.CausedBy, l.FormerKeys) {
		n += len(s)
	}
	return n
}

// learn reads the texts and drops them. changed is the changelog of a webhook,
// which stands beside its issue.
func (i *issue) learn(changed *changelog, kept bool) {
	f := i.Fields
	if !kept {
		i.Learned = issueLearned{FormerKeys: formerKeys(i.Key, changed, i.Changelog)}
		if f != nil {
			i.Learned.CausedBy = payload.LearnCauses(f.Labels, string(f.Summary), string(f.Description))
		}
	}
	if f != nil {
		f.Summary, f.Description = "", ""
	}
}

const maxFormerKeys = 20

var plainIssueKey = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,30}-[1-9][0-9]{0,17}$`)

// formerKeys are those that an issue had before it was moved. The item of the field
// "project", which a move has too, tells numbers and titles of projects only.
func formerKeys(now string, logs ...*changelog) []string {
	var keys []string
	add := func(items []item) {
		for _, it := range items {
			key := it.FromName
			if !strings.EqualFold(it.Field, "key") || strings.EqualFold(it.Type, "custom") || key == now || len(keys) == maxFormerKeys {
				continue
			}
			if plainIssueKey.MatchString(key) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	for _, c := range logs {
		if c == nil {
			continue
		}
		add(c.Items)
		for _, h := range c.Histories {
			add(h.Items)
		}
	}
	slices.Sort(keys)
	return keys
}
