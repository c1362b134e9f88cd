package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// terminal is a host in a terminal of a tmux server of its own.
type terminal struct {
	world  *world
	left   string // what the screen showed when it was closed
	folder string // its socket; short, because the path of a socket may have 107 bytes
}

const (
	terminalColumns = "140"
	terminalRows    = "50"
)

// open starts the host in a terminal.
func (w *world) open(ctx context.Context, args ...string) (*terminal, error) {
	dir, err := os.MkdirTemp("", "board-e2e-")
	if err != nil {
		return nil, err
	}
	t := &terminal{world: w, folder: dir}
	w.terminals = append(w.terminals, t)
	words := append([]string{"env", "-i"}, w.hostEnv()...)
	words = append(append(words, w.program), args...)
	w.log = append(w.log, fmt.Sprintf("$ tmux: %s %s", filepath.Base(w.program), strings.Join(args, " ")))
	_, err = t.tmux(ctx, append([]string{"new-session", "-d", "-x", terminalColumns, "-y", terminalRows, "-c", w.Repo}, words...)...)
	return t, err
}

func (t *terminal) tmux(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(t.folder, "s"), "-f", "/dev/null"}, args...)...)
	cmd.Env = t.world.hostEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// screen is what a person sees, with the lines that scrolled away.
func (t *terminal) screen() string {
	if t.folder == "" {
		return t.left
	}
	out, err := t.tmux(context.Background(), "capture-pane", "-p", "-S", "-300")
	if err != nil {
		return err.Error()
	}
	return strings.TrimRight(out, "\n ")
}

// visible is what a person sees now.
func (t *terminal) visible() string {
	out, err := t.tmux(context.Background(), "capture-pane", "-p")
	if err != nil {
		return err.Error()
	}
	return out
}

// see waits until one of the texts is on the screen.
func (t *terminal) see(ctx context.Context, texts ...string) error {
	return t.world.until(ctx, fmt.Sprintf("the screen shows one of %q", texts), func() (bool, error) {
		s := t.screen()
		for _, text := range texts {
			if strings.Contains(s, text) {
				return true, nil
			}
		}
		return false, nil
	})
}

// press presses keys, by the names that tmux has for them.
func (t *terminal) press(ctx context.Context, keys ...string) error {
	_, err := t.tmux(ctx, append([]string{"send-keys"}, keys...)...)
	return err
}

// answer presses a key until a dialog is gone. Hosts drop what is pressed in the moment in which a dialog comes.
func (t *terminal) answer(ctx context.Context, dialog, key string) error {
	var pressed time.Time
	return t.world.until(ctx, "the dialog is gone", func() (bool, error) {
		if !strings.Contains(t.visible(), dialog) {
			return !pressed.IsZero(), nil
		}
		if time.Since(pressed) < 2*time.Second {
			return false, nil
		}
		pressed = time.Now()
		return false, t.press(ctx, key)
	})
}

// say types a line and sends it, once the host shows it: a line that arrives whole with its end is taken for pasted text.
func (t *terminal) say(ctx context.Context, line string) error {
	if _, err := t.tmux(ctx, "send-keys", "-l", line); err != nil {
		return err
	}
	if err := t.see(ctx, strings.TrimPrefix(line, "!")); err != nil { // hosts show the mark of a command as they like
		return err
	}
	if err := pause(ctx, 300*time.Millisecond); err != nil {
		return err
	}
	return t.press(ctx, "Enter")
}

// pause lets a terminal settle, where it shows nothing that could be waited for.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// idle waits until no turn runs: the screen says so twice in a row.
func (t *terminal) idle(ctx context.Context, h seated) error {
	quiet := 0
	return t.world.until(ctx, "no turn runs", func() (bool, error) {
		if strings.Contains(t.visible(), h.busy()) {
			quiet = 0
		}
		quiet++
		return quiet > 6, nil
	})
}

// sit opens the host in a terminal and waits until a person may type.
func (w *world) sit(ctx context.Context, more ...string) (*terminal, seated, error) {
	h, ok := w.host.(seated)
	if !ok {
		return nil, nil, errors.New("this host has no terminal in the suite")
	}
	t, err := w.open(ctx, append(h.seat(w), more...)...)
	if err == nil {
		err = t.see(ctx, h.ready())
	}
	if err == nil {
		err = t.idle(ctx, h)
	}
	return t, h, err
}

// ask types a prompt, and waits until the turn is over, on the screen and for board.
func (t *terminal) ask(ctx context.Context, h seated, prompt string) error {
	if err := t.send(ctx, prompt); err != nil {
		return err
	}
	err := t.world.until(ctx, "the turn is over", func() (bool, error) {
		rows, err := t.world.runs(ctx)
		for i := len(rows) - 1; i >= 0; i-- {
			if rows[i].Kind == "root" {
				return rows[i].State != "running" && rows[i].State != "probing", err
			}
		}
		return false, err
	})
	return errors.Join(err, t.idle(ctx, h))
}

// send types a prompt, and waits until the model is asked.
func (t *terminal) send(ctx context.Context, prompt string) error {
	before := len(t.world.requests(""))
	if err := t.say(ctx, prompt); err != nil {
		return err
	}
	return t.world.until(ctx, "the model is asked", func() (bool, error) { return len(t.world.requests("")) > before, nil })
}

// close ends the host, as a person does who closes the window.
func (t *terminal) close() error {
	if t.folder == "" {
		return nil
	}
	t.left = t.screen()
	_, _ = t.tmux(context.Background(), "kill-server") // it may be gone already
	waitGone(t.world.Root, 3*time.Second)              // it says goodbye to its hooks
	err := os.RemoveAll(t.folder)
	t.folder = ""
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
