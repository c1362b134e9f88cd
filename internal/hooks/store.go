package hooks

import (
	"context"
	"database/sql"
	"errors"

	"board/internal/process"
	"board/internal/runs"
	"board/internal/store"
)

// countLimit bounds the counts in a context: a board with a hundred thousand Issues must not slow a hook down.
const countLimit = 100

// board is the little that a context says of the board.
type board struct {
	heldKey, heldTitle     string
	lastKey, lastState     string // where the line's claim was cleared or taken
	parentKey, parentTitle string
	ready, changes         int
	last                   runs.Digest // of the stretch before the one that the prompt opened
	keys                   map[int64]string
}

func lookAtBoard(ctx context.Context, q store.Querier, res runs.Result) (board, error) {
	var b board
	var err error
	if res.Run.IssueID != 0 || res.Held != 0 {
		if b.heldKey, b.heldTitle, err = heldBy(ctx, q, res.Run.LineID); err != nil {
			return b, err
		}
	}
	switch {
	case res.Say == runs.Reminder:
		return b, nil
	case res.Run.Kind == runs.Subagent:
		if res.Held != 0 {
			b.parentKey, b.parentTitle, err = heldBy(ctx, q, res.Root.ID)
		}
		return b, err
	case b.heldKey == "" && !res.New:
		if b.lastKey, b.lastState, err = lastOf(ctx, q, res.Run.LineID); err != nil {
			return b, err
		}
	}
	if res.Resumed > 0 {
		if b.last, err = runs.DigestOf(ctx, q, res.Run.StartedAt, res.Root, res.Resumed); err != nil {
			return b, err
		}
		b.last.Issues = b.last.Issues[max(0, len(b.last.Issues)-digestIssues):] // the last ones: work goes on where it was left
		if b.keys, err = keysOf(ctx, q, b.last.Issues); err != nil {
			return b, err
		}
	}
	b.ready, b.changes, err = ready(ctx, q, res.Run.ProjectID, res.Run.LastSeenAt, res.Config.Reserve)
	return b, err
}

// keysOf returns the keys of Issues.
func keysOf(ctx context.Context, q store.Querier, list []runs.DigestIssue) (keys map[int64]string, err error) {
	keys = map[int64]string{}
	for _, i := range list {
		var key string
		err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number FROM issues i JOIN projects p ON p.id = i.project_id WHERE i.id = ?`,
			i.ID).Scan(&key)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		keys[i.ID] = key
	}
	return keys, nil
}

// ready counts, up to countLimit, the Issues that begin_work without a key could be given now, and those of them that a
// person sent back, as issues owns the rule. Whether a claim has lapsed is read from the runs of its line and from the
// end of its session.
func ready(ctx context.Context, q store.Querier, projectID, now, reserve int64) (n, changes int, err error) {
	var begun bool
	err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(c), 0), EXISTS (SELECT 1 FROM issues INDEXED BY issues_open
			WHERE project_id = ?1 AND state NOT IN ('done', 'canceled') AND state IN ('in_progress', 'paused'))
		FROM (SELECT changes_requested AS c FROM issues INDEXED BY issues_ready WHERE project_id = ?1 AND state = 'todo' AND hold = 0
			AND archived = 0 AND open_blockers = 0 ORDER BY changes_requested DESC LIMIT ?2)`, projectID, countLimit).Scan(&n, &changes, &begun)
	if err != nil || !begun || n >= countLimit {
		return n, changes, err
	}
	freed, err := freedIssues(ctx, q, projectID, now, reserve)
	return min(n+freed, countLimit), changes, err
}

// freedIssues counts the Issues that were begun and are ready again. Whether a claim has lapsed is read from the newest run
// of its line and the clock; where a process decides, or there are two live runs, runs is asked.
func freedIssues(ctx context.Context, q store.Querier, projectID, now, reserve int64) (freed int, err error) {
	rows, err := q.QueryContext(ctx, `SELECT i.state = 'paused', i.holder_line, coalesce(r.state <> 'ended', 0), coalesce(r.state = 'waiting', 0),
			coalesce(r.lease_until, 0), coalesce(r.deadline, 0), coalesce(json_extract(r.facts, '$.host_proof'), ''),
			EXISTS (SELECT 1 FROM runs o WHERE o.line_id = i.holder_line AND o.id <> r.id AND o.state <> 'ended'),
			EXISTS (SELECT 1 FROM runs o WHERE o.line_id = i.holder_line AND o.last_seen_at > ?2),
			coalesce((SELECT s.end_basis = 'observed' FROM lines root JOIN sessions s ON s.line_id = root.id
				WHERE root.host = k.host AND root.session_key = k.session_key AND root.agent_key = '' ORDER BY s.n DESC LIMIT 1), 0)
		FROM issues i INDEXED BY issues_open LEFT JOIN lines k ON k.id = i.holder_line LEFT JOIN runs r ON r.id = k.last_run
		WHERE i.project_id = ?1 AND i.state NOT IN ('done', 'canceled') AND i.hold = 0 AND i.archived = 0 AND i.open_blockers = 0
			AND (i.state = 'in_progress' OR i.state = 'paused' AND i.pause_reason = 'handoff' AND i.paused_by_person = 0)`,
		projectID, now-reserve)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	var ask []int64 // lines
	for rows.Next() && freed < countLimit {
		var line int64
		var free, live, waiting, another, recent, over bool
		r := runs.Run{State: runs.Ended}
		if err := rows.Scan(&free, &line, &live, &waiting, &r.LeaseUntil, &r.Deadline, &r.HostProof, &another, &recent, &over); err != nil {
			return 0, err
		}
		if live {
			r.State = runs.Running
			if waiting {
				r.State = runs.Waiting
			}
		}
		active := r.At(now).IsLive()
		held := active || recent && !over
		host := process.Unknown
		if r.HostProof != "" && (live || held) {
			host = process.Look(r.HostProof)
		}
		switch {
		case free:
			freed++
		case another, host == process.Gone && held, host == process.Alive && live && !active:
			ask = append(ask, line)
		case !held:
			freed++
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil || len(ask) == 0 {
		return freed, err
	}
	all, err := runs.StatusOf(ctx, q, now, ask...)
	for _, s := range all {
		if !s.Live && (s.SessionEnded || s.HostGone || s.LastEventAt+reserve <= now) {
			freed++
		}
	}
	return freed, err
}

// lastOf returns the Issue whose claim by the line ended last.
func lastOf(ctx context.Context, q store.Querier, lineID int64) (key, state string, err error) {
	err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.state FROM claims c JOIN issues i ON i.id = c.issue_id
		JOIN projects p ON p.id = i.project_id WHERE c.line_id = ? AND c.until <> 0 ORDER BY c.until DESC, c.fence DESC LIMIT 1`,
		lineID).Scan(&key, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return key, state, err
}

func heldBy(ctx context.Context, q store.Querier, lineID int64) (key, title string, err error) {
	err = q.QueryRowContext(ctx, `SELECT p.prefix || '-' || i.number, i.title FROM issues i JOIN projects p ON p.id = i.project_id
		WHERE i.holder_line = ? AND i.holder_line <> 0`, lineID).Scan(&key, &title)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", nil
	}
	return key, title, err
}
