package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"board/internal/hooks"
	"board/internal/store"
)

// Repair is something that Fix did, or could not.
type Repair struct {
	What Fixed
	Path string
	N    int // events
	Err  error
}

// Fixed names a repair.
type Fixed string

// The repairs. None of them removes anything that a person could miss.
const (
	MadeFolder  Fixed = "made_folder"  // the folder of the database was missing
	Tightened   Fixed = "tightened"    // a file could be read by others
	StoredSpool Fixed = "stored_spool" // events waited
)

// Fix repairs what can be repaired without losing anything.
func (w World) Fix(ctx context.Context, s Store, person, machine string) []Repair {
	var out []Repair
	if dir := filepath.Dir(w.Store); w.Getenv(store.EnvPath) == "" && !isDir(dir) {
		err := os.MkdirAll(dir, 0o700)
		out = append(out, Repair{What: MadeFolder, Path: dir, Err: err})
	}
	for _, f := range s.Lax() {
		err := f.Tighten()
		if !errors.Is(err, fs.ErrNotExist) { // a log that was folded back meanwhile is nobody's any more
			out = append(out, Repair{What: Tightened, Path: f.Path, Err: err})
		}
	}
	if s.Exists && s.Err == nil && len(s.Damage) == 0 && s.Spool.Waiting > 0 {
		out = append(out, w.drain(ctx, s, person, machine))
	}
	return out
}

// Lax returns the files that others can get at, and that Fix takes from them: what is no store of ours is left as it is.
func (s Store) Lax() []store.File {
	return slices.DeleteFunc(slices.Clone(s.Files), func(f store.File) bool {
		return !f.Lax || s.Err != nil && f.Path == s.Path
	})
}

func (w World) drain(ctx context.Context, s Store, person, machine string) Repair {
	r := Repair{What: StoredSpool, Path: store.SpoolAt(w.Store).Dir(), N: s.Spool.Waiting}
	db, err := store.Open(ctx, store.Options{Path: w.Store, Now: w.Now, Person: person, Machine: machine})
	if err != nil {
		r.Err = err
		return r
	}
	r.Err = errors.Join(hooks.Drain(ctx, db), db.Close())
	r.N -= store.SpoolAt(w.Store).State().Waiting
	return r
}
