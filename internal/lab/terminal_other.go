//go:build !linux

package lab

import "context"

// Terminal runs the command line. Elsewhere than on Linux there is no terminal here, and the output is that of a pipe.
func (w *World) Terminal(ctx context.Context, _, _ uint16, args ...string) (string, error) {
	out := w.Board(ctx, args...)
	return out.Stdout, out.Err
}
