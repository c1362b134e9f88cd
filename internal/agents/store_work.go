package agents

import (
	"context"
	"encoding/json"

	"board/internal/runs"
	"board/internal/store"
)

// Work without an Issue is looked for among the newest runs only: what nobody asked about for that long, nobody will.
const (
	workRuns = 2_000
	workAge  = 14 * 24 * 3_600_000 // milliseconds
)

// workRow is what the runs of one stretch of a session changed in one project without an Issue.
type workRow struct {
	Of        session
	Stretch   int64
	ProjectID int64
	Run       int64 // the newest of the runs
	Files     int64
	Path      string // one of them
	At        int64  // of the first edit
}

// workQuery asks for no claim of any line of the session that overlaps the run in time, and nobody who put it to an Issue
// of the project. Runs that live are of no interest yet (?3): on a busy board they are nearly all.
const workQuery = `WITH recent AS MATERIALIZED (SELECT r.id, l.host, l.session_key, r.stretch, r.started_at AS began,
			iif(r.state = 'ended', r.ended_at, r.lease_until) AS over
		FROM runs r JOIN lines l ON l.id = r.line_id
		WHERE r.id > (SELECT max(id) FROM runs) - ?1 AND r.started_at >= ?2 AND r.id NOT IN (SELECT value FROM json_each(?3)) AND EXISTS (SELECT 1 FROM evidence e WHERE e.run_id = r.id)),
	free AS MATERIALIZED (SELECT w.id, w.host, w.session_key, w.stretch FROM recent w
		WHERE NOT EXISTS (SELECT 1 FROM lines k CROSS JOIN claims c INDEXED BY claims_line ON c.line_id = k.id
			WHERE k.host = w.host AND k.session_key = w.session_key
				AND (c.run_id = w.id OR w.over >= c.since AND (c.until = 0 OR w.began <= c.until))))
	SELECT w.host, w.session_key, w.stretch, e.project_id, max(w.id), count(DISTINCT e.path), min(e.path), min(e.first_at)
	FROM free w CROSS JOIN evidence e ON e.run_id = w.id
	WHERE NOT EXISTS (SELECT 1 FROM attachments a CROSS JOIN issues i ON i.id = a.issue_id WHERE a.run_id = w.id AND i.project_id = e.project_id)
	GROUP BY w.host, w.session_key, w.stretch, e.project_id`

func workWithoutIssue(ctx context.Context, q store.Querier, now int64, live []int64) (out []workRow, err error) {
	ids, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	err = each(ctx, q, workQuery, []any{workRuns, now - workAge, string(ids)}, func(scan func(...any) error) error {
		var w workRow
		err := scan(&w.Of.host, &w.Of.key, &w.Stretch, &w.ProjectID, &w.Run, &w.Files, &w.Path, &w.At)
		out = append(out, w)
		return err
	})
	return out, err
}

// editRow is a file that a run changed which is stored as live, and another one too.
type editRow struct {
	ProjectID, Run, FirstAt int64
	Path                    string
}

const contestQuery = `WITH live AS MATERIALIZED (SELECT e.project_id, e.path, e.run_id, e.first_at
			FROM runs r INDEXED BY runs_live CROSS JOIN evidence e ON e.run_id = r.id WHERE r.state <> 'ended'),
		twice AS MATERIALIZED (SELECT project_id, path FROM live GROUP BY project_id, path HAVING count(*) > 1)
	SELECT live.project_id, live.path, live.run_id, live.first_at FROM twice CROSS JOIN live USING (project_id, path)
	ORDER BY live.project_id, live.path, live.run_id`

func contestedEdits(ctx context.Context, q store.Querier) (out []editRow, err error) {
	err = each(ctx, q, contestQuery, nil, func(scan func(...any) error) error {
		var e editRow
		err := scan(&e.ProjectID, &e.Path, &e.Run, &e.FirstAt)
		out = append(out, e)
		return err
	})
	return out, err
}

// scopeRow is a project that a run was at work in.
type scopeRow struct {
	runs.Capability
	Edited bool
}

const scopeQuery = `SELECT s.run_id, s.project_id, s.capability, s.missing,
		EXISTS (SELECT 1 FROM evidence e WHERE e.run_id = s.run_id AND e.project_id = s.project_id)
	FROM json_each(?1) j CROSS JOIN scopes s ON s.run_id = j.value WHERE ?2 OR s.capability <> 'supported'`

// scopes returns the projects of runs: all of them, or those alone in which something cannot be proven.
func scopes(ctx context.Context, q store.Querier, ids []int64, all bool) (map[int64][]scopeRow, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	out := map[int64][]scopeRow{}
	err = each(ctx, q, scopeQuery, []any{string(list), all}, func(scan func(...any) error) error {
		var s scopeRow
		err := scan(&s.RunID, &s.ProjectID, &s.Verdict, &s.Missing, &s.Edited)
		out[s.RunID] = append(out[s.RunID], s)
		return err
	})
	return out, err
}
