package views

import "unicode/utf8"

// ChartFile is a chart as a file of its own. It carries its colours as attributes:
// no style sheet comes along, and the policy forbids one inside.
type ChartFile struct {
	Title, Note string
	Chart       Chart
}

// Badge is a small picture of one number.
type Badge struct {
	Name, Text, Title string
	left, right       int // widths
}

// NewBadge lays out a badge. Text has no width that a server knows, so each
// character gets that of an average one, and the text is stretched to it.
func NewBadge(name, text, reason string) Badge {
	width := func(s string) int { return utf8.RuneCountInString(s)*13/2 + 12 }
	b := Badge{Name: name, Text: text, Title: name + ": " + text, left: width(name), right: width(text)}
	if reason != "" {
		b.Title += ". " + reason
	}
	return b
}

// coloursOf gives shapes of a chart their colours by class.
func coloursOf(class string) (fill, stroke string) {
	switch class {
	case "bar provisional", "dot provisional":
		return "#dbe5fa", "#2c5fd5"
	case "dot revised":
		return "#a4480a", "#ffffff"
	case "dot":
		return "#2c5fd5", "#ffffff"
	}
	return "#2c5fd5", "none"
}

func fillOf(class string) string   { f, _ := coloursOf(class); return f }
func strokeOf(class string) string { _, s := coloursOf(class); return s }

// mark is a legend's key as a character.
func (l legend) mark() string {
	switch l.Class {
	case "provisional":
		return "╌ "
	case "other":
		return "┄ "
	case "revised":
		return "● "
	case "was":
		return "○ "
	case "p90", "gap", "goal":
		return "▒ "
	}
	return "— "
}
