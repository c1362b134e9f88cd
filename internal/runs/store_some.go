package runs

import (
	"context"
	"encoding/json"

	"board/internal/store"
)

// Some returns runs as they are now, by id, in one query. One that cannot be read is left out and counted in skipped.
func Some(ctx context.Context, q store.Querier, now int64, ids []int64) (out map[int64]Run, skipped int, err error) {
	out = make(map[int64]Run, len(ids))
	if len(ids) == 0 {
		return out, 0, nil
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, 0, err
	}
	found, skipped, err := someRuns(ctx, q, "WHERE r.id IN (SELECT value FROM json_each(?))", string(list))
	for _, r := range found {
		if r, err = asOf(ctx, q, r, now); err != nil {
			return nil, 0, err
		}
		r.Handle = ""
		out[r.ID] = r
	}
	return out, skipped, err
}
