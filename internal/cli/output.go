package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"board/internal/text"
)

// output collects what a command prints to stdout and writes it at once: a command that fails prints nothing.
type output struct {
	buf    bytes.Buffer
	w      io.Writer
	tty    bool
	width  int
	height int
	style  style
	now    func() time.Time
}

// defaultWidth is used where the terminal does not tell.
const defaultWidth = 80

func newOutput(e Env) *output {
	o := &output{w: e.Stdout, tty: e.StdoutTTY, width: e.Width, height: e.Height, style: styleFor(e.StdoutTTY, e.Getenv), now: e.Now}
	if o.width <= 0 {
		o.width = defaultWidth
	}
	return o
}

func (o *output) flush() error {
	if o.buf.Len() == 0 {
		return nil
	}
	_, err := o.w.Write(o.buf.Bytes())
	o.buf.Reset()
	return err
}

// line prints one line. Its parts are safe already, or constant.
func (o *output) line(parts ...string) {
	o.buf.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	o.buf.WriteByte('\n')
}

// document is what --json prints.
type document struct {
	Kind string `json:"kind"`
	Data any    `json:"data"`
	Next string `json:"next,omitempty"`
}

func (o *output) document(kind string, data any, next string) error {
	return writeJSON(&o.buf, document{kind, data, next}, o.tty)
}

func writeJSON(w io.Writer, v any, indent bool) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(escapeJSON(b.Bytes()))
	return err
}

// escapeJSON escapes what encoding/json leaves alone in strings and a terminal obeys: DEL, the 8-bit control codes and
// bidirectional overrides. Outside of strings they do not occur.
func escapeJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f && hidden(r) }) {
		return b
	}
	var out bytes.Buffer
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r >= 0x7f && r <= 0xffff && hidden(r) {
			fmt.Fprintf(&out, "\\u%04x", r)
		} else {
			out.Write(b[:n])
		}
		b = b[n:]
	}
	return out.Bytes()
}

// hidden reports whether r is shown as an escape by text.Visible.
func hidden(r rune) bool { return r != utf8.RuneError && text.Visible(string(r), false) != string(r) }

// one makes foreign text one safe line.
func one(s string) string { return text.Visible(s, false) }

// column is one column of a table.
type column struct {
	title string
	flex  bool // takes what is left of the width, and is cut to it
	right bool
}

// table prints rows aligned to the terminal's width. The cells are safe; styled ones keep their style.
func (o *output) table(cols []column, rows [][]string) {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = ansi.StringWidth(c.title)
	}
	for _, r := range rows {
		for i, s := range r {
			widths[i] = max(widths[i], ansi.StringWidth(s))
		}
	}
	const gap = 2
	total, flex := -gap, -1
	for i, c := range cols {
		total += widths[i] + gap
		if c.flex {
			flex = i
		}
	}
	if flex >= 0 && total > o.width {
		widths[flex] = max(minFlex, widths[flex]-(total-o.width))
	}
	print := func(cells []string, st func(string) string) {
		var b strings.Builder
		for i, s := range cells {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			b.WriteString(st(fit(s, widths[i], cols[i].right)))
		}
		o.line(ansi.Truncate(strings.TrimRight(b.String(), " "), o.width, "…"))
	}
	titles := make([]string, len(cols))
	for i, c := range cols {
		titles[i] = c.title
	}
	print(titles, o.style.dim)
	for _, r := range rows {
		print(r, plain)
	}
}

// minFlex is the least width of a flexible column: less says nothing.
const minFlex = 12

// fit cuts or fills s to exactly w cells.
func fit(s string, w int, right bool) string {
	s = ansi.Truncate(s, w, "…")
	pad := strings.Repeat(" ", max(0, w-ansi.StringWidth(s)))
	if right {
		return pad + s
	}
	return s + pad
}

// fields prints one tab-separated line for programs. Nothing in a field can be taken for a tab or a line's end.
func (o *output) fields(f ...string) {
	for i, s := range f {
		if i > 0 {
			o.buf.WriteByte('\t')
		}
		o.buf.WriteString(text.Visible(s, false))
	}
	o.buf.WriteByte('\n')
}

// style colours what a person must not miss, and dims what may be missed; everything else is plain.
type style struct{ on bool }

func styleFor(tty bool, getenv func(string) string) style {
	return style{tty && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

func (s style) paint(st ansi.Style, t string) string {
	if !s.on || t == "" {
		return t
	}
	return st.Styled(t)
}

func (s style) bold(t string) string { return s.paint(ansi.Style{}.Bold(), t) }
func (s style) dim(t string) string  { return s.paint(ansi.Style{}.Faint(), t) }
func (s style) bad(t string) string  { return s.paint(ansi.Style{}.Bold().ForegroundColor(ansi.Red), t) }

// person is for what waits on a person.
func (s style) person(t string) string {
	return s.paint(ansi.Style{}.Bold().ForegroundColor(ansi.Yellow), t)
}

func plain(s string) string { return s }
