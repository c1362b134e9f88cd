// Package storetest opens real, migrated stores for tests, with a clock that only moves when told to.
package storetest

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"board/internal/store"
)

// Clock is a clock that stands still until it is moved.
type Clock struct {
	mu sync.Mutex
	t  time.Time
}

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

// Add moves the clock, also back.
func (c *Clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// Open returns a new store in a folder of the test, and its clock. It is closed when the test ends.
func Open(t testing.TB) (*store.DB, *Clock) {
	t.Helper()
	c := &Clock{t: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	db, err := store.Open(context.Background(), store.Options{
		Path: filepath.Join(t.TempDir(), "board.db"), Now: c.Now, Person: "pat", Machine: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		Sound(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, c
}
