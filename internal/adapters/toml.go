package adapters

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlDoc is a TOML file as text, with the places of its expressions and what it says.
type tomlDoc struct {
	mark  string
	text  []byte
	exprs []tomlExpr
	tree  map[string]any
}

// tomlExpr is a table header, or a key with its value. Its lines are its own: nothing else may stand on them but comments.
type tomlExpr struct {
	header bool
	array  bool     // [[header]]
	key    []string // from the root of the file
	from   int      // of its first line
	to     int      // after the line break of its last line
	value  [2]int   // of the value of a key
}

// Bounds of a TOML file. Codex notes its trust there, three lines for each hook and project.
const (
	maxTOML  = 1 << 20
	maxLines = 20_000
)

// parseTOML reads a file. Its errors are reasons to leave it alone, for people.
func parseTOML(data []byte) (*tomlDoc, error) {
	d := &tomlDoc{text: data, tree: map[string]any{}}
	if rest, ok := bytes.CutPrefix(data, []byte(bom)); ok {
		d.mark, d.text = bom, rest
	}
	// The parser compares each name with those beside it, which many names make slow.
	if len(data) > maxTOML || bytes.Count(data, []byte("\n")) > maxLines {
		return nil, fmt.Errorf("it is larger than %d MiB or has more than %d lines", maxTOML>>20, maxLines)
	}
	if err := toml.Unmarshal(d.text, &d.tree); err != nil { // also what is defined twice
		return nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	var p unstable.Parser
	p.Reset(d.text)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		x := tomlExpr{header: e.Kind != unstable.KeyValue, array: e.Kind == unstable.ArrayTable}
		var last unstable.Range
		for it := e.Key(); it.Next(); {
			x.key = append(x.key, string(it.Node().Data))
			last = it.Node().Raw
		}
		end := int(last.Offset + last.Length)
		if x.header {
			table = x.key
			x.from = d.lineStart(int(last.Offset))
		} else {
			x.key = append(slices.Clone(table), x.key...)
			x.from = d.lineStart(int(e.Raw.Offset))
			x.value[1] = int(e.Raw.Offset + e.Raw.Length)
			x.value[0] = end + bytes.IndexByte(d.text[end:], '=') + 1
			for c := d.text[x.value[0]]; c == ' ' || c == '\t'; c = d.text[x.value[0]] {
				x.value[0]++
			}
			end = x.value[1]
		}
		x.to = d.lineEnd(end)
		d.exprs = append(d.exprs, x)
	}
	if err := p.Error(); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	return d, nil
}

func (d *tomlDoc) lineStart(pos int) int { return bytes.LastIndexByte(d.text[:pos], '\n') + 1 }

func (d *tomlDoc) lineEnd(pos int) int {
	if i := bytes.IndexByte(d.text[pos:], '\n'); i >= 0 {
		return pos + i + 1
	}
	return len(d.text)
}

func (d *tomlDoc) bytes() []byte { return append([]byte(d.mark), d.text...) }

func (d *tomlDoc) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// splice replaces text[from:to] and reads the result.
func (d *tomlDoc) splice(from, to int, with string) error {
	text := slices.Concat(d.text[:from], []byte(with), d.text[to:])
	next, err := parseTOML(text)
	if err != nil {
		return fmt.Errorf("board would have written something that is not TOML: %w", err)
	}
	next.mark = d.mark
	*d = *next
	return nil
}

// tomlServers is the table of Codex's MCP servers.
const tomlServers = "mcp_servers"

// tomlServer is board's entry in Codex's config.toml.
type tomlServer struct{ t Target }

func (p tomlServer) value() fields {
	// Without the last one, codex exec refuses tools that are not marked as read-only.
	env := list{}
	for _, name := range whereTheStoreIs() {
		env = append(env, name)
	}
	return fields{{"command", p.t.Launcher.Board}, {"args", list{"mcp"}}, {"env_vars", env}, {"default_tools_approval_mode", "approve"}}
}

// block is a table with a header.
func (p tomlServer) block(newline string) string {
	lines := []string{"[" + tomlServers + "." + serverName + "]"}
	for _, f := range p.value() {
		lines = append(lines, f.key+" = "+tomlValue(f.val))
	}
	return strings.Join(lines, newline)
}

func (p tomlServer) snippet() string { return p.block("\n") + "\n" }

func tomlValue(val any) string {
	if l, ok := val.(list); ok {
		var parts []string
		for _, v := range l {
			parts = append(parts, tomlValue(v))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	// A basic string of TOML knows every escape that this makes: control characters are never in a path that Find took.
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text(val)) + `"`
}

// scan returns the names under which board stands, and whether the name board is taken by something else.
func (p tomlServer) scan(d *tomlDoc) (names []string, taken bool, err error) {
	servers, ok := d.tree[tomlServers].(map[string]any)
	if !ok && d.tree[tomlServers] != nil {
		return nil, false, fmt.Errorf("%s is not a table", tomlServers)
	}
	for key, val := range servers {
		server, ok := val.(map[string]any)
		if ok && oursServer(tomlArgv(server)) {
			names = append(names, key)
		} else if key == serverName {
			taken = true
		}
	}
	slices.Sort(names)
	return names, taken, nil
}

func tomlArgv(server map[string]any) []string {
	argv := []string{text(server["command"])}
	args, ok := server["args"].([]any)
	if !ok {
		return argv
	}
	for _, a := range args {
		argv = append(argv, text(a))
	}
	return argv
}

func (p tomlServer) install(d *tomlDoc) error {
	names, taken, err := p.scan(d)
	switch {
	case err != nil:
		return err
	case len(names) == 0 && taken:
		return fmt.Errorf("%s.%s is a server that is not board's", tomlServers, serverName)
	case len(names) == 0:
		return p.append(d)
	}
	keep := keepName(names)
	for _, n := range names {
		if n != keep {
			if err := p.erase(d, n); err != nil {
				return err
			}
		}
	}
	return p.update(d, keep)
}

// append writes a new table at the end: there it is valid whatever stands before, unless the table of servers is closed.
func (p tomlServer) append(d *tomlDoc) error {
	for _, x := range d.exprs {
		if !x.header && len(x.key) == 1 && x.key[0] == tomlServers {
			return fmt.Errorf("%s is written in braces, to which no table can be added", tomlServers)
		}
	}
	nl := d.newline()
	gap, end := "", ""
	switch {
	case len(d.text) == 0:
	case d.text[len(d.text)-1] == '\n':
		gap, end = nl, nl
	default:
		gap = nl + nl
	}
	return d.splice(len(d.text), len(d.text), gap+p.block(nl)+end)
}

// update brings the values of an entry up to date, each where it stands. What is missing is added after the last key of
// the entry's own table.
func (p tomlServer) update(d *tomlDoc, name string) error {
	for _, f := range p.value() {
		server := d.tree[tomlServers].(map[string]any)[name].(map[string]any)
		if old, ok := server[f.key]; ok && (chosen(f.key) || reflect.DeepEqual(old, plain(f.val))) {
			continue
		}
		at := slices.IndexFunc(d.exprs, func(x tomlExpr) bool {
			return !x.header && slices.Equal(x.key, []string{tomlServers, name, f.key})
		})
		if at >= 0 {
			if err := d.splice(d.exprs[at].value[0], d.exprs[at].value[1], tomlValue(f.val)); err != nil {
				return err
			}
			continue
		}
		at = slices.IndexFunc(d.exprs, func(x tomlExpr) bool { return x.header && slices.Equal(x.key, []string{tomlServers, name}) })
		if at < 0 {
			return fmt.Errorf("%s.%s is not written as a table with a header of its own", tomlServers, name)
		}
		for at+1 < len(d.exprs) && !d.exprs[at+1].header {
			at++
		}
		end, nl, line := d.exprs[at].to, d.newline(), f.key+" = "+tomlValue(f.val)
		if d.text[end-1] == '\n' {
			line += nl
		} else {
			line = nl + line
		}
		if err := d.splice(end, end, line); err != nil {
			return err
		}
	}
	return nil
}

func (p tomlServer) remove(d *tomlDoc) error {
	names, _, err := p.scan(d)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := p.erase(d, n); err != nil {
			return err
		}
	}
	return nil
}

// erase takes out an entry with all its tables: what Codex itself wrote beneath it is no valid entry without it.
func (p tomlServer) erase(d *tomlDoc, name string) error {
	var text []byte
	at, last := 0, false
	for _, x := range d.exprs {
		if last = len(x.key) > 1 && x.key[0] == tomlServers && x.key[1] == name; !last {
			continue
		}
		from := x.from
		if x.header {
			from = d.blankBefore(from)
		}
		if from > at {
			text = append(text, d.text[at:from]...)
		}
		at = x.to
	}
	text = append(text, d.text[at:]...)
	if last && at == len(d.text) && d.text[at-1] != '\n' { // the file had no line break at its end, and gets that back
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	}
	next, err := parseTOML(text)
	if err != nil {
		return err
	}
	if servers, ok := next.tree[tomlServers].(map[string]any); ok && servers[name] != nil {
		return fmt.Errorf("%s.%s is written in braces together with others", tomlServers, name)
	}
	next.mark = d.mark
	*d = *next
	return nil
}

// blankBefore returns where the blank line before the line at pos begins, which append wrote with it; pos if there is none.
func (d *tomlDoc) blankBefore(pos int) int {
	if pos == 0 {
		return pos
	}
	i := pos - 1
	if i > 0 && d.text[i-1] == '\r' {
		i--
	}
	if i > 0 && d.text[i-1] != '\n' {
		return pos
	}
	return i
}
