package adapters

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"board/internal/fault"
	"board/internal/runs"
)

// PlanInstall says what is to be written so that every row of the contract, the MCP server and what lets its tools run
// stand in the configuration exactly once, in the form of today. A second plan after Apply has no changes.
func PlanInstall(t Target) (Plan, error) {
	if t.Launcher.Board == "" || t.Launcher.Hook == "" {
		return Plan{}, fault.New(fault.Invalid, "", "no launcher was given")
	}
	return plan(t, true)
}

// PlanRemove says what is to be written so that nothing of board is left, and every other byte is as it was.
func PlanRemove(t Target) (Plan, error) { return plan(t, false) }

func plan(t Target, install bool) (Plan, error) {
	p := Plan{Target: t}
	files, err := t.files()
	if err != nil {
		return p, err
	}
	shifted := false
	double := t.tomlHooks(files, install)
	if double != nil {
		p.Refused = append(p.Refused, *double)
	}
	for _, f := range files {
		if double != nil && install && slices.Contains(f.what, Hooks) {
			continue // a second one of each would be worse than a refusal
		}
		c, changed, err := f.plan(t, install, &shifted)
		switch {
		case err != nil:
			p.Refused = append(p.Refused, Refusal{Path: f.path, What: f.what, Reason: err.Error(), Snippet: f.snippet(t, install)})
		case changed:
			p.Changes = append(p.Changes, c)
		}
	}
	p.Hints = t.hints(p, install, shifted)
	return p, nil
}

// plan returns the change of one file. An error is the reason why it is left alone.
func (f file) plan(t Target, install bool, shifted *bool) (c Change, changed bool, err error) {
	at, err := locate(f.path)
	if err != nil {
		if !install && (!at.exists || !mentions(at.data)) {
			return c, false, nil // there is nothing to remove
		}
		return c, false, err
	}
	if !install && !at.exists {
		return c, false, nil
	}
	c = Change{Path: f.path, Before: at.data, Existed: at.exists, Mode: f.mode, What: f.what}
	if at.exists {
		c.Mode = at.info.Mode().Perm()
	}
	var gone bool
	switch {
	case f.own:
		c.After, gone, err = f.planOwn(t, at, install)
	case f.toml != nil:
		c.After, gone, err = f.planTOML(at, install)
	default:
		c.After, gone, err = f.planJSON(t, at, install, shifted)
	}
	if err != nil {
		if !install && !mentions(at.data) {
			return c, false, nil
		}
		return c, false, err
	}
	if gone {
		c.After = nil
		return c, at.exists, nil
	}
	return c, !at.exists || !bytes.Equal(c.Before, c.After), nil
}

// mentions reports whether a file may hold something of board.
func mentions(data []byte) bool { return bytes.Contains(data, []byte("board")) }

func (f file) planJSON(t Target, at place, install bool, shifted *bool) ([]byte, bool, error) {
	d, err := parseJSON(at.data)
	if err != nil {
		return nil, false, err
	}
	d.fresh = !at.exists
	if f.check != nil && install {
		if err := f.check(d); err != nil {
			return nil, false, err
		}
	}
	origin := d.origin()
	if install {
		for _, p := range f.parts {
			if err := p.install(d, shifted); err != nil {
				return nil, false, err
			}
		}
		return d.bytes(), false, verifyJSON(t, f.name, at.data, d.bytes())
	}
	for i := len(f.parts) - 1; i >= 0; i-- { // what was added last goes first
		if err := f.parts[i].remove(d, shifted); err != nil {
			return nil, false, err
		}
	}
	if bytes.Equal(d.bytes(), at.data) {
		return at.data, false, nil
	}
	gone, err := d.finish(origin)
	if err != nil || gone {
		return nil, gone, err
	}
	return d.bytes(), false, verifyJSON(t, f.name, at.data, d.bytes())
}

func (f file) planTOML(at place, install bool) ([]byte, bool, error) {
	d, err := parseTOML(at.data)
	if err != nil {
		return nil, false, err
	}
	if install {
		fresh := !at.exists
		if err := f.toml.install(d); err != nil {
			return nil, false, err
		}
		if fresh { // a file that ends with a line break and holds nothing else is board's
			d.text = append(d.text, '\n')
		}
		return d.bytes(), false, verifyTOML(at.data, d.bytes())
	}
	// Only a file that begins with a table and ends with a line break is as append makes one.
	made := bytes.HasSuffix(at.data, []byte("\n")) && len(d.exprs) > 0 && d.exprs[0].header
	if err := f.toml.remove(d); err != nil {
		return nil, false, err
	}
	if len(d.bytes()) == 0 && made {
		return nil, true, nil
	}
	return d.bytes(), false, verifyTOML(at.data, d.bytes())
}

func (f file) planOwn(t Target, at place, install bool) ([]byte, bool, error) {
	if at.exists && pluginVersion(at.data) == "" {
		if !install {
			return at.data, false, nil
		}
		return nil, false, errorText("a file of this name is there that is not board's")
	}
	if !install {
		return nil, true, nil
	}
	data, err := plugin(t)
	return data, false, err
}

// snippet is what a person may paste where board does not write, or what is to be taken out.
func (f file) snippet(t Target, install bool) string {
	switch {
	case !install:
		return ""
	case f.own:
		data, err := plugin(t)
		if err != nil {
			return ""
		}
		return string(data)
	case f.toml != nil:
		return f.toml.snippet()
	}
	all := fields{}
	for _, p := range f.parts {
		all = append(all, p.snippet()...)
	}
	return render(all, layout{newline: "\n", unit: "  "}) + "\n"
}

// Diff returns the plan as a unified diff, "" without changes.
func (p Plan) Diff() string {
	var out strings.Builder
	for _, c := range p.Changes {
		from, to := c.Path, c.Path
		if !c.Existed {
			from = "/dev/null"
		}
		if c.After == nil {
			to = "/dev/null"
		}
		text := diff.Diff(from, c.Before, to, c.After)
		_, text, _ = bytes.Cut(text, []byte("\n")) // a line that names both files again
		out.Write(text)
	}
	return out.String()
}

// hints are what a person has to do or to know once the plan is applied.
func (t Target) hints(p Plan, install, shifted bool) (list []string) {
	if len(p.Changes) == 0 {
		return nil
	}
	title := map[string]string{
		runs.ClaudeCode: "Claude Code", runs.Codex: "Codex", runs.OpenCode: "opencode", runs.Gemini: "Gemini CLI", runs.Cursor: "Cursor",
	}[t.Host]
	touched := map[What]bool{}
	for _, c := range p.Changes {
		for _, w := range c.What {
			touched[w] = true
		}
	}
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch t.Host {
	case runs.Codex:
		add("Sessions of Codex that run now go on as before; a background daemon keeps the old settings until: codex app-server daemon stop.")
	case runs.Cursor:
		add("Cursor takes up hooks by itself; its MCP servers are read when it starts.")
	default:
		add("Sessions of %s that run now go on as before: restart them to take up the change.", title)
	}
	if t.Host == runs.Codex && shifted {
		add("Hooks of others that follow board's in the list moved up: Codex asks you to review those again, in /hooks.")
	}
	if !install {
		for _, c := range p.Changes {
			if string(c.After) == cursorEmpty {
				add("%s stays, with no hook in it: Cursor forgets hooks when that file changes, not when it goes. Once Cursor runs no more you may delete it.", c.Path)
			}
		}
		return list
	}
	switch t.Host {
	case runs.Codex:
		if touched[Hooks] {
			add("Codex runs no hook that a person did not trust, and says nothing about it: start codex, choose Review (or type /hooks) and trust the hooks that run board-hook.")
		}
		if t.Scope == ScopeProject {
			add("Codex reads a project's files only where the project is trusted: it asks at the start.")
		}
	case runs.Cursor:
		add("Cursor's hooks are unproven: no recording of a real Cursor stands behind them. board host check shows whether an event came.")
	case runs.OpenCode:
		add("opencode loads the plugin at its next start, and installs its plugin package once, which needs the network.")
	}
	if t.Host == runs.ClaudeCode || t.Host == runs.Codex || t.Host == runs.Cursor {
		add("At the end of a turn board may ask once how far the Issue is. That costs one model turn; board config set probe off switches it off.")
	}
	if t.Scope == ScopeProject {
		add("The files name %s and %s, paths of this machine. Where they are missing the hooks do nothing, and the host reports that the MCP server does not start.", t.Launcher.Hook, t.Launcher.Board)
	}
	return list
}
