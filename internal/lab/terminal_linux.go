package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Terminal runs the command line as Board does, on a terminal of that many columns and rows, and returns what a person
// sees of it.
func (w *World) Terminal(ctx context.Context, columns, rows uint16, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil { // a sandbox without terminals: what a pipe gets has to do
		out := w.Board(ctx, args...)
		return out.Stdout, out.Err
	}
	defer func() { _ = master.Close() }()
	fd := int(master.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	}
	if err != nil {
		return "", err
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	cmd := w.Command(ctx, "board", args...)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", fmt.Sprintf("COLUMNS=%d", columns))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	err = cmd.Start()
	_ = tty.Close() // the program has its own; the terminal ends with the last one
	if err != nil {
		return "", err
	}
	var screen bytes.Buffer
	_, rerr := io.Copy(&screen, master)
	if errors.Is(rerr, syscall.EIO) { // how Linux says that nobody has the terminal open any more
		rerr = nil
	}
	return strings.ReplaceAll(screen.String(), "\r\n", "\n"), errors.Join(cmd.Wait(), rerr)
}
