package projects

import (
	"context"

	"board/internal/store"
)

// ByPlace returns the project one of whose identities has the digest place, 0 for none.
func ByPlace(ctx context.Context, q store.Querier, place string, digest func(identity string) string) (int64, error) {
	rows, err := q.QueryContext(ctx, "SELECT path, project_id FROM project_paths")
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var path string
		var id int64
		if err := rows.Scan(&path, &id); err != nil {
			return 0, err
		}
		if digest(path) == place {
			return id, nil
		}
	}
	return 0, rows.Err()
}
