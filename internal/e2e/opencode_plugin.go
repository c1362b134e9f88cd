package main

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	assets "board/assets/adapters"
)

// recordings holds sessions of the real opencode as its plugins saw them, long texts cut, and what plays them.
//
//go:embed testdata/opencode testdata/opencode_driver.ts
var recordings embed.FS

// pluginTable: recorded sessions are played to the plugin, in the runtime that is inside of opencode, and what it tells
// board is compared with the table. Two copies of the plugin tell the same, with the same ids.
func pluginTable(ctx context.Context, w *world) error {
	seen := w.path("told")
	hook := w.path("hook '1'") // a path with what a shell or a string would mind
	if err := w.executable(hook, "#!/bin/sh\np=$(cat)\nprintf '%s\\n' \"$p\" >> '"+seen+"'\nprintf '{\"context\":\"CONTEXT\"}'\n"); err != nil {
		return err
	}
	var plugins []string
	for _, name := range []string{"one.ts", "two.ts"} {
		plugins = append(plugins, w.path(name))
		if err := w.pluginFor(w.path(name), hook); err != nil {
			return err
		}
	}
	folder := w.path("recorded")
	tree, err := fs.Sub(recordings, "testdata/opencode")
	if err != nil {
		return err
	}
	driver, err := recordings.ReadFile("testdata/opencode_driver.ts")
	if err != nil {
		return err
	}
	if err := errors.Join(os.CopyFS(folder, tree), w.write(w.path("driver.ts"), string(driver))); err != nil {
		return err
	}
	words := append([]string{"run", w.path("driver.ts"), folder, seen}, plugins...)
	p, err := w.start(w.Repo, append(w.hostEnv(), "BUN_BE_BUN=1"), w.program, words...)
	if err != nil {
		return err
	}
	if err := p.mustEnd(ctx); err != nil {
		return err
	}
	if err := want("what the plugin printed", p.stderr(), ""); err != nil {
		return err
	}
	return errors.Join(compareTold(fileText(seen)), comparePushed(p.stdout()))
}

// pluginFor writes the plugin as the installer does, for a hook of ours.
func (w *world) pluginFor(path, hook string) error {
	source, err := assets.Files.ReadFile("opencode/board.ts")
	if err != nil {
		return err
	}
	name, err := json.Marshal(hook)
	if err != nil {
		return err
	}
	return w.write(path, string(bytes.ReplaceAll(source, []byte(`"@BOARD_HOOK@"`), name)))
}

// executable writes a program.
func (w *world) executable(path, content string) error {
	return errors.Join(w.write(path, content), os.Chmod(path, 0o700))
}

// toldEvent is what the plugin tells, as far as it is compared.
type toldEvent struct {
	Event, ID, Session, Turn, Agent, Tool, Notice, Reason string
	AgentType                                             string `json:"agent_type"`
	HostMade                                              string `json:"host_made"`
	CallID                                                string `json:"call_id"`
	Paths                                                 []string
	Host, Plugin, Version, PID, Cwd                       string
}

// compareTold compares what was told of each recording with the table.
func compareTold(text string) error {
	got := map[string][]string{}
	ids := map[string]string{}
	name := ""
	names, count := map[string]string{}, map[string]int{}
	short := func(kind, id string) string { // t1, t2, a1, in the order of their first appearance
		if id == "" {
			return ""
		}
		if names[id] == "" {
			count[kind]++
			names[id] = fmt.Sprint(kind, count[kind])
		}
		return " " + names[id]
	}
	var errs []error
	for line := range strings.Lines(text) {
		if next, ok := strings.CutPrefix(line, "== "); ok {
			name = strings.TrimSpace(next)
			clear(names)
			clear(count)
			got[name] = nil
			continue
		}
		var e toldEvent
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, line)
		}
		if e.Host != "opencode" || e.Plugin != "1" || e.PID == "" || e.Cwd != "/work/project" || e.ID == "" || e.Session == "" {
			errs = append(errs, fmt.Errorf("%s: a field is missing: %s", name, line))
		}
		s := e.Event + short("t", e.Turn) + short("a", e.Agent)
		for _, more := range append([]string{e.AgentType, e.Tool, e.Notice, e.Reason}, e.Paths...) {
			if more != "" {
				s += " " + filepath.Base(more)
			}
		}
		if e.HostMade != "" {
			s += " by the host"
		}
		key := name + " " + e.ID
		if was, twin := ids[key]; twin { // of the other copy
			if was != line {
				errs = append(errs, fmt.Errorf("%s: two copies tell %s in two ways:\n%s%s", name, e.ID, was, line))
			}
			continue
		}
		ids[key] = line
		got[name] = append(got[name], s)
	}
	expected := toldOf()
	for name := range got {
		if _, ok := expected[name]; !ok {
			errs = append(errs, fmt.Errorf("%s: no row in the table, got %q", name, got[name]))
		}
	}
	for name, want := range expected {
		if !slices.Equal(got[name], want) {
			errs = append(errs, fmt.Errorf("%s: told %q, want %q", name, got[name], want))
		}
	}
	if want := 2 * len(ids); strings.Count(text, "\n")-len(got) != want {
		errs = append(errs, fmt.Errorf("%d events were told, want %d: each copy tells each", strings.Count(text, "\n")-len(got), want))
	}
	return errors.Join(errs...)
}

// comparePushed checks the parts that context came in: without any of their ids opencode refuses the prompt.
func comparePushed(stdout string) error {
	n := 0
	for line := range strings.Lines(stdout) {
		var part struct {
			ID, SessionID, MessageID, Type, Text string
			Synthetic                            bool
		}
		if err := json.Unmarshal([]byte(line), &part); err != nil {
			return err
		}
		if !strings.HasPrefix(part.ID, "prt_") || !strings.HasPrefix(part.SessionID, "ses_") || !strings.HasPrefix(part.MessageID, "msg_") ||
			part.Type != "text" || part.Text != "CONTEXT" || !part.Synthetic {
			return fmt.Errorf("a part of a prompt: %s", line)
		}
		n++
	}
	if n == 0 {
		return errors.New("no context reached a prompt")
	}
	return nil
}
