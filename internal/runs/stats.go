package runs

import (
	"context"

	"board/internal/store"
)

// HostEvent is how often, and when last, a host's event of one name was seen. Times are exact to the minute. The name is
// the host's own, or a disposition: how often events of the host were duplicates, conflicts, and so on.
type HostEvent struct {
	Host, Name string
	N, LastAt  int64
}

// HostEvents returns all of them, by host and name.
func HostEvents(ctx context.Context, q store.Querier) ([]HostEvent, error) { return hostEvents(ctx, q) }

// Probes counts the reminders that a host was given.
type Probes struct {
	Sent     int64
	Answered int64 // the line wrote to the board before its next user prompt
	NoEffect int64
	Open     int64 // neither yet
}

// statRuns is how many of the newest runs are counted: what was months ago says nothing of today.
const statRuns = 10_000

// ProbesOf returns the counts by host, of the newest ten thousand runs.
func ProbesOf(ctx context.Context, q store.Querier) (map[string]Probes, error) {
	list, err := manyRuns(ctx, q, "WHERE l.agent_key = '' ORDER BY r.id DESC LIMIT ?", statRuns)
	if err != nil {
		return nil, err
	}
	out := map[string]Probes{}
	last := map[int64]bool{} // lines whose newest probe is counted
	for _, r := range list {
		if r.Probes == 0 {
			continue
		}
		p := out[r.Host]
		p.Sent++
		switch {
		case r.Answered:
			p.Answered++
		case last[r.LineID]:
			p.NoEffect++
		default:
			l, err := LineByID(ctx, q, r.LineID)
			if err != nil {
				return nil, err
			}
			if l.ProbeWindow {
				p.Open++
			} else {
				p.NoEffect++
			}
		}
		last[r.LineID] = true
		out[r.Host] = p
	}
	return out, nil
}
