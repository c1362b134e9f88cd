package issues

import (
	"context"

	"board/internal/runs"
)

// clashPaths is how many paths a collision names.
const clashPaths = 3

// Collision is a live run of another session that changed files that the caller's session changed too, or whoever worked
// on the Issue before. Nothing is refused for it.
type Collision struct {
	Run   string // short handle
	Host  string
	Issue string   // key of the Issue that it works on, "" for none
	Paths []string // the first few, as they were reported
	More  int      // how many others
}

// foresee is result, and for a run that begins work the collisions to expect.
func (c *call) foresee(ctx context.Context, ev Event, row issueRow, repeat bool) (Result, error) {
	out, err := c.result(ctx, row.ID, repeat)
	if err != nil || !c.declared() || ev != BeginWork && ev != Resume {
		return out, err
	}
	out.Collisions, err = c.collisions(ctx, row)
	return out, err
}

// collisions looks ahead for a run that begins work on an Issue.
func (c *call) collisions(ctx context.Context, row issueRow) ([]Collision, error) {
	rows, err := c.clashes(ctx, c.tx, c.caller.Run, row)
	if err != nil {
		return nil, err
	}
	var out []Collision
	var last int64
	live := false
	for _, f := range rows {
		if f.RunID != last {
			last = f.RunID
			r, err := runs.ByID(ctx, c.tx, c.tx.Now, f.RunID)
			if err != nil {
				return nil, err
			}
			if live = r.IsLive(); !live {
				continue
			}
			key, err := c.actsOn(ctx, r)
			if err != nil {
				return nil, err
			}
			out = append(out, Collision{Run: r.Short(), Host: r.Host, Issue: key, More: f.N})
		}
		if live {
			at := &out[len(out)-1]
			at.Paths = append(at.Paths, f.Path)
			at.More--
		}
	}
	return out, nil
}

// actsOn is the key of the Issue that the line of a run holds, or the root of its session.
func (c *call) actsOn(ctx context.Context, r runs.Run) (string, error) {
	row, ok, err := c.heldBy(ctx, c.tx, r.LineID)
	if err != nil || ok {
		return c.keyOf(row), err
	}
	l, err := runs.LineByID(ctx, c.tx, r.LineID)
	if err != nil {
		return "", err
	}
	root, err := runs.RootOf(ctx, c.tx, l)
	if err != nil {
		return "", err
	}
	row, ok, err = c.heldBy(ctx, c.tx, root.ID)
	if err != nil || !ok {
		return "", err
	}
	return c.keyOf(row), nil
}
