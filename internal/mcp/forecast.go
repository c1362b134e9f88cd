package mcp

import (
	"fmt"
	"strings"

	"board/internal/issues"
)

// Limits of the collisions in an answer: it is about the Issue, and they are a note.
const (
	maxCollisions = 5
	maxPathBytes  = 160
)

type collisionRow struct {
	Run   string   `json:"run"`
	Host  string   `json:"host"`
	Issue string   `json:"issue,omitempty"`
	Paths []string `json:"paths"`
	More  int      `json:"more,omitempty"`
}

// forecast is who else works on the same files, in both forms: one line for each run.
func forecast(all []issues.Collision) ([]collisionRow, string) {
	var rows []collisionRow
	var b strings.Builder
	for _, c := range all[:min(len(all), maxCollisions)] {
		r := collisionRow{Run: c.Run, Host: c.Host, Issue: c.Issue, Paths: []string{}, More: c.More}
		var shown []string
		for _, p := range c.Paths {
			p = clip(p, maxPathBytes)
			r.Paths = append(r.Paths, p)
			shown = append(shown, showPath(p))
		}
		who := c.Host
		if c.Issue != "" {
			who += ", " + c.Issue
		}
		fmt.Fprintf(&b, "note: %s (%s) also changed %s", c.Run, who, strings.Join(shown, ", "))
		if c.More > 0 {
			fmt.Fprintf(&b, " and %d more", c.More)
		}
		b.WriteString("\n")
		rows = append(rows, r)
	}
	if more := len(all) - len(rows); more > 0 {
		fmt.Fprintf(&b, "note: so did %d more runs\n", more)
	}
	return rows, b.String()
}

// showPath is a path as it is where it is plain, else quoted like any foreign text.
func showPath(p string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@"
	if p != "" && strings.Trim(p, plain) == "" {
		return p
	}
	return quote(p)
}
