package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"board/internal/hooks"
	"board/internal/store"
)

// Program is a program of board that a host is told to run, and what it says of itself.
type Program struct {
	Path     string
	Hosts    []string // that name it
	Version  string   // "" if it does not say
	Protocol string
	Schema   int
	Err      string // why it does not say
}

// Drift reports whether the program is of another build than this one. Its events are stored all the same.
func (p Program) Drift(version string) bool { return p.Err == "" && p.Version != version }

// Mismatch reports whether the program does not understand this store, or the commands that are written: it stays quiet,
// and its events are lost.
func (p Program) Mismatch() bool {
	return p.Err == "" && (p.Protocol != hooks.Protocol || p.Schema != store.SchemaVersion)
}

// askWait is how long a program may take to say who it is.
const askWait = 5 * time.Second

// programs asks each board-hook that a host is told to run who it is.
func (w World) programs(ctx context.Context, list []Host, o trial) []Program {
	if !o.Run {
		return nil
	}
	var out []Program
	for _, h := range list {
		for _, s := range h.Scopes {
			for _, r := range s.Runs {
				i := slices.IndexFunc(out, func(p Program) bool { return p.Path == r.Program })
				if i < 0 && r.Program != "" {
					out = append(out, w.ask(ctx, r.Program, o))
					i = len(out) - 1
				}
				if i >= 0 && !slices.Contains(out[i].Hosts, h.Host) {
					out[i].Hosts = append(out[i].Hosts, h.Host)
				}
			}
		}
	}
	return out
}

// ask runs a program of board. An older board-hook does not know the question: it takes it for an event without input.
func (w World) ask(ctx context.Context, path string, o trial) Program {
	p := Program{Path: path}
	if o.hung[path] {
		p.Err = "it does not end"
		return p
	}
	if strings.TrimSuffix(filepath.Base(path), ".exe") != "board-hook" {
		p.Err = "it is no board-hook"
		return p
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	var env []string
	for _, kv := range w.Environ {
		if name, _, _ := strings.Cut(kv, "="); !hidden(name) {
			env = append(env, kv)
		}
	}
	env = append(env, store.EnvPath+"="+filepath.Join(os.TempDir(), "board-no-such-store", "board.db"))
	stdout, _, err := spawn(ctx, []string{path, "--version"}, "", env, nil)
	if err != nil {
		p.Err = "it does not run"
		return p
	}
	if p.Version, p.Protocol, p.Schema = hooks.ParseIdentity(string(stdout)); p.Schema == 0 {
		p.Err = "it does not say its version: an older board-hook"
	}
	return p
}
