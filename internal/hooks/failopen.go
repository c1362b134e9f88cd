package hooks

import (
	"io"
	"time"

	"board/internal/fault"
)

// work makes the answer to an event whose input is complete.
type work func() ([]byte, error)

// failOpen is the one place that swallows errors, panics and slowness: a hook never harms its host. begin reads the
// input, which has its own limits, and returns the work, which has the budget. Whatever happens, exactly one answer is
// written, in one write: that of the work if all of it succeeded, else the neutral one.
func failOpen(out io.Writer, neutral string, begin func() work, failed func(reason string)) {
	type result struct {
		answer []byte
		reason string
	}
	ready, done := make(chan struct{}), make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if recover() != nil { // what it says may hold a payload: it is not looked at
				r = result{reason: "panic"}
			}
			done <- r
		}()
		growStack(0)
		w := begin()
		close(ready)
		answer, err := w()
		if err != nil {
			r.reason = string(fault.CodeOf(err))
			return
		}
		r.answer = answer
	}()
	var r result
	select {
	case <-ready:
		t := time.NewTimer(Budget)
		defer t.Stop()
		select {
		case r = <-done:
		case <-t.C:
			r.reason = "timeout"
		}
	case r = <-done: // it panicked before the input was complete
	}
	if r.reason != "" {
		failed(r.reason)
	}
	if len(r.answer) == 0 {
		r.answer = []byte(neutral)
	}
	if len(r.answer) > 0 {
		_, _ = out.Write(r.answer) // a host that does not listen is not told
	}
}

// growStack makes the stack of the goroutine large once, while there is nothing on it to copy. SQLite goes deep, and
// the stack would be doubled, and copied, on the way down four times.
//
//go:noinline
func growStack(depth int) byte {
	var room [24 << 10]byte
	if depth < 2 {
		return growStack(depth+1) + room[depth]
	}
	return room[depth]
}
