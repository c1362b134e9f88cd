package cli

import (
	"context"
	"strconv"

	"board/internal/runs"
	"board/internal/store"
)

// hostProcess is a process that a host named for a run, and when that run began: the process is older.
type hostProcess struct {
	pid   int
	since int64 // UTC ms
}

// hostProcesses returns what Claude Code named for its live runs on this machine. The ids of other hosts are not process
// ids of theirs.
func hostProcesses(ctx context.Context, q store.Querier, now int64, machine string) ([]hostProcess, error) {
	rows, err := q.QueryContext(ctx, `SELECT r.host_process, max(r.started_at) FROM runs r JOIN lines l ON l.id = r.line_id
		WHERE r.state <> 'ended' AND r.lease_until > ? AND r.machine = ? AND r.host_process <> '' AND l.host = ?
		GROUP BY r.host_process`,
		now, machine, runs.ClaudeCode)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []hostProcess
	for rows.Next() {
		var id string
		var p hostProcess
		if err := rows.Scan(&id, &p.since); err != nil {
			return nil, err
		}
		if p.pid, err = strconv.Atoi(id); err == nil {
			out = append(out, p)
		}
	}
	return out, rows.Err()
}
