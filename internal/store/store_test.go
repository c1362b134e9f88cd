package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOpenCreatesAStoreThatOpensAgain(t *testing.T) {
	p := filepath.Join(t.TempDir(), "sub dir", "b?%#.db")
	for range 2 {
		db, err := Open(context.Background(), Options{Path: p, Now: time.Now, Person: "p", Machine: "m"})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
			return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person", Detail: map[string]string{"a": "b"}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEveryConnectionHasItsSettings(t *testing.T) {
	p := filepath.Join(t.TempDir(), "b.db")
	for name, c := range map[string]struct {
		o    Options
		sync int
		keys int // foreign keys: none is on the hook's path
	}{
		"full": {Options{Path: p, Now: time.Now}, 2, 1},
		"hook": {Options{Path: p, Now: time.Now, Hook: true}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "hook" {
				db, err := Open(context.Background(), Options{Path: p, Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = db.Close() }()
			}
			db, err := Open(context.Background(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			for pragma, want := range map[string]any{
				"foreign_keys": c.keys, "synchronous": c.sync, "busy_timeout": 0, "journal_mode": "wal",
			} {
				var got any
				if err := db.SQL().QueryRow("PRAGMA " + pragma).Scan(&got); err != nil {
					t.Fatal(err)
				}
				if n, ok := got.(int64); ok {
					got = int(n)
				}
				if got != want {
					t.Errorf("%s = %v, want %v", pragma, got, want)
				}
			}
		})
	}
}

func TestAPanicInATransactionLeavesNoLock(t *testing.T) {
	db, err := Open(context.Background(), Options{Path: filepath.Join(t.TempDir(), "b.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	func() {
		defer func() { _ = recover() }()
		_ = db.Write(context.Background(), func(context.Context, *Tx) error { panic("defect") })
	}()
	err = db.Write(Within(context.Background(), time.Second), func(ctx context.Context, tx *Tx) error {
		return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person"})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAHookFoldsBackALongLogButNotAHugeOne(t *testing.T) {
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(context.Background(), Options{Path: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for frames, want := range map[int64]bool{0: false, maxFrames: false, maxFrames + 1: true, hugeFrames: true, hugeFrames + 1: false} {
		log := DB{path: filepath.Join(t.TempDir(), "x.db")}
		if err := os.WriteFile(log.path+"-wal", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(log.path+"-wal", frames*frameBytes); err != nil {
			t.Fatal(err)
		}
		if got := log.LogIsLong(); got != want {
			t.Errorf("%d frames: long is %v, want %v", frames, got, want)
		}
	}
	if err := db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
		return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person"})
	}); err != nil {
		t.Fatal(err)
	}
	db.TrimLog()
	if st, err := os.Stat(p + "-wal"); err != nil || st.Size() != 0 {
		t.Errorf("the log has %v bytes after it was folded back (%v)", st.Size(), err)
	}
}
