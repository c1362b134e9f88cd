package runs

import (
	"context"

	"board/internal/store"
)

// LostInRow is from how many Stops on that belonged to no run, one after the other, the correlation counts as lost.
const LostInRow = 5

// LostRow is a row of Stops of one version of a host, none of which belonged to a run.
type LostRow struct {
	Host, Version string // version "" where the host does not say it
	N             int64
}

// LostRows returns those that are long enough for the correlation to count as lost, by host and version.
func LostRows(ctx context.Context, q store.Querier) (out []LostRow, err error) {
	err = each(ctx, q, `SELECT host, version, in_row FROM lost_stops ORDER BY host, version`, func(rows scanner) error {
		var l LostRow
		err := rows.Scan(&l.Host, &l.Version, &l.N)
		if l.N >= LostInRow {
			out = append(out, l)
		}
		return err
	})
	return out, err
}
