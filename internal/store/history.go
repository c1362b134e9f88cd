package store

import (
	"context"
	"encoding/json"
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
func (tx *Tx) Append(ctx context.Context, e Entry) error {
	detail := "{}"
	if len(e.Detail) > 0 {
		b, err := json.Marshal(e.Detail)
		if err != nil {
			return err
		}
		detail = string(b)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO history
		(at, entity, entity_id, project_id, event, from_state, to_state, revision, actor, run_id, identity, person, machine, detail)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		tx.Now, e.Entity, e.EntityID, e.ProjectID, e.Event, e.From, e.To, e.Revision, e.Actor, e.RunID, e.Identity,
		tx.Person, tx.Machine, detail)
	return err
}
