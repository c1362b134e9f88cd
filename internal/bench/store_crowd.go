package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"board/internal/lab"
	"board/internal/store"
)

// The size of a board on which the views are measured.
const (
	crowdSessions = 200
	crowdIssues   = 10_000
	crowdWaiting  = 50 // of the Issues, in review
)

// crowd makes a second board of that size beside the first, and returns the environment that leads to it: sessions by the
// real hook, each with a prompt and an edit; Issues as copies of one that the real program made.
func crowd(ctx context.Context, w *lab.World, payload func(event, session string) []byte) (env string, err error) {
	path := filepath.Join(w.Root, "crowd.db")
	env = "BOARD_DB=" + path
	there := *w
	there.DB = path
	for _, args := range [][]string{{"init", "--prefix", "BEN", "--no-input"}, {"add", "An Issue that is ready"}} {
		if out := there.Board(ctx, args...); out.Err != nil {
			return "", fmt.Errorf("board %s: %w: %s", args[0], out.Err, out.Stderr)
		}
	}
	for i := range crowdSessions {
		for _, event := range []string{"prompt", "edit"} {
			if out := there.Hook(ctx, "claude-code", nil, payload(event, fmt.Sprintf("crowd-%d", i))); out.Err != nil {
				return "", fmt.Errorf("session %d: %w", i, out.Err)
			}
		}
	}
	db, err := store.Open(ctx, store.Options{Path: path, Now: time.Now, Person: "bench", Machine: "bench"})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return env, db.Write(ctx, multiply)
}

// multiply copies the first Issue.
func multiply(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.QueryContext(ctx, `SELECT name FROM pragma_table_info('issues')`)
	if err != nil {
		return err
	}
	var into, from []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return errors.Join(err, rows.Close())
		}
		value := name
		switch name {
		case "id", "number":
			value = name + " + n"
		case "uuid":
			value = "uuid || '-' || n"
		case "state":
			value = fmt.Sprintf("CASE WHEN n <= %d THEN 'in_review' WHEN n %% 3 = 0 THEN 'done' ELSE 'todo' END", crowdWaiting)
		}
		into, from = append(into, name), append(from, value)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
		INSERT INTO issues (`+strings.Join(into, ", ")+`) SELECT `+strings.Join(from, ", ")+` FROM issues, numbers`, crowdIssues-1)
	return err
}
