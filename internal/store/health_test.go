package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
)

// TestACopyHoldsWhatTheLogHoldsAndLeavesTheOriginalAlone: the newest commits of a store stand in its log alone.
func TestACopyHoldsWhatTheLogHoldsAndLeavesTheOriginalAlone(t *testing.T) {
	ctx := context.Background()
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(ctx, Options{Path: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	err = db.Write(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person"})
	})
	if err != nil {
		t.Fatal(err)
	}
	read := func() (all [][]byte) {
		for _, side := range []string{"", "-wal", "-shm"} {
			b, err := os.ReadFile(p + side)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
		return all
	}
	before := read()
	lock, err := db.SQL().BeginTx(ctx, nil) // and while somebody writes
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Rollback() }()
	to, err := Copy(ctx, p, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(ctx, Options{Path: to, Now: time.Now, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var n int
	if err := c.SQL().QueryRow("SELECT count(*) FROM history").Scan(&n); err != nil || n != 1 {
		t.Errorf("%d rows of history (%v)", n, err)
	}
	if bad, err := c.Check(ctx); err != nil || len(bad) > 0 {
		t.Errorf("%v %v", bad, err)
	}
	for i, after := range read()[:2] {
		if !bytes.Equal(before[i], after) {
			t.Errorf("file %d of the store was changed", i)
		}
	}
	if v, err := c.Schema(ctx); err != nil || v != SchemaVersion {
		t.Errorf("schema %d (%v)", v, err)
	}
}

func TestWhatIsNoStoreIsNotCopied(t *testing.T) {
	dir := t.TempDir()
	random := filepath.Join(dir, "random")
	if err := os.WriteFile(random, bytes.Repeat([]byte("x"), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{dir, random} {
		if _, err := Copy(t.Context(), p, t.TempDir()); fault.CodeOf(err) != fault.StoreBroken {
			t.Errorf("%s: %v", p, err)
		}
	}
	if _, err := Copy(t.Context(), filepath.Join(dir, "none"), t.TempDir()); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("none: %v", err)
	}
}

func TestALaxFileIsFoundAndTightened(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // modes say nothing there
	}
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(t.Context(), Options{Path: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	named := func(string) string { return p }
	for _, mode := range []os.FileMode{0o664, 0o640, 0o620, 0o604} { // a group is others too
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		lax := 0
		for _, f := range Files(p, named) {
			if f.Lax {
				lax++
				if err := f.Tighten(); err != nil {
					t.Error(err)
				}
			}
		}
		if st, err := os.Stat(p); lax != 1 || err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%v: %d lax files, mode %v (%v)", mode, lax, st.Mode(), err)
		}
	}
	if n := len(Files(p, func(string) string { return "" })) - len(Files(p, named)); n != 1 {
		t.Errorf("the default folder adds %d entries", n)
	}
}

func TestASpoolSaysWhatLiesInIt(t *testing.T) {
	s := SpoolAt(filepath.Join(t.TempDir(), "b.db"))
	if st := s.State(); st.Waiting != 0 || st.Broken != nil {
		t.Errorf("without a spool: %+v", st)
	}
	if err := s.Put(1, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	s.Count("codex", "timeout")
	for _, name := range []string{"1.json.bad", "notes.txt", "2.part"} {
		if err := os.WriteFile(filepath.Join(s.Dir(), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if st := s.State(); st.Waiting != 1 || len(st.SetAside) != 1 || st.Unknown != 1 || st.Broken != nil {
		t.Errorf("%+v", st)
	}
}

// TestASpoolThatIsNoneIsNotTakenForTheDatabase: what is done about it is something else.
func TestASpoolThatIsNoneIsNotTakenForTheDatabase(t *testing.T) {
	s := SpoolAt(filepath.Join(t.TempDir(), "b.db"))
	if err := os.WriteFile(s.Dir(), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fault.As(s.State().Broken)
	if f.Code != fault.StoreBroken || !strings.Contains(f.Message, s.Dir()+" is no folder") || strings.Contains(f.Message, "database") || f.Hint == "" {
		t.Errorf("%+v", f)
	}
}

// TestWhetherAStoreCanBeWrittenIsSeenWithoutTouchingIt: SQLite would fold a log back that nobody uses, and delete it.
func TestWhetherAStoreCanBeWrittenIsSeenWithoutTouchingIt(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made.db")
	db, err := Open(t.Context(), Options{Path: made, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(ctx context.Context, tx *Tx) error {
		return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person"})
	})
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(t.TempDir(), "b.db") // as after a crash: a log, and nobody who has it open
	var before [][]byte
	for _, side := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(made + side)
		if err == nil {
			err = os.WriteFile(p+side, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		before = append(before, b)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if len(before[1]) == 0 {
		t.Fatal("there is no log")
	}
	if err := Writable(t.Context(), p); err != nil {
		t.Error(err)
	}
	for i, side := range []string{"", "-wal", "-shm"} {
		if b, err := os.ReadFile(p + side); err != nil || !bytes.Equal(b, before[i]) {
			t.Errorf("%q is not as it was (%v)", side, err)
		}
	}
}

// TestADamagedPageIsFound: SQLite reads the rest as if nothing was wrong.
func TestADamagedPageIsFound(t *testing.T) {
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(t.Context(), Options{Path: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	var root, size int64
	err = errors.Join(db.SQL().QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'history'").Scan(&root),
		db.SQL().QueryRow("PRAGMA page_size").Scan(&size), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(p, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, int(size)), (root-1)*size)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), Options{Path: p, Now: time.Now, ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if bad, err := db.Check(t.Context()); err != nil || len(bad) == 0 {
		t.Errorf("%q (%v)", bad, err)
	}
}
