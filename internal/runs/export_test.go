package runs

import (
	"context"

	"board/internal/store"
)

// Recorded returns the runs of a session as they are stored, oldest first.
func Recorded(ctx context.Context, q store.Querier, session string) ([]Run, error) {
	return manyRuns(ctx, q, "WHERE l.session_key = ? ORDER BY r.id", session)
}
