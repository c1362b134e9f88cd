package doctor

import (
	"context"
	"slices"
	"strings"

	"board/internal/adapters"
	"board/internal/codexhost"
)

// Trust is what Codex says of board's hooks.
type Trust struct {
	NoProgram bool   // codex is not found: nobody can be asked
	Err       string // why it did not answer
	Version   string
	Hooks     []HookTrust
	Errors    []string // files that Codex could not read
}

// HookTrust is what it says of one event.
type HookTrust struct {
	Event   string
	Trust   codexhost.Trust // "" where Codex does not list the hook, although it is written
	Enabled bool
}

// Known reports whether Codex answered.
func (t Trust) Known() bool { return !t.NoProgram && t.Err == "" }

// All reports whether Codex runs every hook.
func (t Trust) All() bool {
	return !slices.ContainsFunc(t.Hooks, func(h HookTrust) bool { return !h.runs() })
}

func (h HookTrust) runs() bool { return h.Trust.Runs() && h.Enabled }

// Skipped returns the events whose hooks Codex does not run, and why: untrusted, modified, disabled or unlisted.
func (t Trust) Skipped() map[string][]string {
	out := map[string][]string{}
	for _, h := range t.Hooks {
		why := string(h.Trust)
		switch {
		case h.runs():
			continue
		case h.Trust == "":
			why = "unlisted"
		case h.Trust.Runs():
			why = "disabled"
		}
		out[why] = append(out[why], h.Event)
	}
	return out
}

// askCodex asks the real Codex, in a copy of its settings.
func (w World) askCodex(ctx context.Context, f adapters.Found) Trust {
	program, err := w.LookPath("codex")
	if err != nil {
		return Trust{NoProgram: true}
	}
	var env []string
	for _, kv := range w.Environ {
		if name, _, _ := strings.Cut(kv, "="); !hidden(name) {
			env = append(env, kv)
		}
	}
	cwd := w.Home
	if f.Scope == adapters.ScopeProject {
		cwd = f.Project
	}
	list, err := codexhost.ListAside(ctx, codexhost.Query{Program: program, Home: codexHome(f.Target), Cwd: cwd, Env: env})
	if err != nil {
		return Trust{Err: err.Error()}
	}
	t := Trust{Version: list.Version, Errors: list.Errors}
	for _, e := range f.Events {
		if len(e.Commands) == 0 {
			continue
		}
		t.Hooks = append(t.Hooks, trustOf(e, f.Scope, list.Hooks))
	}
	return t
}

// trustOf finds the hook of an event in what Codex lists.
func trustOf(e adapters.EventState, scope adapters.Scope, list []codexhost.Hook) HookTrust {
	name := strings.ToLower(e.Name[:1]) + e.Name[1:]
	for _, h := range list {
		if h.Event == name && slices.Contains(e.Commands, h.Command) && (h.Source == "project") == (scope == adapters.ScopeProject) {
			return HookTrust{e.Name, h.Trust, h.Enabled}
		}
	}
	return HookTrust{Event: e.Name}
}
