//go:build unix

package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"board/internal/fault"
)

// closed is a store that was closed, and nothing but its one file.
func closed(t *testing.T) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(t.Context(), Options{Path: p, Now: time.Now})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestACopyDuringWhichTheOriginalChangedIsMadeAnew: half of one state and half of another is a store that nobody had. The log
// is a pipe here, so that the change comes in the middle of the copy, and never before or after it.
func TestACopyDuringWhichTheOriginalChangedIsMadeAnew(t *testing.T) {
	for name, giveUp := range map[string]bool{"and it is copied again": false, "and nobody waits any more": true} {
		p, dir := closed(t), t.TempDir()
		if err := syscall.Mkfifo(p+"-wal", 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		changed := make(chan error, 1)
		go func() { // opening waits for the copy
			log, err := os.OpenFile(p+"-wal", os.O_WRONLY, 0)
			if err != nil {
				changed <- err
				return
			}
			if giveUp {
				stop()
			}
			at := time.UnixMilli(1000)
			_, err = log.WriteString("a log that is folded back meanwhile")
			changed <- errors.Join(err, os.Chtimes(p, at, at), os.Remove(p+"-wal"), log.Close())
		}()
		_, err := Copy(ctx, p, dir)
		if cerr := <-changed; cerr != nil {
			t.Fatal(cerr)
		}
		if giveUp {
			if fault.CodeOf(err) != fault.StoreBusy {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "board.db-wal")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s, and keeps the log of before: %v", name, err)
		}
	}
}

// TestAStoreThatIsTooLargeIsNotCopied: a folder for temporary files is often memory.
func TestAStoreThatIsTooLargeIsNotCopied(t *testing.T) {
	p, dir := closed(t), t.TempDir()
	if err := errors.Join(os.WriteFile(p+"-wal", nil, 0o600), os.Truncate(p+"-wal", MaxCopy)); err != nil { // all of it a hole
		t.Fatal(err)
	}
	if _, err := Copy(t.Context(), p, dir); fault.CodeOf(err) != fault.Limit {
		t.Errorf("%v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("copied: %v (%v)", list, err)
	}
}

// TestAFolderThatMayNotBeWrittenKeepsAStoreFromBeingWritten: SQLite makes the log there.
func TestAFolderThatMayNotBeWrittenKeepsAStoreFromBeingWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	p := closed(t)
	dir := filepath.Dir(p)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if err := Writable(t.Context(), p); fault.CodeOf(err) != fault.StoreReadonly {
		t.Errorf("%v", err)
	}
}
