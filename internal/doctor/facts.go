package doctor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// facts is what the store says. Each part is empty where the store cannot be read.
type facts struct {
	Store
	events   []runs.HostEvent
	refused  map[[2]string]int64
	probes   map[string]runs.Probes
	lost     []runs.LostRow
	projects []Project
	here     *projects.Project
	joinable []projects.Project
}

// Limits of looking at a store.
const (
	copyWait  = 5 * time.Second // for a copy that is not overtaken by writers
	writeWait = time.Second     // for the lock of a writer
)

// readStore reads the store from a copy, so that the original stays as it is to the byte, whatever is wrong with it.
func (w World) readStore(ctx context.Context, health bool) facts {
	f := facts{Store: Store{Path: w.Store}}
	spool := store.SpoolAt(w.Store)
	f.Spool, f.refused, f.Files = spool.State(), spool.Refused(), store.Files(w.Store, w.Getenv)
	for _, file := range f.Files {
		switch file.Path {
		case w.Store:
			f.Size = file.Size
		case w.Store + "-wal":
			f.LogSize = file.Size
		}
	}
	dir, err := os.MkdirTemp("", "board-look-")
	if err != nil {
		f.Err = err
		return f
	}
	defer func() { _ = os.RemoveAll(dir) }()
	limited, cancel := context.WithTimeout(ctx, copyWait)
	defer cancel()
	path, err := store.Copy(limited, w.Store, dir)
	if fault.CodeOf(err) == fault.NotFound {
		_, gone := os.Stat(w.Store)
		f.Empty = gone == nil
		return f
	}
	f.Exists = true
	copied := path
	if fault.CodeOf(err) == fault.Limit { // too much to copy: the original is opened for reading
		path, err = w.Store, nil
	}
	if err == nil {
		err = f.fill(ctx, w, path, health)
	}
	f.Err = ofOriginal(err, copied, w.Store)
	if health && f.Err == nil && f.WriteErr == nil {
		limited, cancel := context.WithTimeout(ctx, writeWait)
		defer cancel()
		f.WriteErr = store.Writable(limited, w.Store)
	}
	return f
}

// ofOriginal is err with the path of the store where it names that of the copy, which nobody ever finds.
func ofOriginal(err error, path, original string) error {
	if err == nil || path == "" || path == original {
		return err
	}
	f := *fault.As(err)
	for _, s := range []*string{&f.Message, &f.Hint} {
		*s = strings.ReplaceAll(strings.ReplaceAll(*s, path, original), filepath.Dir(path), filepath.Dir(original))
	}
	return &f
}

// fill reads the copy. One of an older schema is brought to ours first: it is only a copy.
func (f *facts) fill(ctx context.Context, w World, path string, health bool) (err error) {
	o := store.Options{Path: path, Now: w.Now, Person: "doctor", Machine: "copy", ReadOnly: true}
	db, err := store.Open(ctx, o)
	if fault.CodeOf(err) == fault.IdentityMismatch && path != w.Store {
		f.WriteErr = ofOriginal(err, path, w.Store) // every program of this build refuses the original
		o.ReadOnly = false
		db, err = store.Open(ctx, o)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if f.Schema, err = db.Schema(ctx); err != nil {
		return err
	}
	if health {
		if f.Damage, err = db.Check(ctx); err != nil {
			return err
		}
	}
	q := db.SQL()
	if f.events, err = runs.HostEvents(ctx, q); err != nil {
		return err
	}
	if f.probes, err = runs.ProbesOf(ctx, q); err != nil {
		return err
	}
	if f.lost, err = runs.LostRows(ctx, q); err != nil {
		return err
	}
	all, err := projects.All(ctx, q)
	if err != nil {
		return err
	}
	for _, p := range all {
		_, gone := os.Stat(p.Root)
		f.projects = append(f.projects, Project{p, gone != nil})
	}
	if w.Dir == "" {
		return nil
	}
	p, err := projects.Find(ctx, q, w.Dir)
	switch {
	case err == nil:
		f.here = &p
		return nil
	case fault.CodeOf(err) == fault.NoProject:
		f.joinable, err = projects.Related(ctx, q, w.Dir)
	}
	return err
}

// counts returns what became of a host's events, other than being stored.
func (f facts) counts(host string) []Count {
	var out []Count
	for k, n := range f.refused {
		if k[0] == host {
			out = append(out, Count{k[1], n, strings.HasPrefix(k[1], "spooled_")})
		}
	}
	contract := hooks.ContractOf(host)
	for _, e := range f.events {
		if e.Host != host || e.Name == runs.Witness || slices.ContainsFunc(contract, func(c hooks.Event) bool { return c.Name == e.Name }) {
			continue
		}
		switch e.Name {
		case runs.Duplicate.String(), runs.OutOfScope.String(): // as it should be
		default:
			out = append(out, Count{e.Name, e.N, e.Name == runs.Unattributed.String()})
		}
	}
	slices.SortFunc(out, func(a, b Count) int { return strings.Compare(a.Reason, b.Reason) })
	return out
}
