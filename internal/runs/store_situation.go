package runs

import (
	"context"
	"database/sql"
	"strings"

	"board/internal/store"
)

// situation is what has to be known before an observation can be applied. It is read in one statement, because
// compiling statements is most of what a hook does.
type situation struct {
	seenAt int64 // when an event of this name was counted last
	root   Line  // zero if the session is unknown
	stored bool  // the root line has an event of this id

	configured bool   // there are settings at all
	config     Config // in force for the project of the observation

	// The rest is read only where it is needed.
	stretch               Stretch
	lastSeen              int64 // the last sign of life of the session, of its subagents too
	held                  int64 // the Issue that the root line holds
	live                  bool  // some run of the root line is stored as live
	children              bool  // the session has had subagents
	waiting               bool  // events of the root line wait for their run
	newestRun, newestLine int64 // ids, 0 for none
}

// need is a part of the situation that not every observation needs.
type need int

const (
	needStretch need = 1 << iota
	needHeld
	needLive
	needChildren
	needWaiting
	needNewest
	needAll = needStretch | needHeld | needLive | needChildren | needWaiting | needNewest
)

// needs returns what an observation mostly needs. One that turns out to register or continue a run needs all.
func (o Observation) needs() need {
	switch o.Kind {
	case OnPrompt, OnSubagentStart:
		return needAll
	case OnStop:
		return needHeld | needChildren
	case OnSessionStart, OnSessionEnd, OnCompaction:
		return needStretch | needLive | needHeld
	}
	if o.Key.Agent != "" {
		return needLive // its events are its root's sign of life
	}
	return 0
}

func look(ctx context.Context, q store.Querier, o Observation, id [16]byte, needed need) (situation, error) {
	var s situation
	var leased int64
	b := columns{}
	b.add("(SELECT last_at FROM host_events WHERE host = ?1 AND name = ?2)", or(&s.seenAt))
	b.add("EXISTS (SELECT 1 FROM config)", &s.configured)
	b.add("EXISTS (SELECT 1 FROM events e WHERE e.line_id = l.id AND e.id = ?4)", &s.stored)
	b.add("l.id, l.prompts, l.last_prompt_at, l.rules_due, l.told, l.probed_at, l.probe_window, l.probe_effect, l.news, l.last_run",
		or(&s.root.ID), or(&s.root.Prompts), or(&s.root.LastPromptAt), or(&s.root.RulesDue), or(&s.root.Told), or(&s.root.ProbedAt),
		or(&s.root.ProbeWindow), or(&s.root.ProbeEffect), or(&s.root.News), or(&s.root.LastRun))
	from := " FROM (SELECT 1) LEFT JOIN lines l ON l.host = ?1 AND l.session_key = ?3 AND l.agent_key = ''"
	if needed&needStretch != 0 {
		b.add("s.n, s.state, s.opened_at, s.ended_at, s.end_basis, s.reason, r.last_seen_at, r.lease_until", or(&s.stretch.N),
			or(&s.stretch.State), or(&s.stretch.OpenedAt), or(&s.stretch.EndedAt), or(&s.stretch.Basis), or(&s.stretch.Reason),
			or(&s.lastSeen), or(&leased))
		from += ` LEFT JOIN sessions s ON s.line_id = l.id AND s.n = (SELECT max(n) FROM sessions WHERE line_id = l.id)
			LEFT JOIN runs r ON r.id = l.last_run`
	}
	if needed&needHeld != 0 {
		b.add("(SELECT h.id FROM issues h WHERE h.holder_line = l.id AND h.holder_line <> 0)", or(&s.held))
	}
	if needed&needLive != 0 {
		b.add("EXISTS (SELECT 1 FROM runs x WHERE x.line_id = l.id AND x.state <> 'ended')", &s.live)
	}
	if needed&needChildren != 0 {
		b.add("EXISTS (SELECT 1 FROM lines k WHERE k.host = ?1 AND k.session_key = ?3 AND k.agent_key > '')", &s.children)
	}
	if needed&needWaiting != 0 {
		b.add("EXISTS (SELECT 1 FROM events e WHERE e.line_id = l.id AND e.body <> '')", &s.waiting)
	}
	if needed&needNewest != 0 {
		b.add("(SELECT max(id) FROM runs), (SELECT max(id) FROM lines)", or(&s.newestRun), or(&s.newestLine))
	}
	err := q.QueryRowContext(ctx, "SELECT "+strings.Join(b.names, ", ")+from, o.Key.Host, o.Name, o.Key.Session, id[:]).
		Scan(b.to...)
	if err != nil {
		return s, err
	}
	s.config = Defaults()
	if s.configured {
		if s.config, err = Settings(ctx, q, o.Key.Host, o.ProjectID); err != nil {
			return s, err
		}
	}
	s.root.Host, s.root.Session, s.stretch.LineID = o.Key.Host, o.Key.Session, s.root.ID
	if s.root.ID == 0 {
		s.root.RulesDue = true
	}
	// A subagent's events renew the lease of its root: the lease tells of them.
	s.lastSeen = max(s.lastSeen, leased-s.config.Lease)
	return s, err
}

// columns is the columns of a statement that is put together, and where they go.
type columns struct {
	names []string
	to    []any
}

func (c *columns) add(names string, to ...any) {
	c.names, c.to = append(c.names, names), append(c.to, to...)
}

// optional scans a column that may be NULL: the value stays what it is then.
type optional[T any] struct{ to *T }

func or[T any](to *T) *optional[T] { return &optional[T]{to} }

// Scan implements sql.Scanner.
func (o *optional[T]) Scan(v any) error {
	var n sql.Null[T]
	if err := n.Scan(v); err != nil {
		return err
	}
	if n.Valid {
		*o.to = n.V
	}
	return nil
}
