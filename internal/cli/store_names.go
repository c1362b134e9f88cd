package cli

import (
	"context"
	"strings"

	"board/internal/store"
)

// names turns ids into what people call things.
type names struct {
	projects map[int64]string // prefixes
	issues   map[int64]string // keys of the Issues that a run is bound to, or a line holds
}

func (s *session) names(ctx context.Context) (n names, err error) {
	if n.projects, err = s.prefixes(ctx); err != nil {
		return n, err
	}
	n.issues, err = namesOf(ctx, s.db.SQL(), `SELECT i.id, p.prefix || '-' || i.number FROM issues i JOIN projects p ON p.id = i.project_id
		WHERE i.holder_line <> 0 OR i.id IN (SELECT issue_id FROM runs WHERE issue_id <> 0)`)
	return n, err
}

// prefixes returns those of all projects, by id.
func (s *session) prefixes(ctx context.Context) (map[int64]string, error) {
	return namesOf(ctx, s.db.SQL(), `SELECT id, prefix FROM projects`)
}

// issueKeys returns the keys of Issues, by id.
func (s *session) issueKeys(ctx context.Context, ids []any) (map[int64]string, error) {
	if len(ids) == 0 {
		return map[int64]string{}, nil
	}
	return namesOf(ctx, s.db.SQL(), `SELECT i.id, p.prefix || '-' || i.number FROM issues i JOIN projects p ON p.id = i.project_id
		WHERE i.id IN (?`+strings.Repeat(",?", len(ids)-1)+`)`, ids...)
}

// namesOf runs a query of ids and names.
func namesOf(ctx context.Context, q store.Querier, query string, args ...any) (map[int64]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := map[int64]string{}
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, err
		}
		out[id] = name
	}
	return out, rows.Err()
}
