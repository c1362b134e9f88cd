// Package mcp serves the board to agents: the kanban tools, each declared once, and the stdio loop of `board mcp`.
package mcp

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"board/internal/store"
)

// The times of a server. grace and lastWait together stay under the second in which a server must be gone after the end
// of its input or a signal.
const (
	grace    = 500 * time.Millisecond // for calls that are under way or queued, to finish and be answered
	lastWait = 300 * time.Millisecond // after that they are cancelled, and have this long to roll back
	idleTime = 2 * time.Second        // an idle server closes the store after this
	callTime = 10 * time.Second       // one call, waiting for other writers included
)

// queued is how many messages are read ahead of the one being handled, so that the end of the input is seen in time.
const queued = 1024

// Options says what a server works with.
type Options struct {
	In  io.Reader // JSON-RPC, one message a line
	Out io.Writer // JSON-RPC and nothing else, one write a message
	Err io.Writer // for people

	Cwd     string // the project of callers that prove no run
	Version string

	// Open opens the store. It is called at the first tool call that needs it, and again after an idle time or a
	// failure of the store, so a server can start before there is a board.
	Open func(ctx context.Context) (*store.DB, error)
	// Drain stores the events that wait in the spool. Every call that writes begins with it.
	Drain func(ctx context.Context, db *store.DB) error
}

// Serve answers the messages of o.In, one after the other and in order, until the end of the input, SIGINT or SIGTERM.
// What was read by then is answered if that takes no longer than a moment, else rolled back; Serve returns within a
// second either way. A goroutine that waits for input may outlive Serve if o.In cannot be closed, like a terminal.
func Serve(ctx context.Context, o Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, o)
}

func serve(ctx context.Context, o Options) error {
	s, err := newServer(o)
	if err != nil {
		return err
	}
	quit := make(chan struct{})
	defer close(quit)
	lines := make(chan line)
	go readLines(o.In, lines, quit)
	queue, ended := ahead(lines, quit)

	// Calls do not end with ctx: a signal lets them finish first.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- s.loop(ctx, work, queue) }()

	select {
	case err := <-done:
		return err
	case <-ended:
	case <-ctx.Done():
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		cancel()
	}
	t.Reset(lastWait)
	select {
	case err := <-done:
		return err
	case <-t.C:
		return errors.New("a call did not end in time")
	}
}

// ahead passes lines on through a queue. The second channel is closed when the input ended, which is known before the
// queue is empty.
func ahead(lines <-chan line, quit <-chan struct{}) (<-chan line, <-chan struct{}) {
	queue := make(chan line, queued)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(queue)
		for l := range lines {
			select {
			case queue <- l:
			case <-quit:
				return
			}
		}
	}()
	return queue, ended
}

// loop handles the lines of queue in order until it is closed, or until what is queued when ctx ends is handled. It
// stops early when work is cancelled or Out breaks.
func (s *server) loop(ctx, work context.Context, queue <-chan line) error {
	defer s.board.close()
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for work.Err() == nil {
		select {
		case l, ok := <-queue:
			if !ok {
				return nil
			}
			if err := s.answer(work, l); err != nil {
				return err
			}
			idle.Reset(idleTime)
		case <-idle.C:
			// A server that waits for its host holds no lock and no connection, and leaves the file free to be replaced.
			s.board.close()
		case <-ctx.Done():
			return s.finish(work, queue)
		}
	}
	return nil
}

// finish handles what is queued already.
func (s *server) finish(work context.Context, queue <-chan line) error {
	for work.Err() == nil {
		select {
		case l, ok := <-queue:
			if !ok {
				return nil
			}
			if err := s.answer(work, l); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (s *server) answer(ctx context.Context, l line) error {
	out := s.handle(ctx, l)
	if out == nil {
		return nil
	}
	_, err := s.out.Write(append(out, '\n'))
	return err
}
