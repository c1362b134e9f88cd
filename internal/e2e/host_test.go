package main

import (
	"slices"
	"testing"
)

// excused are the only scenarios that a host need not pass, because it cannot do what they show.
func excused() map[string][]string {
	return map[string][]string{
		"opencode": {"probe", "proven", "clear"},
		"gemini":   {"subagent", "background", "proven", "interrupt", "compaction"},
	}
}

// everywhere are the scenarios that are about every host.
func everywhere() []string {
	return []string{
		"plain", "edit", "probe", "proven", "subagent", "background", "devserver", "resume", "interrupt", "failure", "kill", "compaction", "clear",
		"two sessions", "worktrees", "gone", "probe off", "requests", "presence",
	}
}

func TestEveryHostPlaysEveryScenarioButTheExcusedOnes(t *testing.T) {
	for _, h := range hosts() {
		cells := h.cells()
		for _, name := range everywhere() {
			c, ok := cells[name]
			switch excuse := slices.Contains(excused()[h.name()], name); {
			case !ok:
				t.Errorf("%s: no cell for %q", h.name(), name)
			case excuse && c.never == "":
				t.Errorf("%s passes %q now: take its excuse out", h.name(), name)
			case !excuse && c.never != "":
				t.Errorf("%s: %q is not excused: %s", h.name(), name, c.never)
			case !excuse && c.run == nil:
				t.Errorf("%s: %q is never run", h.name(), name)
			}
		}
		for name, c := range cells {
			known := slices.ContainsFunc(scenarios(), func(s scenario) bool { return s.name == name })
			if !known {
				t.Errorf("%s: a cell for %q, which is no scenario", h.name(), name)
			}
			if c.never != "" && !slices.Contains(everywhere(), name) {
				t.Errorf("%s: %q is not excused", h.name(), name)
			}
		}
	}
}

func TestScenariosAreChosenByParts(t *testing.T) {
	for _, c := range []struct {
		name, texts string
		want        bool
	}{
		{"kill", "", true},
		{"kill", "kill", true},
		{"two sessions", "kill, session", true},
		{"kill", "interrupt,clear", false},
	} {
		if got := has(c.name, c.texts); got != c.want {
			t.Errorf("has(%q, %q) = %t", c.name, c.texts, got)
		}
	}
}

func TestAModelReadsItsRunInBothForms(t *testing.T) {
	const run = "run_00000001a4a97e59dc1cef43e0ff173a"
	for _, text := range []string{
		"board: run " + run + " revision 2 issue SHOP-1\nmore",
		`{"caller":{"run_id":"` + run + `","run_revision":2,"issue_key":"SHOP-1"}}`,
	} {
		if m := firstLine.FindStringSubmatch(text); m == nil || m[1] != run || m[2] != "2" {
			t.Errorf("%q: %q", text, m)
		}
	}
}
