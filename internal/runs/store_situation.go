package runs

import (
	"context"
	"database/sql"
	"errors"
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
	lastSeen              int64  // the last sign of life of the session, of its subagents too
	proof                 string // which process the host of its newest run is
	held                  int64  // the Issue that the root line holds
	live                  bool   // some run of the root line is stored as live
	children              bool   // the session has had subagents
	newestRun, newestLine int64  // ids, 0 for none
	lost                  int64  // Stops of the host in a row that belonged to no run
}

// need is a part of the situation that not every observation needs.
type need int

const (
	needStretch need = 1 << iota
	needHeld
	needLive
	needChildren
	needNewest
	needLost
	needAll = needStretch | needHeld | needLive | needChildren | needNewest
)

// needs returns what an observation mostly needs. One that turns out to register or continue a run needs all.
func (o Observation) needs() need {
	switch o.Kind {
	case OnPrompt, OnSubagentStart:
		return needAll
	case OnStop:
		return needHeld | needChildren | needLost
	case OnSessionStart, OnSessionEnd, OnCompaction:
		return needStretch | needLive | needHeld
	}
	if o.Key.Agent != "" {
		return needLive // its events are its root's sign of life
	}
	return 0
}

// look reads the situation. A prompt may be the first of its session, which needs next to nothing: its line is asked for
// first. Any other event mostly belongs to a session that is known, and one statement reads it all.
func look(ctx context.Context, q store.Querier, o Observation, id [16]byte, needed need) (s situation, err error) {
	ask := question{o: o, id: id, needed: needed}
	if o.Kind != OnPrompt {
		ask.line = "l.id"
		s, err = ask.put(ctx, q)
		if !errors.Is(err, sql.ErrNoRows) {
			return s, err
		}
		ask.line = ""
		return ask.put(ctx, q)
	}
	l, known, err := findLine(ctx, q, o.Key.Host, o.Key.Session, "")
	if err != nil {
		return s, err
	}
	if ask.root = l; known {
		ask.line = "?5"
	}
	return ask.put(ctx, q)
}

// question is what look asks, and how its statement names the root line: "" for one that does not exist, "l.id" where
// the statement finds it, "?5" where it is known as root.
type question struct {
	o      Observation
	id     [16]byte
	needed need
	line   string
	root   Line
}

func (a question) put(ctx context.Context, q store.Querier) (s situation, err error) {
	s.root = a.root
	var b columns
	b.add("(SELECT last_at FROM host_events WHERE host = ?1 AND name = ?2)", or(&s.seenAt))
	b.add("EXISTS (SELECT 1 FROM config)", &s.configured)
	if a.needed&needNewest != 0 {
		b.add("(SELECT max(id) FROM runs), (SELECT max(id) FROM lines)", or(&s.newestRun), or(&s.newestLine))
	}
	if a.needed&needLost != 0 {
		b.add("(SELECT max(in_row) FROM lost_stops WHERE host = ?1)", or(&s.lost))
	}
	var leased int64
	if a.line != "" {
		a.known(&b, &s, &leased)
	}
	from, facts := "", ""
	if a.line == "l.id" {
		b.add("l.id, l.prompts, l.last_run, l.facts", &s.root.ID, &s.root.Prompts, &s.root.LastRun, &facts)
		from = " FROM lines l WHERE l.host = ?1 AND l.session_key = ?3 AND l.agent_key = ''"
	}
	text := "SELECT " + strings.Join(b.names, ", ") + from
	args := []any{a.o.Key.Host, a.o.Name, a.o.Key.Session, a.id[:], a.root.ID}
	for n := len(args); !strings.Contains(text, "?"+itoa(int64(n))); n-- { // the driver takes no more than there are
		args = args[:n-1]
	}
	if err := q.QueryRowContext(ctx, text, args...).Scan(b.to...); err != nil {
		return s, err
	}
	if a.line == "l.id" {
		if s.root.Unknown, err = unpack(facts, s.root.facts()); err != nil {
			return s, err
		}
	}
	s.root.Host, s.root.Session = a.o.Key.Host, a.o.Key.Session
	if a.line == "" {
		s.root.RulesDue = true
	}
	s.config = Defaults()
	if s.configured {
		if s.config, err = Settings(ctx, q, a.o.Key.Host, a.o.ProjectID); err != nil {
			return s, err
		}
	}
	// A subagent's events renew the lease of its root: the lease tells of them.
	s.lastSeen = max(s.lastSeen, leased-s.config.Lease)
	if a.needed&needStretch != 0 && s.root.ID != 0 {
		s.stretch, _, err = newestStretch(ctx, q, s.root.ID)
	}
	s.stretch.LineID = s.root.ID
	return s, err
}

// known adds what can only be asked of a session that was seen before.
func (a question) known(b *columns, s *situation, leased *int64) {
	b.add("EXISTS (SELECT 1 FROM events WHERE line_id = "+a.line+" AND id = ?4)", &s.stored)
	if a.needed&needHeld != 0 {
		b.add("(SELECT id FROM issues WHERE holder_line = "+a.line+" AND holder_line <> 0)", or(&s.held))
	}
	if a.needed&needLive != 0 {
		b.add("EXISTS (SELECT 1 FROM runs WHERE line_id = "+a.line+" AND state <> 'ended')", &s.live)
	}
	if a.needed&needChildren != 0 {
		b.add("EXISTS (SELECT 1 FROM lines WHERE host = ?1 AND session_key = ?3 AND agent_key > '')", &s.children)
	}
	if a.needed&needStretch != 0 {
		b.add("(SELECT last_seen_at FROM runs WHERE id = (SELECT last_run FROM lines WHERE id = "+a.line+"))", or(&s.lastSeen))
		b.add("(SELECT lease_until FROM runs WHERE id = (SELECT last_run FROM lines WHERE id = "+a.line+"))", or(leased))
		b.add("(SELECT json_extract(facts, '$.host_proof') FROM runs WHERE id = (SELECT last_run FROM lines WHERE id = "+a.line+"))", or(&s.proof))
	}
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
