package issues

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"board/internal/fault"
	"board/internal/runs"
	"board/internal/text"
)

// ParseRun reads the short handle of a run.
func ParseRun(s string) (int64, error) {
	digits, ok := strings.CutPrefix(strings.ToLower(s), "r")
	id, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || id <= 0 || digits[0] == '+' {
		return 0, fault.New(fault.Invalid, "a run is named as board runs shows it, such as r12", "%q names no run", quote(s))
	}
	return id, nil
}

// WorkedIn returns the projects in which a run changed files, by its short handle. Faults: not_found, and nothing_to_do
// for a run that changed none.
func (s *Service) WorkedIn(ctx context.Context, handle string) ([]int64, error) {
	var out []int64
	err := s.read(ctx, func(ctx context.Context, c *call) error {
		r, err := c.runNamed(ctx, handle)
		if err != nil {
			return err
		}
		if out, err = c.workedIn(ctx, c.tx, r.ID); err == nil && len(out) == 0 {
			err = noWork(r, "any project", "")
		}
		return err
	})
	return out, err
}

func (c *call) runNamed(ctx context.Context, handle string) (runs.Run, error) {
	id, err := ParseRun(handle)
	if err != nil {
		return runs.Run{}, err
	}
	r, err := runs.ByID(ctx, c.tx, c.tx.Now, id)
	if err == nil && r.ID == 0 {
		err = fault.New(fault.NotFound, "board runs shows them", "there is no run %s", runs.ShortHandle(id))
	}
	return r, err
}

func noWork(r runs.Run, where, hint string) error {
	return fault.New(fault.NothingToDo, cmp.Or(hint, "board runs --json shows how many files each run changed"), "no event says that %s changed a file in %s", r.Short(), where)
}

// bundle is work that is put to an Issue at once: that of the run that was named, and of the runs of its session that
// belong to no Issue.
type bundle struct {
	named runs.Run
	runs  []int64   // in the order of registration
	files []fileRow // that they changed in the project
}

// gather makes the bundle of a run in a project. The run that was named is part of it whatever else it belongs to.
func (c *call) gather(ctx context.Context, project int64, handle string) (bundle, error) {
	r, err := c.runNamed(ctx, handle)
	if err != nil {
		return bundle{}, err
	}
	b := bundle{named: r}
	all, err := c.workers(ctx, c.tx, r, project)
	if err != nil {
		return b, err
	}
	if !slices.Contains(all, r.ID) {
		return b, c.workElsewhere(ctx, r, project)
	}
	claims, err := c.sessionClaims(ctx, c.tx, r.Host, r.Session)
	if err != nil {
		return b, err
	}
	for _, id := range all {
		other, err := runs.ByID(ctx, c.tx, c.tx.Now, id)
		if err != nil {
			return b, err
		}
		put, err := c.attachedIn(ctx, c.tx, id, project)
		if err != nil {
			return b, err
		}
		claimed := slices.ContainsFunc(claims, func(h heldRow) bool { return h.covers(other) })
		if id == r.ID || !claimed && len(put) == 0 {
			b.runs = append(b.runs, id)
		}
	}
	b.files, err = c.filesOf(ctx, c.tx, project, b.runs...)
	return b, err
}

// workElsewhere refuses a run that changed nothing in a project, and says where it did.
func (c *call) workElsewhere(ctx context.Context, r runs.Run, project int64) error {
	ids, err := c.workedIn(ctx, c.tx, r.ID)
	if err != nil {
		return err
	}
	var names []string
	for _, id := range ids {
		names = append(names, c.prefix[id])
	}
	hint := ""
	if len(names) > 0 {
		hint = "it changed files in " + quote(strings.Join(names, ", "))
	}
	return noWork(r, c.prefix[project], hint)
}

// belongs returns the keys of the Issues of a project that a run belongs to already.
func (c *call) belongs(ctx context.Context, r runs.Run, project int64) ([]string, error) {
	ids, err := c.attachedIn(ctx, c.tx, r.ID, project)
	if err != nil {
		return nil, err
	}
	claims, err := c.sessionClaims(ctx, c.tx, r.Host, r.Session)
	if err != nil {
		return nil, err
	}
	for _, h := range claims {
		row, ok, err := c.byID(ctx, c.tx, h.Issue)
		if err != nil {
			return nil, err
		}
		if ok && row.ProjectID == project && h.covers(r) {
			ids = append(ids, row.ID)
		}
	}
	slices.Sort(ids)
	keys, err := c.keysByID(ctx, c.tx, slices.Clone(ids))
	var out []string
	for _, id := range slices.Compact(ids) {
		out = append(out, keys[id])
	}
	return out, err
}

// workFor is the work that a new Issue begins with. A run that belongs to an Issue needs no new one: the same command
// twice must not make two.
func (c *call) workFor(ctx context.Context, cmd CreateCmd) (bundle, error) {
	b, err := c.gather(ctx, cmd.ProjectID, cmd.Run)
	if err != nil {
		return b, err
	}
	keys, err := c.belongs(ctx, b.named, cmd.ProjectID)
	if err == nil && len(keys) > 0 {
		err = fault.New(fault.NothingToDo, "board show "+keys[0]+" shows it; board edit --run puts the work to another Issue too",
			"%s belongs to %s already", b.named.Short(), quote(strings.Join(keys, ", ")))
	}
	return b, err
}

// namedFiles is how many files a title that is made names.
const namedFiles = 2

// title is what an Issue is called that a person gave no name: board's own facts.
func (b bundle) title() string {
	edits := map[string]int64{}
	var paths []string
	for _, f := range b.files {
		if edits[f.Path] == 0 {
			paths = append(paths, f.Path)
		}
		edits[f.Path] += f.N
	}
	slices.SortFunc(paths, func(x, y string) int { return cmp.Or(cmp.Compare(edits[y], edits[x]), cmp.Compare(x, y)) })
	var named []string
	for _, p := range paths[:min(len(paths), namedFiles)] {
		if name := shortPath(p); name != "" {
			named = append(named, name)
		}
	}
	what := strings.Join(named, ", ")
	switch more := len(paths) - len(named); {
	case len(named) == 0:
		what = fmt.Sprintf("%d files", more)
	case more > 0:
		what += fmt.Sprintf(" and %d more", more)
	}
	return "Work of " + b.named.Short() + ": " + what
}

// shortPath is a path in a title: whole, or where it is long its last part. It is foreign text.
func shortPath(p string) string {
	const most = 80
	if utf8.RuneCountInString(p) > most {
		p = path.Base(p)
	}
	return text.Line(p, most)
}

// attach puts runs to an Issue, and says so in its history, run by run.
func (c *call) attach(ctx context.Context, row issueRow, b bundle, ids []int64) error {
	for _, id := range ids {
		if err := c.putTo(ctx, c.tx, id, row.ID); err != nil {
			return err
		}
		files := 0
		for _, f := range b.files {
			if f.RunID == id {
				files++
			}
		}
		detail := map[string]string{"run": runs.ShortHandle(id), "files": strconv.Itoa(files)}
		if err := c.record(ctx, row, Attach, row.State, detail); err != nil {
			return err
		}
	}
	return nil
}

// planRuns finds the runs that an edit puts to the Issue: those that are not its own yet.
func (p *edit) planRuns(ctx context.Context) error {
	if p.cmd.Run == "" {
		return nil
	}
	b, err := p.gather(ctx, p.row.ProjectID, p.cmd.Run)
	if err != nil {
		return err
	}
	own, err := p.workOn(ctx, p.row)
	if err != nil {
		return err
	}
	p.bundle = b
	for _, id := range b.runs {
		if !slices.ContainsFunc(own, func(w Work) bool { return w.Run.ID == id }) {
			p.attached = append(p.attached, id)
		}
	}
	return nil
}
