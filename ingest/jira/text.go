package jira

import (
	"encoding/json"
	"strings"
)

// freeText is a text that somebody wrote: a string, or on Cloud's newer API a
// document of nodes (ADF). It is read for what it says of causes and is never kept.
// Whatever stands in its place is no reason to refuse an issue.
type freeText string

// UnmarshalJSON never fails.
func (t *freeText) UnmarshalJSON(data []byte) error {
	*t = ""
	switch data[0] {
	case '"':
		var s string
		_ = json.Unmarshal(data, &s) // "" where it is none
		*t = freeText(s)
	case '{':
		var d node
		if json.Unmarshal(data, &d) == nil {
			var b strings.Builder
			d.write(&b, 0)
			*t = freeText(b.String())
		}
	}
	return nil
}

// node is one of a document. Those that hold others are lines of their own, but for
// what stands within a line, which holds text and no nodes.
type node struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Content []node `json:"content"`
	Attrs   struct {
		URL string `json:"url"`
	} `json:"attrs"`
}

const (
	maxNodes = 64       // one inside the other
	maxText  = 64 << 10 // bytes; as much as is looked at
)

func (n *node) write(b *strings.Builder, depth int) {
	if depth > maxNodes || b.Len() > maxText {
		return
	}
	switch n.Type {
	case "hardBreak":
		b.WriteByte('\n')
	case "inlineCard", "blockCard", "embedCard":
		b.WriteString(n.Attrs.URL)
	default:
		b.WriteString(n.Text)
	}
	for i := range n.Content {
		n.Content[i].write(b, depth+1)
	}
	if n.Text == "" && len(n.Content) > 0 {
		b.WriteByte('\n')
	}
}
