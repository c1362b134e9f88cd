package adapters

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// What an edit adds can be taken out again without a record of what was there, because the form tells:
//
//	an empty container that is filled gets its first element right after its bracket;
//	a container that board creates has white space after its bracket;
//	a root that board creates in an empty file has two spaces there;
//	a file that board creates ends with a line break.
//
// A host that writes the file anew in its own form loses that, and with it nothing but the difference between a key that
// is absent and one that is empty.

const blankRoot = "{  "

// layout is the form of what is inserted.
type layout struct {
	newline string
	unit    string // one level of indentation
	indent  string // of the line that the inserted text stands on
	flat    bool   // on one line
}

// deeper is the layout one level down.
func (l layout) deeper() layout {
	l.indent += l.unit
	return l
}

// style reads line breaks and indentation from the file.
func (d *jsonDoc) style() layout {
	l := layout{newline: "\n", unit: "  "}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		l.newline = "\r\n"
	}
	if d.blank {
		return l
	}
	if list := elems(&d.root); len(list) > 0 {
		if in, ok := d.lineIndent(list[0].start); ok && in != "" {
			base, _ := d.lineIndent(d.root.StartOffset)
			l.unit = strings.TrimPrefix(in, base)
		}
	}
	if l.unit == "" {
		l.unit = "  "
	}
	return l
}

// lineIndent returns the white space that the line of pos begins with, and whether nothing else stands before pos.
func (d *jsonDoc) lineIndent(pos int) (string, bool) {
	from := bytes.LastIndexByte(d.text[:pos], '\n') + 1
	to := from
	for to < pos && (d.text[to] == ' ' || d.text[to] == '\t') {
		to++
	}
	return string(d.text[from:to]), to == pos
}

// inner is the layout of what stands in container v.
func (d *jsonDoc) inner(v *hujson.Value) layout {
	l := d.style()
	l.indent, _ = d.lineIndent(v.StartOffset)
	list := elems(v)
	if len(list) > 0 {
		if in, ok := d.lineIndent(list[len(list)-1].start); ok {
			l.indent = in
		} else {
			l.indent += l.unit
		}
		l.flat = bytes.IndexByte(d.text[v.StartOffset:v.EndOffset], '\n') < 0
		return l
	}
	l.indent += l.unit
	// An empty container is filled in the form of what it stands in: on one line if all of that is on one.
	l.flat = v != &d.root && bytes.IndexByte(d.text[d.root.StartOffset:d.root.EndOffset], '\n') < 0
	return l
}

// comma returns the place of the comma after the element that ends at end, -1 if the container closes first.
func (d *jsonDoc) comma(end int) int {
	for i := end; i < len(d.text); i++ {
		switch d.text[i] {
		case ' ', '\t', '\r', '\n':
		case ',':
			return i
		case '/':
			n := commentLen(d.text[i:])
			if n == 0 {
				return -1
			}
			i += n - 1
		default:
			return -1
		}
	}
	return -1
}

// lineEnd skips spaces and comments that follow pos on its line. It returns the end of the last comment, and whether
// that one ends with its line.
func (d *jsonDoc) lineEnd(pos int) (end int, open bool) {
	end = pos
	for i := pos; i < len(d.text); i++ {
		switch c := d.text[i]; c {
		case ' ', '\t':
		case '/':
			n := commentLen(d.text[i:])
			if n == 0 {
				return end, open
			}
			open = d.text[i+1] == '/'
			i += n - 1
			end = i + 1
		default:
			return end, open
		}
	}
	return end, open
}

// add appends a member (with a key) or an element to the container at path, which exists.
func (d *jsonDoc) add(path []any, key string, val any) error {
	v, err := d.find(path...)
	if err != nil {
		return err
	}
	l := d.inner(v)
	entry := renderEntry(key, val, l)
	list := elems(v)
	if len(list) == 0 {
		return d.splice(v.StartOffset+1, v.StartOffset+1, entry)
	}
	last := list[len(list)-1]
	at, tail := last.end, ""
	comma := d.comma(last.end)
	if comma >= 0 {
		at, tail = comma+1, ","
	}
	to, open := d.lineEnd(at)
	gap := " "
	if !l.flat || open {
		gap = l.newline + l.indent
	}
	if comma >= 0 {
		return d.splice(to, to, gap+entry+tail)
	}
	return d.splice(at, to, ","+string(d.text[at:to])+gap+entry)
}

// create makes the root of a file that is blank or not there, with one member.
func (d *jsonDoc) create(key string, val any) error {
	l := d.style()
	l.indent = l.unit
	text := blankRoot + renderEntry(key, val, l) + " }"
	if d.fresh {
		text = "{\n  " + renderEntry(key, val, l) + "\n}\n"
	}
	d.blank = false
	return d.splice(len(d.text), len(d.text), text)
}

// put writes a member that is not there yet, and the objects on the way to it.
func (d *jsonDoc) put(val any, path ...string) error {
	at := 0
	for at < len(path)-1 {
		v, err := d.find(steps(path[:at+1])...)
		if err != nil {
			return err
		}
		if v == nil {
			break
		}
		at++
	}
	for i := len(path) - 1; i > at; i-- {
		val = fields{{path[i], val}}
	}
	if d.blank {
		return d.create(path[0], val)
	}
	if v, err := d.find(steps(path[:at])...); err != nil {
		return err
	} else if _, err := object(v, name(path[:at])); err != nil {
		return err
	}
	return d.add(steps(path[:at]), path[at], val)
}

// push appends an element to the list at path, which it makes if it is not there.
func (d *jsonDoc) push(val any, path ...string) error {
	v, err := d.find(steps(path)...)
	switch {
	case err != nil:
		return err
	case v == nil:
		return d.put(list{val}, path...)
	}
	if _, ok := v.Value.(*hujson.Array); !ok {
		return notList(name(path))
	}
	return d.add(steps(path), "", val)
}

// drop removes what stands at path, and the containers around it that board made and in which nothing else is.
func (d *jsonDoc) drop(path ...any) error {
	for len(path) > 1 {
		v, err := d.find(path[:len(path)-1]...)
		if err != nil {
			return err
		}
		list := elems(v)
		if len(list) != 1 || !d.made(v) {
			break
		}
		around := append(bytes.Clone(d.text[v.StartOffset+1:list[0].start]), d.text[list[0].end:v.EndOffset-1]...)
		if len(bytes.Trim(around, " \t\r\n,")) > 0 { // a person's comment
			break
		}
		path = path[:len(path)-1]
	}
	return d.remove(path)
}

// hollow reports whether nothing but white space stands in a container.
func (d *jsonDoc) hollow(v *hujson.Value) bool {
	return len(bytes.TrimSpace(d.text[v.StartOffset+1:v.EndOffset-1])) == 0
}

// origin says how the root came to be.
type origin int

const (
	foreignRoot origin = iota // somebody else's
	blankFile                 // board's, in an empty file
	freshFile                 // board's, and so is the file
)

// origin reads the form of the root. It means something only if nothing foreign is in there.
func (d *jsonDoc) origin() origin {
	if d.blank {
		return foreignRoot
	}
	root, rest := d.text[d.root.StartOffset:d.root.EndOffset], string(d.text[d.root.EndOffset:])
	switch {
	case bytes.HasPrefix(root, []byte(blankRoot)) && rest == "":
		return blankFile
	case bytes.HasPrefix(root, []byte("{\n")) && rest == "\n" && d.root.StartOffset == 0 && d.mark == "":
		return freshFile
	}
	return foreignRoot
}

// finish takes away a root that board made and that is empty now. It reports whether the file goes with it.
func (d *jsonDoc) finish(was origin) (gone bool, err error) {
	if d.blank || was == foreignRoot || !d.hollow(&d.root) {
		return false, nil
	}
	if was == freshFile {
		return true, nil
	}
	return false, d.splice(d.root.StartOffset, len(d.text), "")
}

func steps(path []string) (out []any) {
	for _, p := range path {
		out = append(out, p)
	}
	return out
}

func name(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

func notList(where string) error { return fmt.Errorf("%s is not a list", where) }

// replace writes another value at path.
func (d *jsonDoc) replace(path []any, val any) error {
	v, err := d.find(path...)
	if err != nil {
		return err
	}
	l := d.style()
	l.indent, _ = d.lineIndent(v.StartOffset)
	// Whatever surrounds it on one line stays on one line.
	l.flat = bytes.IndexByte(d.text[d.root.StartOffset:d.root.EndOffset], '\n') < 0
	return d.splice(v.StartOffset, v.EndOffset, render(val, l))
}

// remove takes out the element or member that path leads to, with the white space and the comma that add gave it. It
// owns no comment.
func (d *jsonDoc) remove(path []any) error {
	v, err := d.find(path[:len(path)-1]...)
	if err != nil {
		return err
	}
	list := elems(v)
	i := 0
	switch last := path[len(path)-1].(type) {
	case int:
		i = last
	case string:
		for list[i].key != last {
			i++
		}
	}
	e, before := list[i], v.StartOffset+1
	if i > 0 {
		before = d.comma(list[i-1].end) + 1
	}
	from, to := d.gap(e.start), e.end
	comma := d.comma(e.end)
	if comma >= 0 {
		to = comma + 1
	}
	if d.commentEnds(before, from) && !d.lineEnds(to) {
		from = e.start // else what follows would become part of that comment
	}
	switch {
	case comma >= 0: // its own, or the trailing one that add kept up
		return d.splice(from, to, string(d.text[e.end:comma]))
	case i > 0:
		return d.splice(before-1, to, string(d.text[before:from]))
	}
	return d.splice(from, to, "")
}

// commentEnds reports whether text[from:to], which holds white space and comments alone, ends with a line comment.
func (d *jsonDoc) commentEnds(from, to int) bool {
	last := false
	for i := from; i < to; {
		n := commentLen(d.text[i:])
		if last = n > 0 && d.text[i+1] == '/'; n == 0 {
			n = 1
		}
		i += n
	}
	return last
}

// lineEnds reports whether nothing but spaces follows pos on its line.
func (d *jsonDoc) lineEnds(pos int) bool {
	rest := bytes.TrimLeft(d.text[pos:], " \t")
	return len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r'
}

// gap returns where the white space before pos begins that belongs to what stands there: the line break and indentation,
// or one space.
func (d *jsonDoc) gap(pos int) int {
	i := pos
	for i > 0 && (d.text[i-1] == ' ' || d.text[i-1] == '\t') {
		i--
	}
	switch {
	case i > 0 && d.text[i-1] == '\n':
		if i--; i > 0 && d.text[i-1] == '\r' {
			i--
		}
		return i
	case i < pos:
		return pos - 1
	}
	return pos
}

// made reports whether board created the container: white space follows its bracket.
func (d *jsonDoc) made(v *hujson.Value) bool {
	return strings.ContainsRune(" \t\r\n", rune(d.text[v.StartOffset+1]))
}
