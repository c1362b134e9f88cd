// Package store opens the database, migrates it, and runs transactions on it.
package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"board/internal/fault"
)

// DefaultWait is how long a transaction waits for other writers when its context has no deadline.
const DefaultWait = 10 * time.Second

// The longest pause between two attempts to begin. SQLite's own busy schedule backs off up to 100 ms and starves
// waiters; random pauses of one bound keep the wait fair. A host waits for a hook: it asks often. Others can afford not
// to: 50 servers that ask every millisecond leave the one that writes a fiftieth of the machine (five times slower).
const (
	hookPause = 2 * time.Millisecond
	longPause = 20 * time.Millisecond
)

// Options says how to open the store. The zero value of each field but Path and Now has a meaning.
type Options struct {
	Path     string
	Now      func() time.Time // the clock; required
	Person   string           // who acts, for runs and history rows
	Machine  string           // where
	Wait     time.Duration    // how long a transaction waits for other writers if its context has no deadline; 0: DefaultWait
	Hook     bool             // commits at NORMAL, no automatic checkpoint, one connection, never creates or migrates
	ReadOnly bool             // never creates, migrates or writes
}

// DB is an open store.
type DB struct {
	sql             *sql.DB
	path            string
	file            os.FileInfo // of path, when it was opened
	now             func() time.Time
	wait, pause     time.Duration
	person, machine string
	spool           Spool
}

// Querier is what reads need; *Tx, *sql.Tx and *sql.DB have it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Tx is one transaction. Now is its one reading of the clock in UTC milliseconds.
type Tx struct {
	*sql.Tx
	Now             int64
	Person, Machine string
	later           []Entry
}

// Open opens the store at o.Path. Unless Hook or ReadOnly is set it creates and migrates it.
func Open(ctx context.Context, o Options) (*DB, error) {
	h, err := readHeader(o.Path)
	if err != nil {
		return nil, err
	}
	if err := h.check(o.Path); err != nil {
		return nil, err
	}
	passive := o.Hook || o.ReadOnly
	if passive {
		if !h.exists || h.empty {
			return nil, openFault(o.Path, errNotExist)
		}
	} else if err := prepare(o.Path); err != nil {
		return nil, err
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	d := &DB{path: o.Path, now: o.Now, wait: o.Wait, person: o.Person, machine: o.Machine, spool: SpoolAt(o.Path)}
	d.sql = sql.OpenDB(&connector{dsn: dsn(o), hook: o.Hook, readOnly: o.ReadOnly})
	if o.Hook {
		d.pause = hookPause
		d.sql.SetMaxOpenConns(1)
	} else {
		d.pause = longPause
		d.sql.SetMaxOpenConns(4)
		d.sql.SetConnMaxIdleTime(30 * time.Second)
	}
	if passive {
		err = d.verifySchema(ctx)
	} else {
		err = d.migrate(ctx)
	}
	if err == nil && !o.Hook {
		d.file, err = os.Stat(o.Path)
	}
	if err != nil {
		// A store of a newer board is left alone: closing the last connection would checkpoint its log.
		if fault.CodeOf(err) != fault.StoreNewer {
			_ = d.sql.Close()
		}
		return nil, err
	}
	return d, nil
}

func dsn(o Options) string {
	q := url.Values{}
	q.Set("_txlock", "immediate")
	q.Set("_dqs", "0")
	if o.Hook {
		// Each setting is a statement to compile. No foreign key is on the hook's path, and the driver's busy timeout is
		// 0 unless it is set: a test reads both back.
		q.Set("_synchronous", "NORMAL")
	} else {
		q.Set("_foreign_keys", "1")
		q.Set("_busy_timeout", "0") // Write and Read have their own, fairer schedule
		q.Set("_synchronous", "FULL")
	}
	if o.ReadOnly {
		q.Set("mode", "ro")
	} else {
		q.Set("mode", "rw")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: o.Path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// connector opens connections and reads their settings back: a setting that did not take effect must not be found out
// by losing data.
type connector struct {
	dsn            string
	hook, readOnly bool
}

func (c *connector) Driver() driver.Driver { return &sqlite.Driver{} }

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(c.dsn)
	if err != nil {
		return nil, translate(err)
	}
	if c.hook {
		return conn, nil // a test reads them back: a hook has no time to
	}
	for name, v := range map[string]int64{"foreign_keys": 1, "synchronous": 2, "busy_timeout": 0} {
		got, err := pragma(ctx, conn, name)
		if err == nil && got != v {
			err = fault.New(fault.StoreBroken, "report this as a defect", "the database refuses the setting %s", name)
		}
		if err != nil {
			_ = conn.Close()
			return nil, translate(err)
		}
	}
	return conn, nil
}

func pragma(ctx context.Context, c driver.Conn, name string) (int64, error) {
	q, ok := c.(driver.QueryerContext)
	if !ok {
		return 0, errors.New("the driver cannot query")
	}
	rows, err := q.QueryContext(ctx, "PRAGMA "+name, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	v := make([]driver.Value, 1)
	if err := rows.Next(v); err != nil {
		return 0, err
	}
	n, ok := v[0].(int64)
	if !ok {
		return 0, fmt.Errorf("PRAGMA %s is no number", name)
	}
	return n, nil
}

// Replaced reports whether another file, or none, stands at the path since the store was opened: what is written here
// would be lost. A long-lived process asks before it acts, and opens the store again.
func (d *DB) Replaced() bool {
	st, err := os.Stat(d.path)
	return err != nil || !os.SameFile(st, d.file)
}

// SQL is the handle below, for bun and for backup.
func (d *DB) SQL() *sql.DB { return d.sql }

// Path is the database file.
func (d *DB) Path() string { return d.path }

// Spool is where events wait that could not be stored.
func (d *DB) Spool() Spool { return d.spool }

// Now reads the clock, in UTC milliseconds.
func (d *DB) Now() int64 { return d.now().UnixMilli() }

// Close closes the store. The last close of a store checkpoints its write-ahead log.
func (d *DB) Close() error { return d.sql.Close() }

// Write runs fn in one immediate transaction and commits it. While other writers hold the store it begins again, until
// the deadline of ctx (Options.Wait without one); then the answer is a StoreBusy fault. fn may run more than once.
func (d *DB) Write(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.run(ctx, &sql.TxOptions{}, fn)
}

// Read is Write for a consistent read: a deferred transaction that takes no write lock.
func (d *DB) Read(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return d.run(ctx, &sql.TxOptions{ReadOnly: true}, fn)
}

// Look runs fn on a connection without a transaction: for a single read, which is consistent by itself.
func (d *DB) Look(ctx context.Context, fn func(ctx context.Context, q Querier) error) error {
	return d.retry(ctx, func() error { return fn(ctx, d.sql) })
}

func (d *DB) run(ctx context.Context, o *sql.TxOptions, fn func(context.Context, *Tx) error) error {
	return d.retry(ctx, func() (err error) {
		tx, err := d.sql.BeginTx(ctx, o)
		if err != nil {
			return err
		}
		committed := false
		defer func() { // also when fn panics: a lock that stays would stop every other writer
			if !committed {
				err = errors.Join(err, rollback(tx))
			}
		}()
		t := &Tx{Tx: tx, Now: d.Now(), Person: d.person, Machine: d.machine}
		if err := fn(ctx, t); err != nil {
			return err
		}
		if err := t.flush(ctx); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		committed = true
		return nil
	})
}

func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// retry runs f until it ends otherwise than by a lock of somebody else, or the deadline passes.
func (d *DB) retry(ctx context.Context, f func() error) error {
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = wall().Add(d.wait)
	}
	for {
		err := f()
		if err == nil {
			return nil
		}
		if !busy(err) || ctx.Err() != nil || wall().After(deadline) {
			return translate(err)
		}
		t := time.NewTimer(time.Duration(rand.Int64N(int64(d.pause))))
		select {
		case <-ctx.Done():
			t.Stop()
		case <-t.C:
		}
	}
}

func busy(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}

// translate turns errors of the driver into faults. Anything else passes unchanged.
func translate(err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT:
		return fault.Wrap(err, fault.StoreBusy, "try again", "other programs are writing to the board")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return fault.Wrap(err, fault.StoreReadonly, "make the database and its folder writable; in a sandboxed agent, add the folder to the writable roots",
			"the board's database cannot be written here")
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return fault.Wrap(err, fault.StoreBroken, "restore a copy if you have one, or move the file away", "the board's database is damaged")
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return fault.Wrap(err, fault.StoreBroken, "free space on the disk and try again; on a network drive set BOARD_DB to a local path",
			"the disk refused to store the change")
	}
	return err
}
