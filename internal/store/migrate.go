package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"board/internal/fault"
)

//go:embed migrations/*.sql
var migrations embed.FS

// SchemaVersion is the schema that this program knows: the number of its migrations. It is SQLite's user_version.
const SchemaVersion = 1

var errNotExist = fmt.Errorf("%w", fs.ErrNotExist)

// verifySchema refuses a schema other than ours: the hook hands over to board then, which migrates.
func (d *DB) verifySchema(ctx context.Context) error {
	var v int
	err := d.retry(ctx, func() error { return d.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v) })
	switch {
	case err != nil:
		return err
	case v > SchemaVersion:
		return newer(d.path, v)
	case v < SchemaVersion:
		return fault.New(fault.IdentityMismatch, "run any board command", "the database has schema %d, this program knows %d", v, SchemaVersion)
	}
	return nil
}

// migrate brings the store to SchemaVersion in one immediate transaction. Forty processes may meet a new file at once:
// the first one in does the work, the others find it done.
func (d *DB) migrate(ctx context.Context) error {
	var v int
	if err := d.retry(ctx, func() error { return d.sql.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v) }); err != nil {
		return err
	}
	if v > SchemaVersion {
		return newer(d.path, v)
	}
	if v == 0 {
		if err := d.usePageSize(ctx); err != nil {
			return err
		}
	}
	if err := d.useWAL(ctx); err != nil {
		return err
	}
	if v == SchemaVersion {
		return nil
	}
	return d.Write(ctx, func(ctx context.Context, tx *Tx) error {
		var v, tables int
		if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
			return err
		}
		if v > SchemaVersion {
			return newer(d.path, v)
		}
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
			return err
		}
		if v == 0 && tables > 0 {
			return notOurs(d.path)
		}
		for n := v + 1; n <= SchemaVersion; n++ {
			if err := apply(ctx, tx, n); err != nil {
				return err
			}
		}
		return nil
	})
}

func apply(ctx context.Context, tx *Tx, n int) error {
	files, err := fs.Glob(migrations, fmt.Sprintf("migrations/%04d_*.sql", n))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("migration %d: %d files (%w)", n, len(files), errors.Join(err, fs.ErrNotExist))
	}
	text, err := migrations.ReadFile(files[0])
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, bare(string(text))); err != nil {
		return fmt.Errorf("migration %s: %w", strings.TrimPrefix(files[0], "migrations/"), err)
	}
	if n == 1 {
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", ApplicationID)); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", n))
	return err
}

// pageSize is smaller than SQLite's default: most rows are small, a hook touches a dozen pages, and each is read,
// checksummed and written whole.
const pageSize = 2048

// usePageSize sets the page size of a file that holds nothing yet. On any other it does nothing.
func (d *DB) usePageSize(ctx context.Context) error {
	return d.retry(ctx, func() error {
		_, err := d.sql.ExecContext(ctx, fmt.Sprintf("PRAGMA page_size = %d", pageSize))
		return err
	})
}

// useWAL switches the file to write-ahead logging, once. The switch ignores every busy timeout, hence the retries.
func (d *DB) useWAL(ctx context.Context) error {
	var mode string
	err := d.retry(ctx, func() error {
		return d.sql.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
	})
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && mode != "wal":
		return fault.New(fault.StoreBroken, "set BOARD_DB to a path on a local disk",
			"the file system of %s cannot keep a write-ahead log (it may be a network drive)", d.path)
	}
	return err
}

// bare strips comments and indentation. SQLite keeps the text of the schema and parses it whenever a program opens the
// store: a hook pays for every byte.
func bare(sql string) string {
	var b strings.Builder
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		for i, w := range strings.Fields(code) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
