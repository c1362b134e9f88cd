package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"board/internal/fault"
)

// TestAFileOfSomebodyElseIsLeftAsItIs: whatever a database is that is not board's, it is refused with a next step before
// anything could write to it: bytes, mode and neighbours stay.
func TestAFileOfSomebodyElseIsLeftAsItIs(t *testing.T) {
	for name, schema := range map[string]string{
		"another database":                       "CREATE TABLE cookies (a)",
		"another database with our version":      "CREATE TABLE issues (a); PRAGMA user_version = 1",
		"a database that says whose it is":       "CREATE TABLE a (a); PRAGMA application_id = 7",
		"a database of ours that is newer":       fmt.Sprintf("CREATE TABLE a (a); PRAGMA application_id = %d; PRAGMA user_version = 99", ApplicationID),
		"another database of one page and a bit": "PRAGMA user_version = 1",
	} {
		t.Run(name, func(t *testing.T) {
			p := filepath.Join(t.TempDir(), "f.db")
			db, err := sql.Open("sqlite", "file:"+p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(schema); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(p, 0o644); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []Options{{}, {ReadOnly: true}, {Hook: true}} {
				o.Path, o.Now = p, time.Now
				_, err := Open(context.Background(), o)
				if c := fault.CodeOf(err); c != fault.StoreBroken && c != fault.StoreNewer {
					t.Errorf("%+v: %v", o, err)
				}
				if err != nil && fault.As(err).Hint == "" {
					t.Error("there is no next step")
				}
			}
			after, err := os.ReadFile(p)
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed (%v)", err)
			}
			if st, err := os.Stat(p); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o644 {
				t.Errorf("its mode is %v (%v)", st.Mode(), err)
			}
			if all, err := os.ReadDir(filepath.Dir(p)); err != nil || len(all) != 1 {
				t.Errorf("%d files stand in its folder, want it alone (%v)", len(all), err)
			}
		})
	}
}

// TestAPathThatIsNoFileIsRefused: a device must not be changed, and a link that leads nowhere is not a board that could
// be made with init.
func TestAPathThatIsNoFileIsRefused(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(filepath.Join(t.TempDir(), "missing", "x.db"), link); err != nil {
		t.Log("no links here:", err)
		link = t.TempDir()
	}
	for _, p := range []string{os.DevNull, t.TempDir(), link} {
		before, _ := os.Stat(p)
		_, err := Open(context.Background(), Options{Path: p, Now: time.Now})
		if fault.CodeOf(err) != fault.StoreBroken || fault.As(err).Hint == "" {
			t.Errorf("%s: %v", p, err)
		}
		if after, err := os.Stat(p); err == nil && before.Mode() != after.Mode() {
			t.Errorf("%s: its mode became %v", p, after.Mode())
		}
	}
}

func TestAStoreThatWasReplacedIsNoticed(t *testing.T) {
	p := filepath.Join(t.TempDir(), "b.db")
	db, err := Open(context.Background(), Options{Path: p, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if db.Replaced() {
		t.Error("a store that nobody touched counts as replaced")
	}
	if runtime.GOOS == "windows" {
		return // an open file cannot be moved there
	}
	if err := os.Rename(p, p+".old"); err != nil {
		t.Fatal(err)
	}
	if !db.Replaced() {
		t.Error("its file is gone, and that is not noticed")
	}
}

// TestAStoreThatAppearsBetweenTwoLooksIsNoLinkThatLeadsNowhere: many programs start at once and one of them makes it.
func TestAStoreThatAppearsBetweenTwoLooksIsNoLinkThatLeadsNowhere(t *testing.T) {
	p := filepath.Join(t.TempDir(), "b.db")
	done := make(chan error, 1)
	go func() {
		for range 5000 {
			if err := os.WriteFile(p, nil, 0o600); err != nil {
				done <- err
				return
			}
			_ = os.Remove(p) // Windows keeps a file that somebody has open
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		if _, err := readHeader(p); fault.CodeOf(err) == fault.StoreBroken {
			t.Fatal(err)
		}
	}
}
