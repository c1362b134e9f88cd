package cli

import (
	"context"
)

// names turns ids into what people call things.
type names struct {
	projects map[int64]string // prefixes
	issues   map[int64]string // keys of the Issues that a run is bound to, or a line holds
}

func (s *session) names(ctx context.Context) (names, error) {
	n := names{projects: map[int64]string{}, issues: map[int64]string{}}
	for to, query := range map[*map[int64]string]string{
		&n.projects: `SELECT id, prefix FROM projects`,
		&n.issues: `SELECT i.id, p.prefix || '-' || i.number FROM issues i JOIN projects p ON p.id = i.project_id
			WHERE i.holder_line <> 0 OR i.id IN (SELECT issue_id FROM runs WHERE issue_id <> 0)`,
	} {
		rows, err := s.db.SQL().QueryContext(ctx, query)
		if err != nil {
			return n, err
		}
		for rows.Next() {
			var id int64
			var name string
			if err := rows.Scan(&id, &name); err != nil {
				_ = rows.Close()
				return n, err
			}
			(*to)[id] = name
		}
		if err := rows.Err(); err != nil {
			return n, err
		}
		if err := rows.Close(); err != nil {
			return n, err
		}
	}
	return n, nil
}
