package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"board/internal/runs"
)

// Bounds of what is kept of a payload. A payload may be of any size: what is not wanted is scanned and dropped.
const (
	maxKept   = 1 << 20  // all wanted values together
	maxScalar = 16 << 10 // one wanted value, other than the two below
	maxPrompt = 512      // of a prompt: enough to tell what kind it is
)

var errNoObject = errors.New("not a JSON object")

// frame takes the first JSON object out of a stream and keeps the values of wanted fields, raw. It does not wait for the
// end of the stream, and it never holds more than maxKept bytes, however large the object is.
//
// Fields of the top object are named as they are ("session_id"); fields of an object inside it with a dot
// ("tool_input.file_path").
type frame struct {
	want   map[string]int // field → the most bytes to keep of it
	fields map[string][]byte
	cut    map[string]bool // values that were longer
	kept   int

	depth   int
	inText  bool
	escaped bool
	isKey   bool      // the string that is read now may be a key
	text    []byte    // of that string
	keys    [3]string // the key in force at each depth
	isArray [3]bool
	grab    string // the field whose value is being kept
	grabAt  int    // its depth
	started bool
	done    bool
	bom     int // bytes seen of a leading byte order mark
}

func newFrame(want map[string]int) *frame {
	return &frame{want: want, fields: map[string][]byte{}, cut: map[string]bool{}}
}

// feed scans b. It answers true when the object is complete; the rest of b is dropped.
func (f *frame) feed(b []byte) (bool, error) {
	for _, c := range b {
		if f.done {
			return true, nil
		}
		if !f.started {
			ok, err := f.start(c)
			if err != nil {
				return false, err
			}
			if !ok {
				continue
			}
		}
		f.byte(c)
	}
	return f.done, nil
}

// start skips byte order marks and white space before the object.
func (f *frame) start(c byte) (bool, error) {
	mark := [3]byte{0xef, 0xbb, 0xbf}
	switch {
	case c == mark[f.bom]:
		f.bom = (f.bom + 1) % len(mark)
		return false, nil
	case f.bom != 0:
		return false, errNoObject
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		return false, nil
	case c != '{':
		return false, errNoObject
	}
	f.started = true
	return true, nil
}

func (f *frame) byte(c byte) {
	if f.inText {
		f.inString(c)
		return
	}
	switch c {
	case '"':
		f.inText, f.escaped = true, false
		f.isKey = f.grab == "" && f.depth >= 1 && f.depth <= 2 && !f.isArray[f.depth] && f.keys[f.depth] == ""
		f.text = f.text[:0]
		f.keep(c)
	case '{', '[':
		f.keep(c)
		f.depth++
		if f.depth <= 2 {
			f.keys[f.depth], f.isArray[f.depth] = "", c == '['
		}
	case '}', ']':
		if f.grab != "" && f.depth == f.grabAt {
			f.endValue() // the object ended without a comma after the value
		}
		f.depth--
		f.keep(c)
		f.done = f.depth == 0
	case ',':
		if f.grab != "" && f.depth == f.grabAt {
			f.endValue()
		}
		if f.depth <= 2 && f.grab == "" {
			f.keys[f.depth] = ""
		}
		f.keep(c)
	case ':':
		if f.grab != "" {
			f.keep(c)
			return
		}
		if name := f.path(); name != "" {
			if _, ok := f.want[name]; ok {
				f.grab, f.grabAt = name, f.depth
				f.fields[name] = nil // of a key that stands twice the last one counts
				delete(f.cut, name)
			}
		}
	default:
		f.keep(c)
	}
}

func (f *frame) inString(c byte) {
	f.keep(c)
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inText = false
		if f.isKey {
			f.keys[f.depth] = unquote(f.text)
			f.isKey = false
		}
		return
	}
	if f.isKey && len(f.text) < 128 {
		f.text = append(f.text, c)
	}
}

// path names the field whose colon was just read.
func (f *frame) path() string {
	switch {
	case f.depth == 1:
		return f.keys[1]
	case f.depth == 2 && !f.isArray[2] && f.keys[1] != "":
		return f.keys[1] + "." + f.keys[2]
	}
	return ""
}

func (f *frame) keep(c byte) {
	if f.grab == "" {
		return
	}
	if len(f.fields[f.grab]) >= f.want[f.grab] || f.kept >= maxKept {
		f.cut[f.grab] = true
		return
	}
	f.fields[f.grab] = append(f.fields[f.grab], c)
	f.kept++
}

func (f *frame) endValue() { f.grab = "" }

func unquote(b []byte) string {
	var s string
	if json.Unmarshal(append(append([]byte{'"'}, b...), '"'), &s) != nil {
		return "\x00" // a key that nobody wants
	}
	return s
}

// has reports whether the field is there and not null.
func (f *frame) has(name string) bool {
	b, ok := f.fields[name]
	return ok && string(trim(b)) != "null" && len(trim(b)) > 0
}

// str returns a field that is a string, "" for any other. Of a string that was too long its beginning.
func (f *frame) str(name string) string {
	b := trim(f.fields[name])
	if len(b) == 0 || b[0] != '"' {
		return ""
	}
	if plain(b) {
		return string(b[1 : len(b)-1])
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		return s
	}
	if !f.cut[name] {
		return ""
	}
	for end := len(b); end > 1 && end > len(b)-12; end-- { // an escape may be cut in the middle
		if json.Unmarshal(append(append([]byte{}, b[:end]...), '"'), &s) == nil {
			return s
		}
	}
	return ""
}

// boolean returns a field that is true, also as a word: where it asks us to leave a host alone, doubt must do so.
func (f *frame) boolean(name string) bool {
	s := string(trim(f.fields[name]))
	return s == "true" || s == `"true"`
}

// is reports whether the field is exactly that JSON.
func (f *frame) is(name, value string) bool { return string(trim(f.fields[name])) == value }

// number returns a field that is a number, 0 for any other.
func (f *frame) number(name string) float64 {
	n, err := strconv.ParseFloat(string(trim(f.fields[name])), 64)
	if err != nil {
		return 0
	}
	return n
}

// list returns a field that is a list of texts, without what is none.
func (f *frame) list(name string) (out []string) {
	var all []json.RawMessage
	if f.cut[name] || json.Unmarshal(trim(f.fields[name]), &all) != nil {
		return nil
	}
	for _, raw := range all {
		var s string
		if json.Unmarshal(raw, &s) == nil && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// null reports whether the field is there, and null.
func (f *frame) null(name string) bool { return f.is(name, "null") }

// id returns a field that is an id, fit to be a key. Ids are never normalised: one that is no valid text is replaced by
// the digest of its bytes as they were sent.
func (f *frame) id(name string) string {
	s := f.str(name)
	if strings.ContainsRune(s, utf8.RuneError) || f.cut[name] {
		sum := sha256.Sum256(f.fields[name])
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	return runs.FitKey(s)
}

func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\n' || b[0] == '\t' || b[0] == '\r') {
		b = b[1:]
	}
	for len(b) > 0 {
		switch b[len(b)-1] {
		case ' ', '\n', '\t', '\r':
			b = b[:len(b)-1]
			continue
		}
		break
	}
	return b
}
