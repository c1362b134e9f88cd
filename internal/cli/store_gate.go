package cli

import (
	"context"

	"board/internal/runs"
	"board/internal/store"
)

// hostProcesses returns the process ids that Claude Code named for its live runs on this machine. The ids of other
// hosts are not process ids of theirs.
func hostProcesses(ctx context.Context, q store.Querier, now int64, machine string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT DISTINCT r.host_process FROM runs r JOIN lines l ON l.id = r.line_id
		WHERE r.state <> 'ended' AND r.lease_until > ? AND r.machine = ? AND r.host_process <> '' AND l.host = ?`,
		now, machine, runs.ClaudeCode)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var pid string
		if err := rows.Scan(&pid); err != nil {
			return nil, err
		}
		out = append(out, pid)
	}
	return out, rows.Err()
}
