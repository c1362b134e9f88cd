// Package codexhost asks the installed Codex itself which hooks it sees and whether it trusts them, because the hash that
// it compares is Codex's own and nobody else's answer is worth anything.
package codexhost

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Wait is how long Codex may take to answer where the context says nothing. It takes 0.3 s; the first start after an
// update unpacks itself.
const Wait = 20 * time.Second

// goodbye is how long it may take to end after its answer.
const goodbye = 3 * time.Second

// maxAnswer bounds one line of Codex's output.
const maxAnswer = 8 << 20

// Trust is what Codex thinks of a hook. It runs none but trusted and managed ones, and says nothing of the others.
type Trust string

// What Codex says. Modified: the person trusted it in another form.
const (
	Untrusted Trust = "untrusted"
	Trusted   Trust = "trusted"
	Modified  Trust = "modified"
	Managed   Trust = "managed"
)

// Runs reports whether Codex runs such a hook.
func (t Trust) Runs() bool { return t == Trusted || t == Managed }

// Hook is one handler as Codex sees it.
type Hook struct {
	Key        string `json:"key"`         // names it in [hooks.state]
	Event      string `json:"eventName"`   // in lower camel case: userPromptSubmit
	Command    string `json:"command"`     // "" for one that is no command
	Hash       string `json:"currentHash"` // of what is written now
	Trust      Trust  `json:"trustStatus"`
	Enabled    bool   `json:"enabled"`
	Managed    bool   `json:"isManaged"`
	Source     string `json:"source"` // user, project, plugin, …
	SourcePath string `json:"sourcePath"`
	TimeoutSec int64  `json:"timeoutSec"`
}

// Listing is what Codex answered.
type Listing struct {
	Version  string // of Codex, "" unknown
	Hooks    []Hook
	Warnings []string
	Errors   []string // a file that it could not read: none of its hooks run
}

// Query says which Codex is asked, and about what.
type Query struct {
	Program string   // path of codex
	Home    string   // CODEX_HOME
	Cwd     string   // the directory of a session
	Env     []string // of the process; CODEX_HOME is added
	Args    []string // further arguments
}

// List starts Codex's app server in q.Home and asks it. Codex writes files of its own into that folder, as at any start.
func List(ctx context.Context, q Query) (Listing, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, Wait)
		defer cancel()
	}
	outer := ctx
	ctx, stop := context.WithCancel(outer)
	defer stop()
	cmd := exec.CommandContext(ctx, q.Program, append([]string{"app-server"}, q.Args...)...)
	cmd.Dir = q.Cwd
	cmd.Env = append(append([]string{}, q.Env...), "CODEX_HOME="+q.Home, "CODEX_SQLITE_HOME="+q.Home)
	own(cmd)
	cmd.WaitDelay = time.Second // what it started may keep the pipes open
	in, err := cmd.StdinPipe()
	if err != nil {
		return Listing{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Listing{}, err
	}
	if err := cmd.Start(); err != nil {
		return Listing{}, fmt.Errorf("codex does not start: %w", err)
	}
	list, err := talk(in, out, q.Cwd)
	_ = in.Close() // it ends by that
	if err != nil {
		stop()
	}
	late := time.AfterFunc(goodbye, stop) // and if not, by this: its answer is here
	_ = cmd.Wait()
	late.Stop()
	if err != nil && errors.Is(outer.Err(), context.DeadlineExceeded) {
		err = errors.New("codex did not answer in time")
	}
	return list, err
}

// talk asks hooks/list in the protocol of the app server: one JSON message a line.
func talk(in io.Writer, out io.Reader, cwd string) (Listing, error) {
	var list Listing
	send := func(m any) error {
		b, err := json.Marshal(m)
		if err != nil {
			return err
		}
		_, err = in.Write(append(b, '\n'))
		return err
	}
	type params map[string]any
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 64<<10), maxAnswer)
	answer := func(id int, to any) error {
		for lines.Scan() {
			var m struct {
				ID     *int
				Result json.RawMessage
				Error  *struct{ Message string }
			}
			if json.Unmarshal(lines.Bytes(), &m) != nil || m.ID == nil || *m.ID != id {
				continue // a notice, or a question to a client that we are not
			}
			if m.Error != nil {
				return fmt.Errorf("codex refuses: %s", m.Error.Message)
			}
			return json.Unmarshal(m.Result, to)
		}
		if err := lines.Err(); err != nil {
			return err
		}
		return errors.New("codex ended without an answer")
	}
	err := send(params{"id": 0, "method": "initialize", "params": params{
		"clientInfo": params{"name": "board", "version": "1"}, "capabilities": params{"experimentalApi": true},
	}})
	if err != nil {
		return list, err
	}
	var hello struct{ UserAgent string }
	if err := answer(0, &hello); err != nil {
		return list, err
	}
	list.Version = version(hello.UserAgent)
	if err := send(params{"method": "initialized"}); err != nil {
		return list, err
	}
	if err := send(params{"id": 1, "method": "hooks/list", "params": params{"cwds": []string{cwd}}}); err != nil {
		return list, err
	}
	var r struct {
		Data []struct {
			Hooks    []Hook
			Warnings []string
			Errors   []struct{ Path, Message string }
		}
	}
	if err := answer(1, &r); err != nil {
		return list, err
	}
	for _, d := range r.Data {
		list.Hooks, list.Warnings = append(list.Hooks, d.Hooks...), append(list.Warnings, d.Warnings...)
		for _, e := range d.Errors {
			list.Errors = append(list.Errors, e.Path+": "+e.Message)
		}
	}
	return list, nil
}

// version reads "board/0.171.0 (Debian …)".
func version(agent string) string {
	_, rest, ok := strings.Cut(agent, "/")
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, " ")
	return v
}

// ListAside is List without a trace: Codex starts in a copy of its settings, and the person's folder is only read. Trust
// is kept by the path of the file that a hook stands in, so the copy's record of it speaks of the copy, and the answer of
// the original. Plugins are left out: Codex would fetch them anew.
func ListAside(ctx context.Context, q Query) (Listing, error) {
	aside, err := os.MkdirTemp("", "board-codex-")
	if err != nil {
		return Listing{}, err
	}
	defer func() { _ = os.RemoveAll(aside) }()
	if resolved, err := filepath.EvalSymlinks(aside); err == nil {
		aside = resolved
	}
	home := q.Home
	homes := []string{home}
	if resolved, err := filepath.EvalSymlinks(home); err == nil && resolved != home {
		homes = append(homes, resolved)
	}
	if err := copySettings(home, aside, homes); err != nil {
		return Listing{}, err
	}
	q.Home, q.Args = aside, append(q.Args, "--disable", "plugins")
	list, err := List(ctx, q)
	for i := range list.Hooks {
		h := &list.Hooks[i]
		h.Key, h.SourcePath = back(h.Key, aside, home), back(h.SourcePath, aside, home)
	}
	for i := range list.Warnings {
		list.Warnings[i] = strings.ReplaceAll(list.Warnings[i], aside, home)
	}
	for i := range list.Errors {
		list.Errors[i] = strings.ReplaceAll(list.Errors[i], aside, home)
	}
	return list, err
}

func back(s, aside, home string) string {
	if rest, ok := strings.CutPrefix(s, aside); ok {
		return home + rest
	}
	return s
}

// maxSettings bounds a file of settings.
const maxSettings = 8 << 20

// copySettings copies what decides on hooks: hooks.json and the TOML files. No credential is among them, but a
// configuration may hold one: the folder is the person's alone, and is removed with the answer.
func copySettings(home, aside string, homes []string) error {
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() != "hooks.json" && filepath.Ext(e.Name()) != ".toml" {
			continue
		}
		name := filepath.Join(home, e.Name())
		st, err := os.Stat(name)
		if err != nil || !st.Mode().IsRegular() || st.Size() > maxSettings {
			continue // Codex does not read it either, or says so
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if e.Name() != "hooks.json" {
			b = moveKeys(b, homes, aside)
		}
		if err := os.WriteFile(filepath.Join(aside, e.Name()), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// moveKeys rewrites the keys of [hooks.state], which begin with the path of the file that the hook stands in.
func moveKeys(b []byte, homes []string, aside string) []byte {
	for _, home := range homes {
		for _, file := range []string{"hooks.json", "config.toml"} {
			from, to := filepath.Join(home, file)+":", filepath.Join(aside, file)+":"
			b = bytes.ReplaceAll(b, []byte(from), []byte(to))
			if from = strings.ReplaceAll(from, `\`, `\\`); strings.Contains(from, `\`) { // in a basic string of TOML
				b = bytes.ReplaceAll(b, []byte(from), []byte(strings.ReplaceAll(to, `\`, `\\`)))
			}
		}
	}
	return b
}
