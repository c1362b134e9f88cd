package cli

import (
	"context"
	"strconv"

	"board/internal/runs"
	"board/internal/store"
)

// hostProcess is the process of a host, as a live run names it.
type hostProcess struct {
	proof string // see package process; "" if the run has none
	pid   int    // without a proof: the id that the host gave, and
	since int64  // when the run began, in UTC ms: the process is older
}

// hostProcessQuery must begin with the live runs, which are few, and not with every line of a host that ever was.
const hostProcessQuery = `SELECT coalesce(json_extract(r.facts, '$.host_proof'), '') AS proof,
		iif(coalesce(json_extract(r.facts, '$.host_proof'), '') = '', r.host_process, '') AS named, max(r.started_at)
	FROM runs r JOIN lines l ON l.id = r.line_id
	WHERE r.state <> 'ended' AND (proof <> '' OR named <> '' AND r.lease_until > ? AND r.machine = ? AND l.host = ?)
	GROUP BY proof, named`

// hostProcesses returns the processes of hosts that live runs name, each once. A proof says itself where it holds, and a
// process that is there outlives a lease. Without one only what Claude Code named on this machine counts, as long as the
// lease runs: the ids of other hosts are not process ids of theirs.
func hostProcesses(ctx context.Context, q store.Querier, now int64, machine string) ([]hostProcess, error) {
	rows, err := q.QueryContext(ctx, hostProcessQuery, now, machine, runs.ClaudeCode)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []hostProcess
	for rows.Next() {
		var id string
		var p hostProcess
		if err := rows.Scan(&p.proof, &id, &p.since); err != nil {
			return nil, err
		}
		if p.proof == "" {
			if p.pid, err = strconv.Atoi(id); err != nil {
				continue
			}
		}
		out = append(out, p)
	}
	return out, rows.Err()
}
