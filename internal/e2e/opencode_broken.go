package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// brokenBoard: board fails, prints rubbish, hangs, or is missing. Each time a turn with a tool goes on as without board,
// and a prompt waits for the second that the plugin allows, the rest being the host's: never for as long as a hook may run.
func brokenBoard(ctx context.Context, w *world) error {
	hook := w.path("hook")
	if err := w.pluginFor(filepath.Join(w.Home, ".config", "opencode", "plugin", "board.ts"), hook); err != nil {
		return err
	}
	const within = 2 * time.Second
	ways := []struct {
		how   string
		hook  string
		waits time.Duration
	}{
		{"fails", "#!/bin/sh\necho broken >&2\nexit 3\n", 0},
		{"prints rubbish", "#!/bin/sh\nprintf '{\"context\":[1,{'\n", 0},
		{"is missing", "", 0},
		{"prints without end", "#!/bin/sh\nexec yes\n", 0},
		{"hangs", "#!/bin/sh\nexec sleep 20\n", time.Second},
	}
	err := inSession(ctx, w, func(s *service, id string) error {
		for _, b := range ways {
			if err := w.breakHook(hook, b.hook); err != nil {
				return err
			}
			w.script(mainLane(use(w.host.edit(w, "cart.txt", b.how)), say("It works.")))
			before := len(w.requests("main"))
			if err := s.prompt(ctx, id, "do it while board "+b.how); err != nil {
				return fmt.Errorf("board %s: %w", b.how, err)
			}
			if err := errors.Join(want("requests while board "+b.how, len(w.requests("main"))-before, 2), want("the file", fileText(w.inRepo("cart.txt")), b.how)); err != nil {
				return err
			}
			times := w.host.hookTimes(w)
			if took := times[len(times)-1]; took < b.waits*9/10 || took > within {
				return fmt.Errorf("while board %s the prompt waited %s, want %s to %s", b.how, took, b.waits, within)
			}
			w.note("board %s: the prompt waited %d ms", b.how, times[len(times)-1].Milliseconds())
		}
		return nil
	})
	if err != nil {
		return err
	}
	// The end of a headless run does not wait for a board that hangs for long either.
	if err := w.breakHook(hook, "#!/bin/sh\nexec sleep 60\n"); err != nil {
		return err
	}
	w.script(mainLane(use(w.host.edit(w, "cart.txt", "last")), say("It works.")))
	said, err := w.turn(ctx, "do it", false)
	return errors.Join(
		err, want("the answer", said, "It works."), want("the file", fileText(w.inRepo("cart.txt")), "last"),
		os.Remove(w.path("prompts.times")), // these are no times of board
	)
}

// breakHook puts another program in the place of the hook; "" removes it.
func (w *world) breakHook(path, program string) error {
	if program == "" {
		return os.Remove(path)
	}
	next := path + ".next"
	return errors.Join(w.executable(next, program), os.Rename(next, path)) // whole, as an installation is
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
