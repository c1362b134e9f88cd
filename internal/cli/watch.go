package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/charmbracelet/x/ansi"

	"board/internal/doctor"
	"board/internal/fault"
)

// examine is w.Look that a person can watch and end. A signal ends what it runs, takes its folders away, and is told as a
// failure: what was found until then would look like all there is.
func (a *app) examine(ctx context.Context, w doctor.World, o doctor.Options) (doctor.Report, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	clear := func() {}
	if a.StderrTTY && !a.json {
		o.Trying, clear = a.progress()
	}
	r := w.Look(ctx, o)
	clear()
	if ctx.Err() != nil {
		return r, fault.New(fault.Interrupted, "run it again", "it was interrupted before it was done, and nothing is left of it")
	}
	return r, nil
}

// progress returns what writes the current step over the one before, and what clears the line. Spaces and a carriage
// return do it on every terminal.
func (a *app) progress() (step func(host, event string), clear func()) {
	width := 0
	write := func(s string) {
		if a.Width > 0 {
			s = ansi.Truncate(s, a.Width-1, "…")
		}
		_, _ = fmt.Fprint(a.Stderr, "\r", s, strings.Repeat(" ", max(0, width-ansi.StringWidth(s))))
		width = ansi.StringWidth(s)
	}
	return func(host, event string) { write("trying " + host + ": " + event) },
		func() {
			if width > 0 {
				write("")
				_, _ = fmt.Fprint(a.Stderr, "\r")
			}
		}
}
