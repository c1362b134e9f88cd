package store

import (
	"context"
	"encoding/json"
	"strings"
)

// Entry is one row of the append-only history. Person, machine and time come from the transaction.
type Entry struct {
	Entity    string // issue, run, session, project or config
	EntityID  int64
	ProjectID int64
	Event     string
	From, To  string
	Revision  int64
	Actor     string // person, run, agent, host or clock
	RunID     int64
	Identity  string // "", proven, declared or undeclared
	Detail    map[string]string
}

// Append adds a row to the history.
func (tx *Tx) Append(ctx context.Context, e Entry) error { return tx.insert(ctx, []Entry{e}) }

// AppendLater adds a row to the history just before the commit: one statement for all of them.
func (tx *Tx) AppendLater(e Entry) { tx.later = append(tx.later, e) }

func (tx *Tx) flush(ctx context.Context) error {
	if len(tx.later) == 0 {
		return nil
	}
	rows := tx.later
	tx.later = nil
	return tx.insert(ctx, rows)
}

func (tx *Tx) insert(ctx context.Context, rows []Entry) error {
	const columns = 14
	args := make([]any, 0, columns*len(rows))
	for _, e := range rows {
		detail := "{}"
		if len(e.Detail) > 0 {
			b, err := json.Marshal(e.Detail)
			if err != nil {
				return err
			}
			detail = string(b)
		}
		args = append(args, tx.Now, e.Entity, e.EntityID, e.ProjectID, e.Event, e.From, e.To, e.Revision, e.Actor, e.RunID,
			e.Identity, tx.Person, tx.Machine, detail)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO history
		(at, entity, entity_id, project_id, event, from_state, to_state, revision, actor, run_id, identity, person, machine, detail)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`+strings.Repeat(", (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", len(rows)-1), args...)
	return err
}
