package hooks

import (
	"io"
	"sync/atomic"
	"time"

	"board/internal/fault"
)

// work makes the answer to an event whose input is complete.
type work func() ([]byte, error)

// failOpen is the one place that swallows errors, panics and slowness: a hook never harms its host. begin reads the
// input, telling the watch of every piece, and returns the work, which has the budget. Whatever happens, exactly one
// answer is written, in one write: that of the work if all of it succeeded, else the neutral one. What is stuck is left
// behind, and ends with the process.
func failOpen(out io.Writer, neutral string, begin func(*watch) work, failed func(reason string)) {
	w := &watch{complete: make(chan struct{}), began: time.Now()}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if recover() != nil { // what it says may hold a payload: it is not looked at
				r = result{reason: "panic"}
			}
			done <- r
		}()
		growStack(0)
		do := begin(w)
		close(w.complete)
		answer, err := do()
		if err != nil {
			r.reason = string(fault.CodeOf(err))
			return
		}
		r.answer = answer
	}()
	r := w.wait(done)
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

// result is how the work ended.
type result struct {
	answer []byte
	reason string // why there is no answer
}

// watch tells slow input from slow work.
type watch struct {
	began    time.Time
	heard    atomic.Int64  // when the last piece of input came, in nanoseconds since began
	complete chan struct{} // closed when the input is complete
}

// hear notes that a piece of input came.
func (w *watch) hear() { w.heard.Store(int64(time.Since(w.began))) }

// wait waits for the work, as long as it may take.
func (w *watch) wait(done <-chan result) result {
	t := time.NewTimer(maxSilence)
	defer t.Stop()
	complete := w.complete
	for {
		select {
		case r := <-done:
			return r
		case <-complete:
			complete = nil
			t.Reset(Budget)
		case <-t.C:
			if complete == nil {
				return result{reason: "timeout"}
			}
			silent := time.Since(w.began) - time.Duration(w.heard.Load())
			left := min(maxSilence-silent, maxInput-time.Since(w.began))
			if left <= 0 {
				return result{reason: unreadable}
			}
			t.Reset(left)
		}
	}
}

// growStack makes the stack of the goroutine large once, while there is nothing on it to copy. SQLite goes deep, and
// the stack would be doubled, and copied, on the way down three times. The room is asked for by the size of the frame;
// it is not touched, because a page that is touched must be made.
//
//go:noinline
func growStack(at int) byte {
	if at > 0 {
		var room [36 << 10]byte
		return room[at]
	}
	return 0
}
