package adapters

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"board/internal/fault"
)

// Apply writes the changes, each file in one step: whoever reads it meanwhile, and whatever becomes of this process, finds
// the old file or the new one. Before the first write every file is compared with what the plan read: if one changed
// meanwhile, nothing is written. A copy of each file that existed goes to backupDir first, named by its content.
func (p Plan) Apply(backupDir string) error {
	return p.apply(backupDir, func(string) error { return nil })
}

// apply calls at before each step, so that tests can fail or end the process there.
func (p Plan) apply(backupDir string, at func(step string) error) error {
	_, err := p.carry(backupDir, at)
	return err
}

// carry applies, and returns the changes that were made, also beside an error.
func (p Plan) carry(backupDir string, at func(step string) error) (done []Change, err error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	if backupDir != "" {
		sweep(backupDir)
	}
	for _, f := range files {
		at, _ := locate(f.path) // whatever is wrong with the file itself
		sweep(filepath.Dir(at.path))
	}
	for _, c := range p.Changes {
		if err := c.unchanged(); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, c := range p.Changes {
		if err := c.write(backupDir, p, at); err != nil {
			f := fault.As(err)
			if len(done) > 0 {
				f.Hint = strings.TrimSpace("Already written: " + strings.Join(paths, ", ") + ". " + f.Hint)
			}
			return done, f
		}
		done, paths = append(done, c), append(paths, c.Path)
	}
	return done, nil
}

// unchanged reports whether the file is as the plan read it.
func (c Change) unchanged() error {
	now, err := locate(c.Path)
	if err == nil && now.exists == c.Existed && bytes.Equal(now.data, c.Before) {
		return nil
	}
	if err != nil {
		return fault.Wrap(err, fault.Conflict, "Look at the file, then run the command again.", "%s: %s", c.Path, err)
	}
	return fault.New(fault.Conflict, "Run the command again: it reads the file anew.", "%s changed meanwhile, nothing was written to it", c.Path)
}

// write makes one change.
func (c Change) write(backupDir string, p Plan, at func(string) error) error {
	was, err := locate(c.Path)
	if err != nil {
		return c.unchanged()
	}
	fail := func(err error) error {
		if f := (*fault.Fault)(nil); errors.As(err, &f) {
			return f
		}
		return fault.Wrap(err, fault.Internal, "Nothing was changed in this file. Run the command again.", "%s cannot be written: %s", c.Path, reason(err))
	}
	if c.Existed {
		if err := at("backup"); err != nil {
			return fail(err)
		}
		if err := backup(backupDir, p, c); err != nil {
			return fail(err)
		}
	}
	if c.After == nil {
		if err := at("compare"); err != nil {
			return fail(err)
		}
		if err := c.unchanged(); err != nil {
			return err
		}
		if err := at("delete"); err != nil {
			return fail(err)
		}
		if err := os.Remove(was.path); err != nil {
			return fail(err)
		}
		p.tidy(filepath.Dir(was.path))
		return nil
	}
	if err := c.swap(was, at); err != nil {
		return fail(err)
	}
	return nil
}

// swap puts the new file into the place of the old one.
func (c Change) swap(was place, at func(string) error) (err error) {
	dir := filepath.Dir(was.path)
	if err := at("directory"); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := at("create"); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, tempPrefix+strconv.Itoa(os.Getpid())+"-*-"+filepath.Base(was.path)) // private until it has its mode
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
		if rmErr := os.Remove(temp); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, rmErr)
		}
	}()
	half := len(c.After) / 2
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"write the first half", func() error { _, err := f.Write(c.After[:half]); return err }},
		{"write the second half", func() error { _, err := f.Write(c.After[half:]); return err }},
		{"owner", func() error {
			if was.info == nil {
				return nil
			}
			return keepOwner(f, was.info)
		}},
		{"mode", func() error { return f.Chmod(c.Mode) }}, // after the owner, whose change clears bits
		{"attributes", func() error {
			if was.info == nil {
				return nil
			}
			return keepAttributes(f.Name(), was.path) // the access list last: it speaks for the mode
		}},
		{"sync", f.Sync},
		{"close", func() error { err := f.Close(); f = nil; return err }},
		{"compare", c.unchanged},
		{"rename", func() error { return put(temp, was) }},
		{"sync the directory", func() error { return syncDir(dir) }},
	} {
		if err := at(step.name); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
	}
	return nil
}

// put moves temp to its place. Where no file was, a link is made, which fails if somebody else made one meanwhile.
func put(temp string, was place) error {
	if was.exists {
		return os.Rename(temp, was.path)
	}
	err := os.Link(temp, was.path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Conflict, "Run the command again: it reads the file anew.", "%s was created meanwhile", was.path)
	case err != nil: // a file system without links
		return os.Rename(temp, was.path)
	}
	return nil
}

const tempPrefix = ".board-new-"

// unfinished lists what installations have in a directory that are at work, or were killed.
func unfinished(dir string) []string {
	left, err := filepath.Glob(filepath.Join(escape(dir), tempPrefix+"*"))
	if err != nil {
		return nil
	}
	return left
}

// sweep removes what an installation that was killed left behind.
func sweep(dir string) {
	for _, path := range unfinished(dir) {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), tempPrefix), "-")
		if pid, err := strconv.Atoi(number); err == nil && !alive(pid) {
			_ = os.Remove(path) // the next installation tries again
		}
	}
}

// escape makes a directory's name match itself in a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(dir)
}

// tidy removes directories that were made for a file of board's alone, and that are empty now.
func (p Plan) tidy(dir string) {
	root := p.Home
	if p.Scope == ScopeProject {
		root = p.Project
	}
	for d := dir; d != root && beneath(d, root); d = filepath.Dir(d) {
		if os.Remove(d) != nil { // something is in it
			return
		}
	}
}

// backup keeps what a file said before. The name holds its digest, so that repeated installations keep one copy each.
func backup(dir string, p Plan, c Change) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	sum := sha256.Sum256(append([]byte(c.Path+"\x00"), c.Before...))
	name := fmt.Sprintf("%s.%s.%s.%s", p.Host, p.Scope, strings.TrimPrefix(filepath.Base(c.Path), "."), hex.EncodeToString(sum[:6]))
	path := filepath.Join(dir, name)
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, c.Before) {
		return nil
	}
	f, err := os.CreateTemp(dir, tempPrefix+strconv.Itoa(os.Getpid())+"-*") // private, as it stays
	if err != nil {
		return err
	}
	_, err = f.Write(c.Before)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
