package cli

import (
	"fmt"
	"slices"

	"board/internal/adapters"
	"board/internal/doctor"
)

// bothScopes warns of an installation beside one in the other scope; "" where there is none.
func bothScopes(w doctor.World, host string, scope adapters.Scope) string {
	other, where := adapters.ScopeProject, "in the work tree "+w.Project
	if scope == adapters.ScopeProject {
		other, where = adapters.ScopeUser, "for all of your sessions"
	}
	if w.Project == "" {
		return ""
	}
	found, err := adapters.Inspect(w.Target(host, other))
	if err != nil || doctor.Written(found) == doctor.NotInstalled {
		return ""
	}
	return fmt.Sprintf("Board is also written %s: sessions there report each event by two commands. To keep one: board host remove %s takes a --scope.", where, host)
}

// leftIn says where a removal for the user leaves board standing: what a team shares is not taken from it on the way.
func leftIn(left []doctor.Left, host string) (hints []string) {
	for _, l := range left {
		if l.Host == host {
			hints = append(hints, fmt.Sprintf("Still written in the work tree %s, for everybody who shares it. To take it out, there: board host remove %s --scope project", l.Root, host))
		}
	}
	return hints
}

// fresh returns the hints that were not said yet, and notes them. Through a pipe each is a line of its own, without the
// host above it.
func fresh(hints []string, said map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(hints), func(h string) bool {
		was := said[h]
		said[h] = true
		return was
	})
}
