package projects

import (
	"strings"
	"testing"
)

func TestDerive(t *testing.T) {
	for _, c := range []struct{ name, taken, want string }{
		{"board", "", "BOARD"},
		{"kanban", "", "KAN"},
		{"kanban", "KAN", "KANB"},
		{"kanban", "KAN KANB KANBA", "KAN2"},
		{"kanban", "KAN KANB KANBA KAN2", "KAN3"},
		{"my-cool-app", "", "MCA"},
		{"my-cool-app", "MCA", "MYC"},
		{"one.two_three four-five-six", "", "OTTFF"},
		{"webShop", "", "WS"},
		{"web2", "", "WEB"},
		{"go", "", "GO"},
		{"x", "", "PRJ"},
		{"日本語", "", "PRJ"},
		{"日本語", "PRJ", "PRJ2"},
		{"été-api", "", "TA"},
		{"", "", "PRJ"},
	} {
		taken := map[string]bool{}
		for _, p := range strings.Fields(c.taken) {
			taken[p] = true
		}
		got := derive(c.name, taken)
		if got != c.want || !wellFormed(got) {
			t.Errorf("derive(%q) with %q taken = %s, want %s", c.name, c.taken, got, c.want)
		}
	}
}
