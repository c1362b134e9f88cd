package machine

import (
	"fmt"
	"strings"
)

// Doc returns the machine as Markdown: a Mermaid diagram, the rows, and a cell for every pair of state and event, so that
// a missing decision shows when the file is reviewed.
func Doc[S, E ~string, G any](t Table[S, E, G]) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n```mermaid\nstateDiagram-v2\n", t.Name)
	for _, r := range t.Rows {
		for _, f := range r.From {
			fmt.Fprintf(&b, "  %s --> %s: %s\n", mermaid(string(f)), mermaid(string(r.To)), r.On)
		}
	}
	b.WriteString("```\n\n| event | from | to | who | guard | effect |\n|---|---|---|---|---|---|\n")
	for _, r := range t.Rows {
		guard := ""
		if r.Guard != nil {
			guard = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.On, states(text(r.From)), states([]string{string(r.To)}), r.Who, guard, r.Note)
	}
	b.WriteString("\nWhat every event leads to in every state (– refused, ? if the guard allows):\n\n| |")
	all := t.States
	if t.Initial == "" {
		all = append([]S{t.Initial}, all...)
	}
	for _, s := range all {
		fmt.Fprintf(&b, " %s |", states([]string{string(s)}))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(all)) + "\n")
	for _, ev := range t.Events() {
		fmt.Fprintf(&b, "| %s |", ev)
		for _, s := range all {
			cell := "–"
			if r, ok := t.Row(s, ev); ok {
				cell = states([]string{string(r.To)})
				if r.Guard != nil {
					cell += " ?"
				}
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func mermaid(s string) string {
	if s == "" {
		return "[*]"
	}
	return s
}

func states(in []string) string {
	out := make([]string, len(in))
	for i, s := range in {
		if out[i] = s; s == "" {
			out[i] = "(none)"
		}
	}
	return strings.Join(out, ", ")
}
