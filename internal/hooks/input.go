package hooks

import (
	"errors"
	"io"
	"time"
)

// Limits on the wait for input.
const (
	maxSilence = time.Second     // without a new byte
	maxInput   = 3 * time.Second // in all
)

var (
	errSilent = errors.New("the input stopped")
	errCut    = errors.New("the input ended early")
)

// read scans the first JSON object on in. The end of the input is not waited for. What is no object is taken off to its
// end all the same: a host that cannot write its payload tells the person of an error.
func read(in io.Reader, want map[string]int) (*frame, error) {
	type chunk struct {
		b   []byte
		err error
	}
	// The reader may block for ever on a pipe that stays open: it is left behind, and ends with the process.
	chunks := make(chan chunk, 1)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for size := 4 << 10; ; size = 64 << 10 { // most payloads are small, and memory that is touched costs time
			b := make([]byte, size)
			n, err := in.Read(b)
			select {
			case chunks <- chunk{b[:n], err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	f := newFrame(want)
	all := time.NewTimer(maxInput)
	defer all.Stop()
	silence := time.NewTimer(maxSilence)
	defer silence.Stop()
	var bad error
	for {
		select {
		case c := <-chunks:
			done := false
			if bad == nil {
				done, bad = f.feed(c.b)
			}
			switch {
			case done:
				return f, nil
			case c.err != nil && bad != nil:
				return nil, bad
			case c.err != nil:
				return nil, errCut
			}
			silence.Reset(maxSilence)
		case <-silence.C:
			return nil, errSilent
		case <-all.C:
			return nil, errSilent
		}
	}
}
