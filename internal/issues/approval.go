package issues

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"board/internal/runs"
)

// ground is what an approval rests on, as it was at some moment.
type ground struct {
	Revision int64             `json:"revision,omitempty"` // of the Issue
	Evidence int64             `json:"evidence,omitempty"` // edits that the session made for it
	End      string            `json:"end,omitempty"`      // commit at the end of the session's newest turn
	Heads    map[string]string `json:"heads,omitempty"`    // commit that each work tree had checked out: only people see that
}

// says reports whether two grounds are the same but for commits. One of revision 0 says nothing.
func (g ground) says(o ground) bool { return g.Revision == o.Revision && g.Evidence == o.Evidence }

// grounds is what each person was shown. Nobody was shown anything by what cannot be read.
func (i *issueRow) grounds() map[string]ground {
	out := map[string]ground{}
	if err := json.Unmarshal([]byte(i.ShownTo), &out); err != nil {
		return map[string]ground{}
	}
	return out
}

func (i *issueRow) show(person string, g ground) error {
	all := i.grounds()
	all[person] = g
	b, err := json.Marshal(all)
	i.ShownTo = string(b)
	return err
}

// restsOn returns what an approval rests on now, and when the closure was requested. The end of the very turn that
// requested it belongs to the request: it is not known earlier.
func (c *call) restsOn(ctx context.Context, row issueRow) (now, asked ground, err error) {
	asked = ground{Revision: row.ClosureRevision, Evidence: row.ClosureEvidence}
	now = ground{Revision: row.Revision, Evidence: row.EvidenceFinal}
	if row.EvidenceFinal == unfinished {
		now.Evidence = row.ClosureEvidence
		if row.LastLine != 0 {
			l, err := runs.LineByID(ctx, c.tx, row.LastLine)
			if err != nil {
				return now, asked, err
			}
			if now.Evidence, err = c.evidence(ctx, c.tx, row.ProjectID, l); err != nil {
				return now, asked, err
			}
		}
	}
	asked.End, now.End, err = c.ends(ctx, row)
	return now, asked, err
}

// ends returns the commit at the end of the turn that requested the closure, and at the end of the newest turn of its
// session, as long as that is at nothing else; "" where it is not known.
func (c *call) ends(ctx context.Context, row issueRow) (asked, newest string, err error) {
	turn, err := runs.ByID(ctx, c.tx, c.tx.Now, row.ClosureRun)
	if err != nil || turn.Worktree == "" {
		return "", "", err
	}
	ids, err := c.turnsAfter(ctx, c.tx, turn, row)
	if err != nil {
		return "", "", err
	}
	asked, newest = turn.HeadEnd, turn.HeadEnd
	for _, id := range ids {
		r, err := runs.ByID(ctx, c.tx, c.tx.Now, id)
		if err != nil {
			return "", "", err
		}
		if r.Worktree != turn.Worktree {
			continue
		}
		asked = cmp.Or(asked, r.HeadStart) // a turn without a Stop leaves what the next one finds
		newest = cmp.Or(r.HeadEnd, newest, asked)
	}
	return asked, newest, nil
}

// compare finds out whether this person approves what the closure spoke of, or has been shown what changed since.
func (c *call) compare(ctx context.Context, f *facts, heads map[string]string) error {
	row := f.issue
	if row.State != InReview {
		return nil
	}
	now, asked, err := c.restsOn(ctx, row)
	if err != nil {
		return err
	}
	f.changed, err = c.differences(ctx, row, now, asked, row.grounds()[c.tx.Person], heads)
	return err
}

// differences says what changed since the closure was requested that a person who was told told was not told yet.
func (c *call) differences(ctx context.Context, row issueRow, now, asked, told ground, heads map[string]string) (string, error) {
	var parts []string
	if !now.says(asked) && !now.says(told) {
		if now.Revision != asked.Revision {
			var err error
			if parts, err = c.since(ctx, row); err != nil {
				return "", err
			}
		}
		if n := now.Evidence - asked.Evidence; n != 0 {
			parts = append(parts, fmt.Sprintf("%d more edits of files by its session", n))
		}
	}
	return strings.Join(append(parts, moved(now, asked, told, heads)...), "; "), nil
}

// moved says which commits are not those that were shown. A person who saw what a work tree has checked out approves just
// that, whoever commits there; one who did not approves what the session left, and others in the tree do not matter.
func moved(now, asked, told ground, heads map[string]string) []string {
	var parts []string
	seen := false
	for _, tree := range slices.Sorted(maps.Keys(told.Heads)) {
		was, is := told.Heads[tree], heads[tree]
		if is == "" { // it is gone, or cannot be read here
			continue
		}
		seen = true
		if is != was {
			parts = append(parts, fmt.Sprintf("%s is at commit %s, and %s was shown", quote(filepath.Base(tree)), abbreviated(is), abbreviated(was)))
		}
	}
	was := cmp.Or(told.End, asked.End)
	if !seen && was != "" && now.End != "" && now.End != was {
		parts = append(parts, fmt.Sprintf("its session went on to commit %s from %s", abbreviated(now.End), abbreviated(was)))
	}
	return parts
}

// abbreviated is a commit as it is shown: enough to name it.
func abbreviated(commit string) string {
	const digits = 12
	return commit[:min(len(commit), digits)]
}

// tell stores that this person was told what changed, so that the same command again approves exactly that.
func (c *call) tell(ctx context.Context, row issueRow, heads map[string]string) error {
	now, _, err := c.restsOn(ctx, row)
	if err != nil {
		return err
	}
	now.Heads = heads
	if err := row.show(c.tx.Person, now); err != nil {
		return err
	}
	return c.update(ctx, c.tx, &row)
}

// Shown notes what the work trees of an Issue in review had checked out (see MoveCmd.Heads) when a person looked at it: a
// commit that is made from then on is a change to an approval of theirs. It changes no revision, and nothing for agents.
func (s *Service) Shown(ctx context.Context, a Actor, projectID int64, key string, heads map[string]string) error {
	if a.Agent || len(heads) == 0 {
		return nil
	}
	return s.write(ctx, a, func(ctx context.Context, c *call) error {
		row, err := c.find(ctx, c.tx, projectID, key)
		if err != nil || row.State != InReview {
			return err
		}
		told := row.grounds()[c.tx.Person]
		if maps.Equal(told.Heads, heads) {
			return nil
		}
		told.Heads = heads
		if err := row.show(c.tx.Person, told); err != nil {
			return err
		}
		return c.update(ctx, c.tx, &row)
	})
}
