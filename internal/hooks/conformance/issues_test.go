package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"board/internal/store"
)

// columns are the columns of a row that a test cares about.
type columns map[string]any

// insertIssues stores Issues as they are: every column that is not named is empty. The hook path never writes one, so
// its tests need no use case of theirs.
func insertIssues(t *testing.T, db *store.DB, all ...columns) {
	t.Helper()
	empty := columns{}
	query(t, db, `SELECT name, type FROM pragma_table_info('issues') WHERE dflt_value IS NULL AND pk = 0`, func(scan func(...any) error) error {
		var name, kind string
		err := scan(&name, &kind)
		empty[name] = ""
		if kind == "INTEGER" {
			empty[name] = 0
		}
		return err
	})
	err := db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		for _, c := range all {
			var names []string
			var values []any
			for name, v := range with(more(empty), with(more{
				"uuid": fmt.Sprint("u", c["number"]), "project_id": 1, "labels": "[]", "links": "[]", "revision": 1, "version": 1,
			}, more(c))) {
				names, values = append(names, name), append(values, v)
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO issues (`+strings.Join(names, ", ")+`) VALUES (`+
				strings.Join(slices.Repeat([]string{"?"}, len(names)), ", ")+`)`, values...)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
