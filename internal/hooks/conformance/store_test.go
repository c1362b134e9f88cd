package conformance

import (
	"context"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// row is one stored event, in words.
type row struct {
	Line              int64
	ID                string
	Kind, Disposition string
	Reason            string
	Turn, Agent       string // key of the run that it belongs to
	Run               int64
}

// stored returns the stored events, oldest first on each line.
func stored(t *testing.T, db *store.DB) []row {
	t.Helper()
	var out []row
	query(t, db, `SELECT e.line_id, hex(e.id), e.kind, e.disposition, e.reason, e.run_id, coalesce(r.turn_key, ''), coalesce(l.agent_key, '')
		FROM events e LEFT JOIN runs r ON r.id = e.run_id LEFT JOIN lines l ON l.id = r.line_id ORDER BY e.line_id, e.run_id, e.n`,
		func(scan func(...any) error) error {
			var r row
			var kind runs.ObservationKind
			var disposition runs.Disposition
			var why runs.Why
			err := scan(&r.Line, &r.ID, &kind, &disposition, &why, &r.Run, &r.Turn, &r.Agent)
			r.Kind, r.Disposition, r.Reason = kind.String(), disposition.String(), why.String()
			out = append(out, r)
			return err
		})
	return out
}

// allRuns returns every run as it is at now, in order of registration.
func allRuns(t *testing.T, db *store.DB, now int64) []runs.Run {
	t.Helper()
	var ids []int64
	query(t, db, `SELECT id FROM runs ORDER BY id`, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	var out []runs.Run
	for _, id := range ids {
		var r runs.Run
		err := db.Read(context.Background(), func(ctx context.Context, tx *store.Tx) (err error) {
			r, err = runs.ByID(ctx, tx, now, id)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// stretch is one stored stretch of a session.
type stretch struct {
	Session string
	N       int64
	State   string
}

func stretches(t *testing.T, db *store.DB) []stretch {
	t.Helper()
	var out []stretch
	query(t, db, `SELECT l.session_key, s.n, s.state FROM sessions s JOIN lines l ON l.id = s.line_id ORDER BY s.line_id, s.n`,
		func(scan func(...any) error) error {
			var s stretch
			err := scan(&s.Session, &s.N, &s.State)
			out = append(out, s)
			return err
		})
	return out
}

func query(t *testing.T, db *store.DB, sql string, each func(scan func(...any) error) error, args ...any) {
	t.Helper()
	rows, err := db.SQL().QueryContext(context.Background(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// number answers a query for one number.
func number(t *testing.T, db *store.DB, sql string, args ...any) int64 {
	t.Helper()
	var n int64
	if err := db.SQL().QueryRowContext(context.Background(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
