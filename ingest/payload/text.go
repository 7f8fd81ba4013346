package payload

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"meridian/ingest/event"
)

// Learned is what free text said before it was dropped. It stands in a kept body
// where the text stood in the payload, under the name "meridian".
type Learned struct {
	IssueKeys []string `json:"issue_keys,omitempty"`
	Revert    bool     `json:"revert,omitempty"`
	Hotfix    bool     `json:"hotfix,omitempty"`
	Merge     bool     `json:"merge,omitempty"` // a commit of several parents

	CausedBy    []string `json:"caused_by,omitempty"`    // deployments that an incident names as its cause
	PullRequest int64    `json:"pull_request,omitempty"` // that a commit's message says it merges or squashes
}

// IsZero reports whether nothing was learned; encoding/json leaves it out then.
func (l Learned) IsZero() bool {
	return len(l.IssueKeys) == 0 && !l.Revert && !l.Hotfix && !l.Merge && len(l.CausedBy) == 0 && l.PullRequest == 0
}

// Marks are those of l.
func (l Learned) Marks() event.Marks { return event.Marks{Revert: l.Revert, Hotfix: l.Hotfix} }

const (
	maxScanned = 64 << 10 // bytes of one text: GitHub's own limit of a description
	maxKeys    = 50
	maxKey     = 40
)

var (
	issueKey    = regexp.MustCompile(`\b[A-Z][A-Z0-9_]+-[1-9][0-9]*\b`)
	revertTitle = regexp.MustCompile(`(?i)^\s*revert(s|ed|ing)?\b`)
	revertBody  = regexp.MustCompile(`(?m)^(This reverts commit [0-9a-f]{7,}|Reverts [\w.-]*(/[\w.-]+)?#[0-9]+)`)
	revertRef   = regexp.MustCompile(`^revert-[0-9]+-`)
	hotfix      = regexp.MustCompile(`(?i)\bhot-?fix(es)?\b`)
	mergedTitle = regexp.MustCompile(`^Merge pull request #([1-9][0-9]{0,17})\b|\(#([1-9][0-9]{0,17})\)\s*$`)
	mergeTitle  = regexp.MustCompile(`^Merge (pull request #[0-9]+|(remote-tracking )?branch(es)?|tag|commit)\b`)
)

// Learn reads a title, what follows it, and the name of a branch; each may be "".
func Learn(title, text, ref string) Learned {
	title, text, ref = clip(title), clip(text), clip(ref)
	return Learned{
		IssueKeys: issueKeys(title, text, ref),
		Revert:    revertTitle.MatchString(title) || revertBody.MatchString(text) || revertRef.MatchString(ref),
		Hotfix:    hotfix.MatchString(title) || hotfix.MatchString(ref),
	}
}

// LearnMessage reads a commit's message. Pushes do not list parents, so the
// words that git and GitHub write into merges say what is one.
func LearnMessage(message string) Learned {
	title, text, _ := strings.Cut(message, "\n")
	l := Learn(title, text, "")
	title = clip(title)
	l.Merge = mergeTitle.MatchString(title)
	if m := mergedTitle.FindStringSubmatch(title); m != nil {
		l.PullRequest, _ = strconv.ParseInt(m[1]+m[2], 10, 64) // its digits fit
	}
	return l
}

func clip(s string) string { return s[:min(len(s), maxScanned)] }

// issueKeys are sorted and each there once. Some are none (UTF-8, SHA-256):
// they match no issue, and do no harm.
func issueKeys(texts ...string) []string {
	var keys []string
	for _, text := range texts {
		for _, key := range issueKey.FindAllString(text, maxKeys) {
			if len(key) <= maxKey && !slices.Contains(keys, key) && len(keys) < maxKeys {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}
