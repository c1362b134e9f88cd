package cli

import (
	"context"

	"board/internal/store"
)

// stored is one row of the settings.
type stored struct {
	project          int64
	host, key, value string
}

// where says for whom the row was stored.
func (s stored) where() string {
	w := "global"
	if s.project != 0 {
		w = "project"
	}
	if s.host != "" {
		w += " " + s.host
	}
	return w
}

// storedSettings returns the rows that hold for a project and a host, from the widest to the narrowest: the order in
// which the machines apply them.
func storedSettings(ctx context.Context, q store.Querier, project int64, host string) ([]stored, error) {
	rows, err := q.QueryContext(ctx, `SELECT project_id, host, key, value FROM config
		WHERE project_id IN (0, ?) AND host IN ('', ?) ORDER BY project_id <> 0, host <> ''`, project, host)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []stored
	for rows.Next() {
		var s stored
		if err := rows.Scan(&s.project, &s.host, &s.key, &s.value); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}
