package hooks

import (
	"errors"
	"io"
	"time"
)

// Limits on the wait for input. failOpen keeps them: a read that blocks cannot.
const (
	maxSilence = time.Second     // without a new byte
	maxInput   = 3 * time.Second // in all
)

// unreadable is the reason of an event whose input was cut, silent or no JSON object.
const unreadable = "unreadable_input"

var errCut = errors.New("the input ended early")

// read scans the first JSON object on in, and calls heard for every piece of it. The end of the input is not waited for.
// What is no object is taken off to its end all the same: a host that cannot write its payload tells the person of an
// error.
func read(in io.Reader, want map[string]int, heard func()) (*frame, error) {
	f := newFrame(want)
	var bad error
	for b := make([]byte, 4<<10); ; { // most payloads are small, and memory that is touched costs time
		n, err := in.Read(b)
		heard()
		done := false
		if bad == nil {
			done, bad = f.feed(b[:n])
		}
		switch {
		case done:
			return f, nil
		case err != nil && bad != nil:
			return nil, bad
		case err != nil:
			return nil, errCut
		case n == len(b) && n < 64<<10:
			b = make([]byte, 64<<10)
		}
	}
}
