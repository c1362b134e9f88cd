package doctor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"board/internal/fault"
	"board/internal/store"
)

func worldAt(path string) World {
	return World{Store: path, Now: time.Now, Getenv: func(string) string { return path }}
}

// made is a store that was closed.
func made(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "board.db")
	db, err := store.Open(t.Context(), store.Options{Path: path, Now: time.Now})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAComplaintNamesTheStoreAndNotItsCopy: the copy is gone when somebody reads of it.
func TestAComplaintNamesTheStoreAndNotItsCopy(t *testing.T) {
	for name, spoil := range map[string]func(b []byte) []byte{
		"a newer board wrote it": func(b []byte) []byte { binary.BigEndian.PutUint32(b[60:], 99); return b },
		"it is damaged":          func(b []byte) []byte { return b[:5000] },
		"it is something else":   func([]byte) []byte { return []byte(strings.Repeat("x", 500)) },
	} {
		path := made(t)
		b, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, spoil(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := worldAt(path).Look(t.Context(), Options{Hosts: []string{}, Health: true}).Store
		if s.Err == nil {
			t.Errorf("%s: nothing is wrong with it", name)
			continue
		}
		if v := fault.ViewOf(s.Err); strings.Contains(v.Message+v.Hint, "board-look") {
			t.Errorf("%s: %s (%s)", name, v.Message, v.Hint)
		}
	}
	err := ofOriginal(fault.New(fault.StoreReadonly, "make the folder /t/look-1 writable", "/t/look-1/board.db is not"), "/t/look-1/board.db", "/data/b.db")
	if v := fault.ViewOf(err); v.Message != "/data/b.db is not" || v.Hint != "make the folder /data writable" {
		t.Errorf("%+v", v)
	}
}

// TestAnEmptyFileIsNoBoardYet: it is what touch leaves, and what board init makes a board of.
func TestAnEmptyFileIsNoBoardYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "board.db")
	if s := worldAt(path).Look(t.Context(), Options{Hosts: []string{}}).Store; s.Exists || s.Empty || s.Err != nil {
		t.Errorf("without a file: %+v", s)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s := worldAt(path).Look(t.Context(), Options{Hosts: []string{}}).Store; s.Exists || !s.Empty || s.Err != nil {
		t.Errorf("with an empty one: %+v", s)
	}
}

// TestWhatIsRepairedIsWhatIsComplainedOf: a complaint whose repair does nothing comes back for ever, and a file that is gone
// needs none.
func TestWhatIsRepairedIsWhatIsComplainedOf(t *testing.T) {
	dir := t.TempDir()
	gone := store.File{Path: filepath.Join(dir, "board.db-wal"), Mode: 0o644, Lax: true}
	s := Store{Path: filepath.Join(dir, "board.db"), Exists: true, Files: []store.File{gone}}
	if list := worldAt(s.Path).Fix(t.Context(), s, "ada", "m"); len(list) != 0 {
		t.Errorf("a file that is gone: %+v", list)
	}
	s.Err, s.Files = fault.New(fault.StoreBroken, "", "it is a directory"), []store.File{{Path: s.Path, Mode: 0o755, Lax: true}}
	if list := s.Lax(); len(list) != 0 {
		t.Errorf("what is no store is complained of, and left as it is: %+v", list)
	}
}
