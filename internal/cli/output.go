package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"board/internal/text"
)

// output collects what a command prints to stdout and writes it at once: a command that fails prints nothing.
type output struct {
	buf    bytes.Buffer
	w      io.Writer
	tty    bool
	cursor bool // it can be moved
	width  int
	height int
	style  style
	now    func() time.Time
}

// defaultWidth is used where the terminal does not tell.
const defaultWidth = 80

func newOutput(e Env) *output {
	o := &output{w: e.Stdout, tty: e.StdoutTTY, cursor: e.StdoutTTY && e.Getenv("TERM") != "dumb", width: e.Width, height: e.Height, style: styleFor(e.StdoutTTY, e.Getenv), now: e.Now}
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

// escapeJSON escapes what encoding/json leaves alone in strings and a terminal obeys or hides: DEL, the 8-bit control
// codes and format characters. Outside of strings they do not occur.
func escapeJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f && hidden(r) }) {
		return b
	}
	var out bytes.Buffer
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r < 0x7f || !hidden(r):
			out.Write(b[:n])
		case r <= 0xffff:
			fmt.Fprintf(&out, "\\u%04x", r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, "\\u%04x\\u%04x", high, low)
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
	drop  int // the column with the highest number goes first where the width does not do; 0 stays
}

// table prints rows aligned to the terminal's width. The cells are safe; styled ones keep their style.
func (o *output) table(cols []column, rows [][]string) {
	cols, rows = o.squeeze(cols, rows)
	widths := columnWidths(cols, rows)
	if flex := slices.IndexFunc(cols, func(c column) bool { return c.flex }); flex >= 0 {
		if over := total(widths) - o.width; over > 0 {
			widths[flex] = max(leastFlex, widths[flex]-over)
		}
	}
	print := func(cells []string, st func(string) string) {
		var b strings.Builder
		for i, s := range cells {
			switch {
			case i < len(cells)-1 || cols[i].right:
				s = fit(s, widths[i], cols[i].right)
			default:
				s = ansi.Truncate(s, widths[i], "…")
			}
			b.WriteString(st(s))
			if i < len(cells)-1 {
				b.WriteString(strings.Repeat(" ", tableGap))
			}
		}
		o.line(ansi.Truncate(b.String(), o.width, "…"))
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

// Sizes of a table, in cells.
const (
	tableGap  = 2
	leastFlex = 12 // of the flexible column: less says nothing
	goodFlex  = 20 // below this a column that can be done without is left out
)

// squeeze leaves out columns that can be done without until the rest has room.
func (o *output) squeeze(cols []column, rows [][]string) ([]column, [][]string) {
	for {
		need, last := 0, -1
		for i, w := range columnWidths(cols, rows) {
			if cols[i].flex {
				w = min(w, goodFlex)
			}
			need += w + tableGap
			if cols[i].drop > 0 && (last < 0 || cols[i].drop > cols[last].drop) {
				last = i
			}
		}
		if last < 0 || need-tableGap <= o.width {
			return cols, rows
		}
		cols = slices.Delete(slices.Clone(cols), last, last+1)
		less := make([][]string, len(rows))
		for i, r := range rows {
			less[i] = slices.Delete(slices.Clone(r), last, last+1)
		}
		rows = less
	}
}

func columnWidths(cols []column, rows [][]string) []int {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = ansi.StringWidth(c.title)
	}
	for _, r := range rows {
		for i, s := range r {
			widths[i] = max(widths[i], ansi.StringWidth(s))
		}
	}
	return widths
}

func total(widths []int) int {
	sum := -tableGap
	for _, w := range widths {
		sum += w + tableGap
	}
	return sum
}

// wrapped prints text that may have several lines, wrapped to the width: the first line after first, all others after
// rest.
func (o *output) wrapped(first, rest, s string) {
	lead := first
	for l := range strings.SplitSeq(s, "\n") {
		room := max(leastFlex, o.width-max(ansi.StringWidth(first), ansi.StringWidth(rest)))
		for part := range strings.SplitSeq(ansi.Wrap(l, room, ""), "\n") {
			o.line(lead, part)
			lead = rest
		}
	}
}

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
