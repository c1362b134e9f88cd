package issues

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"board/internal/fault"
	"board/internal/runs"
)

// free reports whether any line may take an Issue: nobody has it, or whoever had it gave it up or is long gone.
func free(row issueRow, claim ClaimState) bool {
	switch row.State {
	case Todo:
		return true
	case InProgress:
		return claim == Lapsed
	case Paused:
		return row.PauseReason == Handoff && !row.PausedByPerson
	}
	return false
}

// ready is what the next agent may be handed: the one predicate of next, of lists, and of begin_work without a key.
func ready(row issueRow, claim ClaimState) bool {
	return free(row, claim) && row.OpenBlockers == 0 && !row.Hold && !row.Archived
}

// byReadiness is the order in which ready Issues are handed out: what a person sent back, then the most urgent, then
// the oldest.
func byReadiness(a, b issueRow) int {
	return cmp.Or(cmp.Compare(sentBack(b), sentBack(a)), cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

func sentBack(r issueRow) int {
	if r.ChangesRequested {
		return 1
	}
	return 0
}

// readyRows returns up to limit (0: all) ready Issues from after the cursor on, and the number of all of them.
func (c *call) readyRows(ctx context.Context, f Filter, after *cursor, limit int) ([]issueRow, int, error) {
	again, err := c.freeAgain(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	var rows []issueRow
	total := len(again)
	if len(f.States) == 0 || slices.Contains(f.States, Todo) {
		n, err := c.countReady(ctx, c.tx, f)
		if err != nil {
			return nil, 0, err
		}
		if rows, err = c.readyFrom(ctx, c.tx, f, after, limit); err != nil {
			return nil, 0, err
		}
		total += int(n)
	}
	if after != nil {
		last := issueRow{ID: after.ID, Priority: after.Priority, ChangesRequested: after.Changes > 0}
		again = slices.DeleteFunc(again, func(r issueRow) bool { return byReadiness(r, last) <= 0 })
	}
	rows = append(rows, again...)
	slices.SortFunc(rows, byReadiness)
	if limit > 0 && len(rows) > limit {
		rows = rows[:limit]
	}
	return rows, total, nil
}

// freeAgain returns the Issues that were begun and are ready again.
func (c *call) freeAgain(ctx context.Context, f Filter) ([]issueRow, error) {
	rows, err := c.readyCandidates(ctx, c.tx, f)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var lines []int64
	for _, r := range rows {
		lines = append(lines, r.HolderLine)
	}
	st, err := runs.StatusOf(ctx, c.tx, c.tx.Now, lines...)
	if err != nil {
		return nil, err
	}
	var out []issueRow
	for _, r := range rows {
		claim, err := c.reading(ctx, r, st)
		if err != nil {
			return nil, err
		}
		if ready(r, claim) && (len(f.States) == 0 || slices.Contains(f.States, r.State)) {
			out = append(out, r)
		}
	}
	return out, nil
}

// firstReady returns the next ready Issue that a person did not take from the caller.
func (c *call) firstReady(ctx context.Context, project int64) (issueRow, error) {
	var after *cursor
	const batch = 20
	for {
		rows, _, err := c.readyRows(ctx, Filter{ProjectID: project}, after, batch)
		if err != nil {
			return issueRow{}, err
		}
		for _, r := range rows {
			away := false
			if c.declared() {
				if away, err = c.sentAway(ctx, c.tx, r.ID, c.caller.Root); err != nil {
					return issueRow{}, err
				}
			}
			if !away {
				return r, nil
			}
		}
		if len(rows) < batch {
			return issueRow{}, fault.New(fault.NothingReady, "create an Issue, or ask the person which one to take", "no Issue is ready")
		}
		after = cursorAt(rows[len(rows)-1])
	}
}

// cursor is the place of the last Issue of a page in the order of a list. To callers it is opaque.
type cursor struct {
	Ready    bool  `json:"r,omitempty"`
	State    State `json:"s,omitempty"`
	Changes  int   `json:"c,omitempty"`
	Priority int   `json:"p,omitempty"`
	Rank     int64 `json:"k,omitempty"`
	Updated  int64 `json:"u,omitempty"`
	ID       int64 `json:"i"`
}

func cursorAt(r issueRow) *cursor {
	return &cursor{State: r.State, Changes: sentBack(r), Priority: r.Priority, Rank: r.Rank, Updated: r.UpdatedAt, ID: r.ID}
}

func (c *cursor) String() string {
	b, err := json.Marshal(c)
	if err != nil { // numbers and words always marshal
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(s string, ready bool) (*cursor, error) {
	if s == "" {
		return nil, nil
	}
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || c.ID <= 0 || c.Ready != ready || !ready && !slices.Contains(States(), c.State) {
		return nil, fault.New(fault.Invalid, "leave it out to start over, and keep the filters while paging", "the cursor is not one of this list")
	}
	return &c, nil
}
