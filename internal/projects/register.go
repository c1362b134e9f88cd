package projects

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"board/internal/fault"
	"board/internal/store"
	"board/internal/text"
)

// Request asks to register a directory, or to join it to a project.
type Request struct {
	Dir        string
	Prefix     string // of the keys; Register derives one from the name if it is ""
	Name       string // "" takes the directory's
	Undeclared bool   // an agent asks that did not say which run it is
}

// Register is Request.Register for a person.
func Register(ctx context.Context, tx *store.Tx, dir, prefix, name string) (p Project, created bool, err error) {
	return Request{Dir: dir, Prefix: prefix, Name: name}.Register(ctx, tx)
}

// Join is Request.Join for a person.
func Join(ctx context.Context, tx *store.Tx, dir, prefix string) (Project, error) {
	p, _, err := Request{Dir: dir, Prefix: prefix}.Join(ctx, tx)
	return p, err
}

// Register makes a project of the repository that the directory is in, or of the directory itself where there is no
// git. If it is registered already nothing is written and created is false; asking for another prefix then is a
// Conflict.
func (r Request) Register(ctx context.Context, tx *store.Tx) (p Project, created bool, err error) {
	prefix := strings.ToUpper(r.Prefix)
	if prefix != "" && !wellFormed(prefix) {
		return Project{}, false, badPrefix(prefix)
	}
	identity, root, err := Identify(r.Dir)
	if err != nil {
		return Project{}, false, err
	}
	switch p, err := Find(ctx, tx, r.Dir); {
	case err == nil && prefix != "" && p.Prefix != prefix:
		return Project{}, false, fault.New(fault.Conflict, "a prefix is never changed: the keys of its Issues are in commits and conversations",
			"this project is registered as %s", p.Prefix)
	case err == nil:
		return p, false, nil
	case fault.CodeOf(err) != fault.NoProject:
		return Project{}, false, err
	}
	if filepath.Dir(root) == root {
		return Project{}, false, fault.New(fault.Invalid, "run board init in the directory of a project", "%s is the root of the file system", root)
	}
	name := r.Name
	if name == "" {
		name = nameOf(identity, root)
	}
	taken, err := prefixes(ctx, tx)
	if err != nil {
		return Project{}, false, err
	}
	switch {
	case prefix == "":
		prefix = derive(name, taken)
	case taken[prefix]:
		return Project{}, false, fault.New(fault.Conflict, "choose another --prefix; to attach another clone of it use --join",
			"another project has the prefix %s", prefix)
	}
	p = Project{UUID: newUUID(tx.Now), Prefix: prefix, Name: text.Line(name, 80), Root: root, CreatedAt: tx.Now}
	if p.Name == "" {
		p.Name = prefix
	}
	if p.ID, err = insert(ctx, tx, p, identity); err != nil {
		return Project{}, false, err
	}
	err = tx.Append(ctx, r.entry(p, "register", identity))
	return p, err == nil, err
}

// Join attaches the repository that the directory is in, another clone or one that was moved, to the project with the
// prefix. Repeating it is a no-op, and joined is false. A repository that belongs to another project is a Conflict, unless
// it was registered by mistake: as a project of its own, with which nothing was done. That one is removed.
func (r Request) Join(ctx context.Context, tx *store.Tx) (p Project, joined bool, err error) {
	if p, err = ByPrefix(ctx, tx, r.Prefix); err != nil {
		return Project{}, false, err
	}
	identity, root, err := Identify(r.Dir)
	if err != nil {
		return Project{}, false, err
	}
	switch old, err := Find(ctx, tx, r.Dir); {
	case err == nil && old.ID == p.ID:
		return p, false, nil
	case err == nil:
		if err := r.leave(ctx, tx, old, p, identity); err != nil {
			return Project{}, false, err
		}
	case fault.CodeOf(err) != fault.NoProject:
		return Project{}, false, err
	}
	if _, err := os.Stat(p.Root); errors.Is(err, os.ErrNotExist) {
		p.Root = root // the clone it was registered from was moved or deleted
	}
	if err := attach(ctx, tx, p, identity); err != nil {
		return Project{}, false, err
	}
	err = tx.Append(ctx, r.entry(p, "join", identity))
	return p, err == nil, err
}

// leave removes the project old, which a repository was registered as by mistake, for its joining p.
func (r Request) leave(ctx context.Context, tx *store.Tx, old, p Project, identity string) error {
	mistaken, err := untouched(ctx, tx, old, identity)
	if err != nil {
		return err
	}
	if !mistaken {
		return fault.New(fault.Conflict, "work on it as "+old.Prefix, "this repository belongs to %s already, which has Issues or was worked in", old.Prefix)
	}
	if err := remove(ctx, tx, old); err != nil {
		return err
	}
	e := r.entry(old, "unregister", identity)
	e.ProjectID = p.ID // whose history people read
	return tx.Append(ctx, e)
}

func (r Request) entry(p Project, event, identity string) store.Entry {
	e := store.Entry{
		Entity: "project", EntityID: p.ID, ProjectID: p.ID, Event: event, Actor: "person",
		Detail: map[string]string{"prefix": p.Prefix, "path": identity},
	}
	if r.Undeclared {
		e.Actor, e.Identity = "agent", "undeclared"
	}
	return e
}
