package store

import (
	"context"
	"time"
)

// wall is the clock of waiting: it only bounds how long a caller waits, and is never stored.
func wall() time.Time { return time.Now() }

// until is a context with a deadline that bounds the wait for other writers, and nothing else.
type until struct {
	context.Context
	at time.Time
}

// Deadline implements context.Context.
func (u until) Deadline() (time.Time, bool) { return u.at, true }

// Within returns a context whose transactions wait no longer than d from now, all together. It cannot be cancelled: a
// context that can costs a goroutine for every statement.
func Within(ctx context.Context, d time.Duration) context.Context { return until{ctx, wall().Add(d)} }

// Over reports whether the deadline of ctx is past.
func Over(ctx context.Context) bool {
	at, ok := ctx.Deadline()
	return ok && wall().After(at)
}
