package doctor

import (
	"context"

	"board/internal/adapters"
	"board/internal/runs"
)

// Backups is the folder where installations keep what files said before, and when they wrote.
func (w World) Backups() string { return w.Store + ".backups" }

// Stale reports whether every event was seen before board was written as it is now: by hand, by another installation, or
// before the host forgot its trust. Such events prove nothing.
func (h Host) Stale() bool {
	last := h.LastSeen()
	for _, s := range h.Scopes {
		if s.Stage != NotInstalled && s.proven(last) {
			return false
		}
	}
	return last > 0
}

// proven reports whether an event of that time came through what is written now.
func (s Scope) proven(last int64) bool { return last > 0 && last >= s.Since }

// Left is a work tree that board is written into for the people of a project.
type Left struct {
	Host string
	Root string
}

// LeftInProjects finds the work trees of registered projects, and the one around the directory, that board is written into.
// Other work trees of a project are nowhere on record.
func (w World) LeftInProjects(ctx context.Context) (left []Left) {
	roots := []string{}
	if w.Project != "" {
		roots = append(roots, w.Project)
	}
	for _, p := range w.readStore(ctx, false).projects {
		if p.Root != w.Project && !p.Gone {
			roots = append(roots, p.Root)
		}
	}
	for _, root := range roots {
		w.Project = root
		for _, host := range runs.Hosts() {
			if found, err := adapters.Inspect(w.Target(host, adapters.ScopeProject)); err == nil && Written(found) != NotInstalled {
				left = append(left, Left{host, root})
			}
		}
	}
	return left
}
