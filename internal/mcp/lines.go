package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one message. The largest honest one is a kanban_create with every field at its limit, under 1 MiB.
const maxLine = 4 << 20

// line is one line of input. A line over maxLine is dropped while it is read; only that it came is told.
type line struct {
	data    []byte
	tooLong bool
}

// readLines sends the lines of r to out and closes it at the end of r, or when quit is closed. A last line without a
// line feed counts.
func readLines(r io.Reader, out chan<- line, quit <-chan struct{}) {
	defer close(out)
	br := bufio.NewReaderSize(r, 64<<10)
	var cur line
	for {
		part, err := br.ReadSlice('\n')
		if len(cur.data)+len(part) > maxLine {
			cur = line{tooLong: true}
		} else if !cur.tooLong {
			cur.data = append(cur.data, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(cur.data) > 0 || cur.tooLong {
			select {
			case out <- cur:
			case <-quit:
				return
			}
		}
		cur = line{}
		if err != nil {
			return
		}
	}
}

// trim drops white space around a message, and the byte order mark that some shells put before the first one.
func trim(b []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
}
