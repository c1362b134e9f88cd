package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"

	"board/internal/fault"
)

// lookAgain is the time between two looks of --watch.
const lookAgain = time.Second

// repeat calls draw every second until Ctrl-C, which is no failure, and shows each picture.
func (a *app) repeat(ctx context.Context, draw func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	return a.pictures(ctx, tick.C, draw)
}

// pictures shows what draw prints: at once, and with every tick. A terminal is painted over, on its second screen, so that
// what stood there before comes back; elsewhere a picture is printed only where it is another than the one before.
func (a *app) pictures(ctx context.Context, tick <-chan time.Time, draw func(context.Context) error) error {
	paint := a.out.cursor && !a.json
	if paint {
		if err := a.put(ansi.SetModeAltScreenSaveCursor + ansi.HideCursor); err != nil {
			return err
		}
		defer func() { _ = a.put(ansi.ShowCursor + ansi.ResetModeAltScreenSaveCursor) }()
	}
	last := ""
	for {
		if a.Size != nil {
			a.out.resize(a.Size())
		}
		a.out.buf.Reset()
		err := draw(ctx)
		picture := a.out.buf.String()
		a.out.buf.Reset() // what is printed at the end of the command is nothing
		switch {
		case ctx.Err() != nil:
			return nil
		case fault.CodeOf(err) == fault.StoreBusy && last != "": // the next look will do
			picture = last
		case err != nil:
			return err
		}
		if picture != last {
			last = picture
			if paint {
				picture = a.out.screen(picture)
			}
			if err := a.put(picture); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		}
	}
}

func (a *app) put(s string) error {
	_, err := a.Stdout.Write([]byte(s))
	return err
}

// screen is a picture that is painted over the one before: each line is cleared behind its end, so that nothing flickers,
// and what the terminal has no room for is cut, or it would scroll.
func (o *output) screen(picture string) string {
	lines := strings.Split(strings.TrimSuffix(picture, "\n"), "\n")
	if o.height > 1 && len(lines) > o.height {
		lines = append(lines[:o.height-1], o.style.dim(fmt.Sprintf("+ %d lines more", len(lines)-o.height+1)))
	}
	return ansi.CursorHomePosition + strings.Join(lines, ansi.EraseLineRight+"\r\n") + ansi.EraseLineRight + ansi.EraseScreenBelow
}

func (o *output) resize(width, height int) {
	if width > 0 {
		o.width = width
	}
	o.height = height
}
