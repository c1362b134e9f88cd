package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// place is where a run took place: the work tree, its branch, and the commits at the begin and at the end.
type place struct{ tree, branch, from, to string }

// head is the commit that a work tree is at, as git says it.
func (w *world) head(ctx context.Context, tree string) (string, error) {
	p, err := w.start(tree, w.Env(), "git", "rev-parse", "HEAD")
	if err != nil {
		return "", err
	}
	err = p.mustEnd(ctx)
	return strings.TrimSpace(p.stdout()), err
}

// expectWhere compares what board knows of the place of the i-th run, and of what can be proven of the run there: that the
// host is on this machine, where its process is proven, and what the table of the host says.
func (w *world) expectWhere(ctx context.Context, i int, at place) error {
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	if len(rows) <= i || len(rows[i].Scopes) != 1 {
		return fmt.Errorf("a run %d with one scope, got %+v", i, rows)
	}
	k, r := w.host.knows(), rows[i]
	where, capability := "unknown", "supported"
	if k.process {
		where = "desktop"
	}
	if k.missing != "" {
		capability = "unsupported"
	}
	return errors.Join(
		want("where the host runs", r.Where, where),
		want("the project", r.Scopes[0].Project, prefix),
		want("what can be proven of the run", r.Scopes[0].Capability, capability),
		want("what is missing", r.Scopes[0].Missing, k.missing),
		want("the place", place{r.Worktree, r.Branch, r.HeadStart, r.HeadEnd}, at),
	)
}
