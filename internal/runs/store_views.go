package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"board/internal/store"
)

func listRuns(ctx context.Context, q store.Querier, f RunFilter) ([]Run, error) {
	before := f.Before
	if before <= 0 {
		before = 1 << 62
	}
	return manyRuns(ctx, q, `WHERE r.id < ? AND (? = 0 OR r.project_id = ? OR r.id IN (SELECT run_id FROM evidence WHERE project_id = ?))
		AND (? = '' OR l.host = ?) AND (? = '' OR l.session_key = ?) AND (? = 0 OR r.state <> 'ended')
		ORDER BY r.id DESC LIMIT ?`,
		before, f.ProjectID, f.ProjectID, f.ProjectID, f.Host, f.Host, f.Session, f.Session, boolInt(f.LiveOnly), f.Limit)
}

func scopesOf(ctx context.Context, q store.Querier, r Run) ([]ScopeCount, error) {
	rows, err := q.QueryContext(ctx, `SELECT s.project_id, s.capability, s.missing,
		(SELECT count(*) FROM evidence e WHERE e.run_id = s.run_id AND e.project_id = s.project_id)
		FROM scopes s WHERE s.run_id = ? ORDER BY s.project_id`, r.ID)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []ScopeCount
	for rows.Next() {
		var s ScopeCount
		var c Capability
		if err := rows.Scan(&s.ProjectID, &c.Verdict, &c.Missing, &s.Evidence); err != nil {
			return nil, err
		}
		s.Verdict, s.Missing = c.Reading(r)
		out = append(out, s)
	}
	return out, rows.Err()
}

// stopCounts counts here what the facts of a run say: SQL does not ask for them.
func stopCounts(ctx context.Context, q store.Querier) (out []StopCount, err error) {
	at := map[[2]string]int{}
	of := func(host, version string) *StopCount {
		k := [2]string{host, version}
		if _, ok := at[k]; !ok {
			at[k], out = len(out), append(out, StopCount{Host: host, Version: version})
		}
		return &out[at[k]]
	}
	err = each(ctx, q, `SELECT l.host, r.kind, r.facts`+fromRuns, func(rows scanner) error {
		var r Run
		var facts string
		if err := rows.Scan(&r.Host, &r.Kind, &facts); err != nil {
			return err
		}
		if _, err := unpack(facts, r.facts()); err != nil {
			return err
		}
		c := of(r.Host, r.HostVersion)
		c.Runs++
		if r.Kind == Root {
			c.Matched += r.NStop
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, q, `SELECT host, version, n, in_row FROM lost_stops`, func(rows scanner) error {
		var l StopCount
		if err := rows.Scan(&l.Host, &l.Version, &l.Lost, &l.InRow); err != nil {
			return err
		}
		c := of(l.Host, l.Version)
		c.Lost, c.InRow = l.Lost, l.InRow
		return nil
	})
	slices.SortFunc(out, func(a, b StopCount) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Version, b.Version))
	})
	return out, err
}

func verdictCounts(ctx context.Context, q store.Querier) (out []VerdictCount, err error) {
	at := map[VerdictCount]int{}
	err = each(ctx, q, `SELECT s.project_id, s.capability, s.missing, r.facts FROM scopes s JOIN runs r ON r.id = s.run_id
		ORDER BY s.project_id`, func(rows scanner) error {
		var v VerdictCount
		var c Capability
		var r Run
		var facts string
		if err := rows.Scan(&v.ProjectID, &c.Verdict, &c.Missing, &facts); err != nil {
			return err
		}
		if _, err := unpack(facts, r.facts()); err != nil {
			return err
		}
		v.Verdict, v.Missing = c.Reading(r)
		if _, ok := at[v]; !ok {
			at[v], out = len(out), append(out, v)
		}
		out[at[v]].N++
		return nil
	})
	return out, err
}

// each calls fn with every row of a query.
func each(ctx context.Context, q store.Querier, query string, fn func(scanner) error) error {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func listSessions(ctx context.Context, q store.Querier, f SessionFilter) ([]SessionView, error) {
	rows, err := q.QueryContext(ctx, `SELECT s.line_id, s.n, s.state, s.opened_at, s.ended_at, s.end_basis, s.reason, l.host, l.session_key,
		coalesce((SELECT r.project_id FROM runs r WHERE r.line_id = s.line_id AND r.stretch = s.n ORDER BY r.id DESC LIMIT 1), 0),
		coalesce((SELECT r.id FROM runs r WHERE r.line_id = s.line_id AND r.stretch = s.n ORDER BY r.id DESC LIMIT 1), 0),
		(SELECT count(*) FROM lines k JOIN runs r ON r.line_id = k.id
			WHERE k.host = l.host AND k.session_key = l.session_key AND r.stretch = s.n),
		(SELECT coalesce(max(r.last_seen_at), 0) FROM lines k JOIN runs r ON r.line_id = k.id
			WHERE k.host = l.host AND k.session_key = l.session_key AND r.stretch = s.n)
		FROM sessions s JOIN lines l ON l.id = s.line_id
		WHERE (? = 0 OR s.state = 'active')
			AND (? = 0 OR EXISTS (SELECT 1 FROM runs r WHERE r.line_id = s.line_id AND r.stretch = s.n AND r.project_id = ?))
		ORDER BY s.opened_at DESC, s.line_id DESC, s.n DESC LIMIT ?`, boolInt(f.OpenOnly), f.ProjectID, f.ProjectID, f.Limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []SessionView
	var newest []int64
	for rows.Next() {
		var v SessionView
		var id int64
		if err := rows.Scan(&v.LineID, &v.N, &v.State, &v.OpenedAt, &v.EndedAt, &v.Basis, &v.Reason, &v.Host, &v.Session,
			&v.ProjectID, &id, &v.Runs, &v.LastSeenAt); err != nil {
			return nil, err
		}
		out, newest = append(out, v), append(newest, id)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for i, id := range newest {
		if out[i].Newest, _, err = runByID(ctx, q, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// openQuery names both conditions: SQLite takes a partial index only by its own.
const openQuery = `SELECT l.id, l.host, l.session_key, l.agent_key, l.prompts, l.last_run, l.facts,
		s.n, s.state, s.opened_at, s.ended_at, s.end_basis, s.reason,
		coalesce((SELECT max(r.last_seen_at) FROM lines k CROSS JOIN runs r ON r.id = k.last_run
			WHERE k.host = l.host AND k.session_key = l.session_key AND k.agent_key > ''), 0)
		FROM sessions s INDEXED BY sessions_open JOIN lines l ON l.id = s.line_id
		WHERE s.state <> 'summarized' AND s.state = 'active'`

// openConversations returns the sessions that are stored as open: line and stretch.
func openConversations(ctx context.Context, q store.Querier) (list []Conversation, skipped int, err error) {
	rows, err := q.QueryContext(ctx, openQuery)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	type open struct {
		l    Line
		s    Stretch
		seen int64 // the last event of a subagent
	}
	var all []open // a Conversation is large, and a list that grows is copied
	var packed string
	var o open
	facts := o.l.facts()
	for rows.Next() {
		o = open{}
		err := rows.Scan(&o.l.ID, &o.l.Host, &o.l.Session, &o.l.Agent, &o.l.Prompts, &o.l.LastRun, &packed,
			&o.s.N, &o.s.State, &o.s.OpenedAt, &o.s.EndedAt, &o.s.Basis, &o.s.Reason, &o.seen)
		if err == nil {
			o.l.Unknown, err = unpack(packed, facts)
		}
		if err != nil {
			skipped++
			continue
		}
		o.s.LineID = o.l.ID
		all = append(all, o)
	}
	list = make([]Conversation, len(all))
	for i, o := range all {
		list[i].Line, list[i].Stretch, list[i].SeenAt = o.l, o.s, o.seen
	}
	return list, skipped, rows.Err()
}

// proofsOf is stretchProofs for the newest stretches of many root lines, by line.
func proofsOf(ctx context.Context, q store.Querier, lines []int64) (map[int64][]string, error) {
	list, err := json.Marshal(lines)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, proofsQuery, string(list))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := map[int64][]string{}
	for rows.Next() {
		var line int64
		var proof string
		if err := rows.Scan(&line, &proof); err != nil {
			return nil, err
		}
		out[line] = append(out[line], proof)
	}
	return out, rows.Err()
}

const proofsQuery = `SELECT DISTINCT r.line_id, coalesce(json_extract(r.facts, '$.host_proof'), '')
	FROM json_each(?) j CROSS JOIN runs r ON r.line_id = j.value
	WHERE r.stretch = (SELECT max(s.n) FROM sessions s WHERE s.line_id = r.line_id)`

// newestEnded returns the newest root run of each session of the list where it is over: where it lives it was read already.
func newestEnded(ctx context.Context, q store.Querier, list []Conversation, live []Run) ([]Run, int, error) {
	known := make(map[int64]bool, len(live))
	for _, r := range live {
		known[r.ID] = true
	}
	var ids []int64
	for i := range list {
		if id := list[i].Line.LastRun; id != 0 && !known[id] {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, 0, nil
	}
	b, err := json.Marshal(ids)
	if err != nil {
		return nil, 0, err
	}
	return someRuns(ctx, q, whereNewestEnded, string(b))
}

// whereNewestEnded leaves out a live run that could not be read: it is counted already.
const whereNewestEnded = `WHERE r.id IN (SELECT value FROM json_each(?)) AND r.state = 'ended'`

// whereLive has no order: for one by id SQLite would read the whole table.
const whereLive = `WHERE r.state <> 'ended'`

// allLive returns the runs that are stored as live, newest first.
func allLive(ctx context.Context, q store.Querier) ([]Run, int, error) {
	all, skipped, err := someRuns(ctx, q, whereLive)
	slices.SortFunc(all, func(a, b Run) int { return cmp.Compare(b.ID, a.ID) })
	return all, skipped, err
}

// someRuns is manyRuns for a view: of its columns alone, and a row that cannot be read is left out, and counted.
func someRuns(ctx context.Context, q store.Querier, where string, args ...any) (out []Run, skipped int, err error) {
	rows, err := q.QueryContext(ctx, "SELECT "+viewColumns+fromRuns+where, args...)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	v := newViewReader()
	for rows.Next() {
		r, err := v.read(rows)
		if err != nil {
			skipped++
			continue
		}
		out = append(out, r)
	}
	return out, skipped, rows.Err()
}

// configured reports whether there are settings at all.
func configured(ctx context.Context, q store.Querier) (any bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM config)`).Scan(&any)
	return any, err
}
