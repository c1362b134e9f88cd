package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// install installs board for the host, by board's own installer.
func (w *world) install(ctx context.Context) error {
	return w.person(ctx, "host", "install", w.host.name())
}

// removePrograms removes the programs of board.
func (w *world) removePrograms() error {
	return errors.Join(os.Remove(w.Program("board")), os.Remove(w.Program("board-hook")))
}

// remove removes a file of the repository, if it is there.
func (w *world) remove(name string) error {
	if err := os.Remove(w.inRepo(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
