package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// Limits of a file that is edited. Configurations of hosts reach a few hundred kilobytes; what is beyond these bounds is
// not understood, and a parser that recurses over foreign text must not be led into the ground.
const (
	maxFile  = 32 << 20
	maxDepth = 500
)

const bom = "\ufeff"

// jsonDoc is a JSON file with comments and trailing commas, as text with the places of its values. Every edit splices the
// text and reads it anew, so that places are never carried over an edit.
type jsonDoc struct {
	mark  string // a byte order mark, or ""
	text  []byte // without the mark
	root  hujson.Value
	blank bool // nothing but white space: there is no root
	fresh bool // the file does not exist
}

// parseJSON reads a file. Its errors are reasons to leave it alone, for people.
func parseJSON(data []byte) (*jsonDoc, error) {
	d := &jsonDoc{text: data}
	if rest, ok := bytes.CutPrefix(data, []byte(bom)); ok {
		d.mark, d.text = bom, rest
	}
	switch {
	case len(data) > maxFile:
		return nil, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	case len(bytes.Trim(d.text, " \t\r\n")) == 0:
		d.blank = true
		return d, nil
	case depth(d.text) > maxDepth:
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxDepth)
	}
	// A comment may end with the file; the parser wants a line break after it.
	root, err := hujson.Parse(append(bytes.Clone(d.text), '\n'))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("it does not hold a JSON object")
	}
	d.root = root
	return d, nil
}

// depth is the deepest nesting of brackets outside strings and comments.
func depth(text []byte) (deepest int) {
	at := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			if at++; at > deepest {
				deepest = at
			}
		case '}', ']':
			at--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			if n := commentLen(text[i:]); n > 0 {
				i += n - 1
			}
		}
	}
	return deepest
}

// commentLen is the length of the comment that text begins with, without the line break that ends it; 0 if there is none.
func commentLen(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			if text[i-1] == '\r' {
				i--
			}
			return i
		}
		return len(text)
	case bytes.HasPrefix(text, []byte("/*")):
		if i := bytes.Index(text[2:], []byte("*/")); i >= 0 {
			return 2 + i + 2
		}
		return len(text)
	}
	return 0
}

// bytes returns the file.
func (d *jsonDoc) bytes() []byte { return append([]byte(d.mark), d.text...) }

// splice replaces text[from:to] and reads the result.
func (d *jsonDoc) splice(from, to int, with string) error {
	text := make([]byte, 0, len(d.text)+len(with))
	text = append(append(append(text, d.text[:from]...), with...), d.text[to:]...)
	next, err := parseJSON(text)
	if err != nil {
		return fmt.Errorf("board would have written something that is not JSON: %w", err)
	}
	next.mark, next.fresh = d.mark, d.fresh
	*d = *next
	return nil
}

// elem is a member of an object or an element of an array.
type elem struct {
	key   string // of a member
	start int    // of the key, or of the element
	end   int    // of the value
	value *hujson.Value
}

// elems returns what is in an object or array.
func elems(v *hujson.Value) (list []elem) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			list = append(list, elem{m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value.EndOffset, &m.Value})
		}
	case *hujson.Array:
		for i := range c.Elements {
			e := &c.Elements[i]
			list = append(list, elem{"", e.StartOffset, e.EndOffset, e})
		}
	}
	return list
}

// object returns the members of v by name. A name that stands twice is an error: hosts differ in which one counts.
func object(v *hujson.Value, where string) (map[string]*hujson.Value, error) {
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, fmt.Errorf("%s is not an object", where)
	}
	m := map[string]*hujson.Value{}
	for _, e := range elems(v) {
		if _, twice := m[e.key]; twice {
			return nil, fmt.Errorf("%s has the key %q twice", where, e.key)
		}
		m[e.key] = e.value
	}
	return m, nil
}

// find walks from the root along keys (string) and indexes (int). It returns nil where the path ends early, an error
// where something on it is not what the path says or has a key twice.
func (d *jsonDoc) find(path ...any) (*hujson.Value, error) {
	if d.blank {
		return nil, nil
	}
	v, where := &d.root, "the file"
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, err := object(v, where)
			if err != nil {
				return nil, err
			}
			if v = m[step]; v == nil {
				return nil, nil
			}
			where = pathName(where, step)
		case int:
			a, ok := v.Value.(*hujson.Array)
			if !ok {
				return nil, fmt.Errorf("%s is not a list", where)
			}
			if step >= len(a.Elements) {
				return nil, nil
			}
			v = &a.Elements[step]
			where = fmt.Sprintf("%s[%d]", where, step)
		}
	}
	return v, nil
}

func pathName(where, key string) string {
	if where == "the file" {
		return key
	}
	return where + "." + key
}

// decode turns a value into what encoding/json makes of it, comments and trailing commas left out.
func decode(text []byte, v *hujson.Value) any {
	std, err := hujson.Standardize(bytes.Clone(text[v.StartOffset:v.EndOffset]))
	if err != nil {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(std))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return nil
	}
	return out
}

// text of a string value, "" for anything else.
func str(v *hujson.Value) string {
	if v == nil {
		return ""
	}
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}
