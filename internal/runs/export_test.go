package runs

import (
	"context"

	"board/internal/store"
)

// Recorded returns the runs of a session as they are stored, oldest first.
func Recorded(ctx context.Context, q store.Querier, session string) ([]Run, error) {
	return manyRuns(ctx, q, "WHERE l.session_key = ? ORDER BY r.id", session)
}

// NewestStretch returns the number of a session's newest stretch, 0 for none, and whether it is open.
func NewestStretch(ctx context.Context, q store.Querier, session string) (int64, bool, error) {
	l, ok, err := findLine(ctx, q, ClaudeCode, session, "")
	if err != nil || !ok {
		return 0, false, err
	}
	s, _, err := newestStretch(ctx, q, l.ID)
	return s.N, s.Open(), err
}
