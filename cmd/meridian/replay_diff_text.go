package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"meridian/web"
)

// diffText is the difference of two runs for a terminal.
func diffText(d web.RunDiff) string {
	var b strings.Builder
	t := d.Totals()
	fmt.Fprintf(&b, "Run %d compared with %d: %d windows are equal, %d differ, %d are in %d alone, %d in %d alone.\n",
		d.Second, d.First, t.Equal, t.Other, t.OnlyFirst, d.First, t.OnlySecond, d.Second)
	for _, c := range d.Causes {
		fmt.Fprintf(&b, "  %s\n", causeText(c))
	}
	if t.Differ() == 0 {
		return b.String()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "METRIC\tGRAIN\tEQUAL\tDIFFER\tONLY IN %d\tONLY IN %d\n", d.First, d.Second)
	for _, c := range d.Counts {
		if c.Differ() > 0 {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", c.Metric, c.Grain, c.Equal, c.Other, c.OnlyFirst, c.OnlySecond)
		}
	}
	_ = w.Flush()
	for _, x := range d.Windows {
		name := x.Team
		if x.Service != "" {
			name += ", service " + x.Service
		}
		fmt.Fprintf(&b, "\n%s  %s  %s %s to %s\n", x.Metric, name, x.Grain, x.Start, x.End)
		if x.Withheld {
			b.WriteString("  about people: its values are not compared here\n")
		} else {
			fmt.Fprintf(&b, "  %d: %s   %d: %s\n", d.First, sideText(x.First, x.Unit), d.Second, sideText(x.Second, x.Unit))
		}
		for _, c := range x.Why {
			fmt.Fprintf(&b, "  why: %s\n", causeText(c))
		}
		if e := x.Evidence; e.OnlyFirst+e.OnlySecond+e.Other > 0 {
			least := ""
			if e.AtLeast {
				least = ", at least"
			}
			fmt.Fprintf(&b, "  evidence: %d in %d alone, %d in %d alone, %d otherwise%s\n", e.OnlyFirst, d.First, e.OnlySecond, d.Second, e.Other, least)
			for _, i := range e.Items {
				in := map[string]string{"first": strconv.Itoa(int(d.First)), "second": strconv.Itoa(int(d.Second)), "both": "both"}[i.In]
				fmt.Fprintf(&b, "    in %s: %s %s, %s at %s\n", in, i.Item, i.Label, i.What, i.At)
			}
		}
	}
	if d.Next != nil {
		b.WriteString("\nThere are more; --limit lists more of them, --team, --metric and --grain others.\n")
	}
	return b.String()
}

func causeText(c web.RunCause) string {
	if c.Where == "" {
		return c.Text
	}
	return c.Text + " (" + c.Where + ")"
}

func sideText(s *web.RunDiffSide, unit string) string {
	switch {
	case s == nil:
		return "no row"
	case s.Value == nil:
		return fmt.Sprintf("no value (%s), n %d", s.Missing, s.N)
	}
	return fmt.Sprintf("%s %s, n %d", strconv.FormatFloat(*s.Value, 'f', -1, 64), unit, s.N)
}
