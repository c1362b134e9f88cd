package hooks

import (
	"bytes"
	"context"

	"board/internal/runs"
	"board/internal/store"
)

// Observe decodes a payload as the program does and finds its project, without storing anything. It answers false for
// what is no event.
func Observe(ctx context.Context, tx *store.Tx, host string, payload []byte, getenv func(string) string) (runs.Observation, bool, error) {
	a, ok := adapterOf(host)
	if !ok {
		return runs.Observation{}, false, nil
	}
	f, err := read(bytes.NewReader(payload), a.want, func() {})
	if err != nil {
		return runs.Observation{}, false, err
	}
	in, err := a.decode(f, getenv)
	if err != nil {
		return runs.Observation{}, false, nil //nolint:nilerr // what is no event is not an error here
	}
	_, err = in.locate(ctx, tx)
	return in.o, true, err
}
