package issues

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"board/internal/runs"
)

// Work is what one run did for an Issue.
type Work struct {
	Run      runs.Run // as it is now; its Handle is shown to nobody
	Attached bool     // a person put it to the Issue; else a line of its session held the Issue meanwhile
	Files    []WorkFile
}

// How is claimed or attached.
func (w Work) How() string {
	if w.Attached {
		return "attached"
	}
	return "claimed"
}

// WorkFile is a file of the Issue's project that a run changed, as its events reported it.
type WorkFile struct {
	Path  string // relative to the work tree
	Edits int64
}

// Tree is a work tree in which an Issue was worked on. Commits are "" where they are not known.
type Tree struct {
	Worktree  string
	Branch    string
	HeadStart string // when the first run began
	HeadEnd   string // when the newest turn ended
	Head      string // now, and the command that shows the changes: for whoever can read the work tree to fill in
	Diff      string
}

// Basis is what an approval rests on.
type Basis struct {
	Trees   []Tree // that of the newest turn first
	Changed string // what changed since the closure was requested, "" for nothing
	Resume  string // the command that goes on with the conversation that asked, "" for none
}

// Heads returns what the trees have checked out now, as far as it was filled in: see MoveCmd.
func (b *Basis) Heads() map[string]string {
	heads := map[string]string{}
	if b == nil {
		return heads
	}
	for _, t := range b.Trees {
		if t.Head != "" {
			heads[t.Worktree] = t.Head
		}
	}
	return heads
}

// ChangedFile is a file that was changed for an Issue, with the short handles of the runs that did.
type ChangedFile struct {
	Path string
	Runs []string
}

// Changed returns the files that were changed for the Issue, by path.
func (i Issue) Changed() []ChangedFile {
	by := map[string][]string{}
	for _, w := range i.Work {
		for _, f := range w.Files {
			by[f.Path] = append(by[f.Path], w.Run.Short())
		}
	}
	var out []ChangedFile
	for _, p := range slices.Sorted(maps.Keys(by)) {
		out = append(out, ChangedFile{p, by[p]})
	}
	return out
}

// GetWithWork is Get with the runs that worked on the Issue, oldest first, and for one in review what an approval rests on.
func (s *Service) GetWithWork(ctx context.Context, projectID int64, key string) (Issue, error) {
	var out Issue
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		row, err := c.find(ctx, c.tx, projectID, key)
		if err != nil {
			return err
		}
		all, err := c.assemble(ctx, []issueRow{row}, true)
		if err != nil {
			return err
		}
		out = all[0]
		if out.Work, err = c.workOn(ctx, row); err != nil || row.State != InReview {
			return err
		}
		out.Basis, err = c.basis(ctx, row, out.Work)
		return err
	})
	return out, err
}

// workOn returns the runs that worked on an Issue: those that a claim on it overlaps, of every line of the session that
// had it, and those that a person put to it.
func (c *call) workOn(ctx context.Context, row issueRow) ([]Work, error) {
	held, err := c.heldDuring(ctx, c.tx, row.ID)
	if err != nil {
		return nil, err
	}
	put, err := c.attachedTo(ctx, c.tx, row.ID)
	if err != nil {
		return nil, err
	}
	ids := slices.Clone(put)
	for _, h := range held {
		ids = append(ids, h.Run)
	}
	slices.Sort(ids)
	var out []Work
	for _, id := range slices.Compact(ids) {
		r, err := runs.ByID(ctx, c.tx, c.tx.Now, id)
		if err != nil {
			return nil, err
		}
		r.Handle = ""
		claimed := slices.ContainsFunc(held, func(h heldRow) bool { return h.Run == id && h.covers(r) })
		if attached := slices.Contains(put, id); claimed || attached {
			out = append(out, Work{Run: r, Attached: !claimed})
		}
	}
	return out, c.addFiles(ctx, row.ProjectID, out)
}

func (c *call) addFiles(ctx context.Context, project int64, ws []Work) error {
	ids := make([]int64, len(ws))
	for i, w := range ws {
		ids[i] = w.Run.ID
	}
	rows, err := c.filesOf(ctx, c.tx, project, ids...)
	for _, f := range rows {
		i := slices.Index(ids, f.RunID)
		ws[i].Files = append(ws[i].Files, WorkFile{f.Path, f.N})
	}
	return err
}

func (c *call) basis(ctx context.Context, row issueRow, ws []Work) (*Basis, error) {
	asked, err := runs.ByID(ctx, c.tx, c.tx.Now, row.ClosureRun)
	if err != nil {
		return nil, err
	}
	b := &Basis{Trees: trees(ws), Resume: runs.ResumeLine(asked.Host, asked.Session)}
	now, then, err := c.restsOn(ctx, row)
	if err != nil {
		return nil, err
	}
	b.Changed, err = c.differences(ctx, row, now, then, ground{}, nil)
	return b, err
}

// trees gathers the work trees of runs. Where a tree ended is what its newest turn says: a subagent that began later may
// have ended before.
func trees(ws []Work) []Tree {
	var out []Tree
	newest := map[string]int64{}
	for _, turns := range []bool{false, true} {
		for _, w := range ws {
			r := w.Run
			if r.Worktree == "" || turns != (r.Kind == runs.Root) {
				continue
			}
			i := slices.IndexFunc(out, func(t Tree) bool { return t.Worktree == r.Worktree })
			if i < 0 {
				i, out = len(out), append(out, Tree{Worktree: r.Worktree})
			}
			out[i].Branch, out[i].HeadEnd = r.Branch, r.HeadEnd
			newest[r.Worktree] = r.ID
		}
	}
	for i, t := range out {
		first := slices.IndexFunc(ws, func(w Work) bool { return w.Run.Worktree == t.Worktree && w.Run.HeadStart != "" })
		if first >= 0 {
			out[i].HeadStart = ws[first].Run.HeadStart
		}
	}
	slices.SortStableFunc(out, func(a, b Tree) int { return cmp.Compare(newest[b.Worktree], newest[a.Worktree]) })
	return out
}
