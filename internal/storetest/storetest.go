// Package storetest opens real, migrated stores for tests, with a clock that only moves when told to.
package storetest

import (
	"context"
	"path/filepath"
	"strings"
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
		whole(t, db)
		Trails(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, c
}

// whole reports columns that are NULL. The schema says NOT NULL only where it makes a key whole.
func whole(t testing.TB, db *store.DB) {
	rows, err := db.SQL().Query(`SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`)
	if err != nil {
		return // the test broke or closed the store on purpose
	}
	defer func() { _ = rows.Close() }()
	conditions := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Error(err)
			return
		}
		conditions[table] = append(conditions[table], column+" IS NULL")
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	for table, any := range conditions {
		var n int
		if err := db.SQL().QueryRow("SELECT count(*) FROM " + table + " WHERE " + strings.Join(any, " OR ")).Scan(&n); err != nil || n > 0 {
			t.Errorf("%d rows of %s have a NULL (%v)", n, table, err)
		}
	}
}
