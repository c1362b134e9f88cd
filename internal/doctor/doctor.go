// Package doctor finds out whether the hosts really report to board and whether the store is sound, and changes nothing
// but what Fix is asked to.
package doctor

import (
	"context"
	"slices"
	"time"

	"board/internal/adapters"
	"board/internal/hooks"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// World is what the doctor knows of the process that it runs in.
type World struct {
	Home     string
	Project  string // the work tree around the current directory, "" for none
	Dir      string // the current directory, "" if it is gone
	Getenv   func(string) string
	Environ  []string
	LookPath func(string) (string, error)
	Now      func() time.Time
	Version  string // of this program
	Launcher adapters.Launcher
	Store    string // path of the database
	Windows  bool
}

// Stage is how far a host is connected, from nothing to what counts: an event was seen.
type Stage string

// The stages. Each one says that all before it are passed.
const (
	NotInstalled Stage = "not_installed" // nothing of board is written
	Unreadable   Stage = "unreadable"    // a file is not understood, so nobody knows
	Incomplete   Stage = "incomplete"    // a part is missing, twice, or in an older form
	NotRunnable  Stage = "not_runnable"  // the command, run as the host runs it, stores nothing or harms
	Blocked      Stage = "blocked"       // a policy keeps the hooks from running
	Untrusted    Stage = "untrusted"     // the host skips hooks that a person has not trusted
	Unproven     Stage = "unproven"      // everything is as it should be, and no event was seen since it was written
	Silent       Stage = "silent"        // the host works, as its other signs say, and none of its hooks fires
	Healthy      Stage = "healthy"       // an event was seen since
)

// Host is what is known of one host.
type Host struct {
	Host     string
	Detected bool    // it seems to be used on this machine
	Scopes   []Scope // those that are looked at; the user's always
	Seen     []Seen  // per row of the contract, and the witnesses beside them
	Counts   []Count // what became of its events otherwise
	Probes   runs.Probes
	Silent   bool // only the witness was seen

	// Lost are the versions of it the ids of whose events do not belong together any more.
	Lost []runs.LostRow
}

// LastSeen is when an event of a hook was seen last, 0 for never.
func (h Host) LastSeen() (at int64) {
	for _, s := range h.Seen {
		if s.Hook {
			at = max(at, s.LastAt)
		}
	}
	return at
}

// Installed reports whether anything of board is written for the host.
func (h Host) Installed() bool {
	return slices.ContainsFunc(h.Scopes, func(s Scope) bool { return s.Stage != NotInstalled })
}

// Seen is an event of a host and when it came last.
type Seen struct {
	Name   string
	Hook   bool // a row of the contract; false: a witness
	N      int64
	LastAt int64 // UTC ms, 0 for never
}

// Count is how often something became of a host's events.
type Count struct {
	Reason string
	N      int64
	Kept   bool // the event was kept for later, not dropped
}

// Scope is what is known of one host in one scope.
type Scope struct {
	Scope adapters.Scope
	Stage Stage
	Found adapters.Found
	Runs  []Run      // the installed commands, tried
	Serve *ServerRun // the MCP server, tried; nil if there is none
	Trust *Trust     // of hosts that ask for it
	Since int64      // when board wrote the hooks, in UTC ms; 0 where that is not known

	// Plan is what an installation would do now, and what it would refuse; nil where nothing was run.
	Plan *adapters.Plan
}

// Options says how much is looked at.
type Options struct {
	Hosts  []string // these; nil: all
	Run    bool     // run the installed commands
	Every  bool     // with every event, not only one per command
	Ask    bool     // ask hosts what they trust
	Health bool     // read the whole store, and see whether it can be written

	// Trying is called before a command is run for an event; nil: nobody waits.
	Trying func(host, event string)
}

// Report is everything.
type Report struct {
	Hosts    []Host
	Store    Store
	Programs []Program
	Projects []Project
	Here     *projects.Project // around the current directory
	Joinable []projects.Project
	Unknown  []Count // events of nobody that board knows
}

// Look finds out. It returns what it could: a part that fails is described in its place.
func (w World) Look(ctx context.Context, o Options) Report {
	var r Report
	facts := w.readStore(ctx, o.Health)
	r.Store, r.Projects, r.Here, r.Joinable = facts.Store, facts.projects, facts.here, facts.joinable
	tr := trial{Options: o, hung: map[string]bool{}}
	for _, name := range runs.Hosts() {
		if o.Hosts == nil || slices.Contains(o.Hosts, name) {
			r.Hosts = append(r.Hosts, w.host(ctx, name, facts, tr))
		}
	}
	r.Programs = w.programs(ctx, r.Hosts, tr)
	r.Unknown = facts.counts(unknownHost)
	return r
}

// host looks at one host.
func (w World) host(ctx context.Context, name string, f facts, o trial) Host {
	h := Host{Host: name, Detected: slices.Contains(adapters.Detect(w.Home, w.Getenv, w.LookPath), name), Probes: f.probes[name]}
	h.Seen, h.Counts = f.seen(name), f.counts(name)
	h.Silent = silent(h.Seen)
	for _, l := range f.lost {
		if l.Host == name {
			h.Lost = append(h.Lost, l)
		}
	}
	for _, scope := range []adapters.Scope{adapters.ScopeUser, adapters.ScopeProject} {
		if scope == adapters.ScopeProject && w.Project == "" {
			continue
		}
		s := w.scope(ctx, name, scope, h, o)
		if scope == adapters.ScopeUser || s.Stage != NotInstalled {
			h.Scopes = append(h.Scopes, s)
		}
	}
	return h
}

// Target is a host in a scope, for the adapters.
func (w World) Target(host string, scope adapters.Scope) adapters.Target {
	return adapters.Target{
		Host: host, Scope: scope, Home: w.Home, Project: w.Project, Getenv: w.Getenv, Launcher: w.Launcher, Windows: w.Windows,
	}
}

func (w World) scope(ctx context.Context, name string, scope adapters.Scope, h Host, o trial) Scope {
	s := Scope{Scope: scope}
	found, err := adapters.Inspect(w.Target(name, scope))
	if err != nil {
		s.Stage = Unreadable
		s.Found.Files = []adapters.FileState{{Fault: err.Error()}}
		return s
	}
	s.Found, s.Since = found, adapters.InstalledAt(w.Backups(), found.Target)
	s.Stage = Written(found)
	if o.Run {
		if p, err := adapters.PlanInstall(w.Target(name, scope)); err == nil {
			s.Plan = &p
		}
	}
	if s.Stage == NotInstalled || s.Stage == Unreadable {
		return s
	}
	stage := s.Stage
	if o.Run {
		s.Runs, s.Serve = w.try(ctx, found, o)
		if stage == Unproven && !runnable(s) {
			stage = NotRunnable
		}
	}
	if stage == Unproven && slices.ContainsFunc(found.Blocked, func(b adapters.Block) bool { return b.All }) {
		stage = Blocked // before trust: Codex does not even list hooks that are switched off
	}
	if o.Ask && name == runs.Codex {
		t := w.askCodex(ctx, found)
		s.Trust = &t
		if stage == Unproven && t.Known() && !t.All() {
			stage = Untrusted
		}
	}
	if stage == Unproven && h.Silent {
		stage = Silent
	}
	if stage == Unproven && s.proven(h.LastSeen()) {
		stage = Healthy
	}
	s.Stage = stage
	return s
}

// Written says how far the configuration goes by itself: Unproven where nothing is missing.
func Written(f adapters.Found) Stage {
	states := make([]adapters.State, 0, len(f.Events)+3)
	for _, e := range f.Events {
		states = append(states, e.State)
	}
	states = append(states, f.Server.State, f.Permission.State, f.Plugin.State)
	has := func(list ...adapters.State) bool {
		return slices.ContainsFunc(states, func(s adapters.State) bool { return slices.Contains(list, s) })
	}
	ours := has(adapters.Older, adapters.Twice) || len(f.Strays) > 0 || slices.ContainsFunc(f.Events, func(e adapters.EventState) bool {
		return e.State == adapters.Present
	}) || f.Server.State == adapters.Present || f.Plugin.State == adapters.Present
	switch {
	case has(adapters.Unread):
		return Unreadable
	case !ours:
		return NotInstalled
	case has(adapters.Missing, adapters.Older, adapters.Twice, adapters.Foreign) || len(f.Strays) > 0:
		return Incomplete
	}
	return Unproven
}

// silent reports whether a host worked, as a witness says, while no hook of it fired.
func silent(seen []Seen) bool {
	var hook, witness int64
	for _, s := range seen {
		if s.Hook {
			hook = max(hook, s.LastAt)
		} else {
			witness = max(witness, s.LastAt)
		}
	}
	return runs.HooksSilent(hook, witness)
}

// seen returns when each event of a host was seen last.
func (f facts) seen(host string) []Seen {
	byName := map[string]runs.HostEvent{}
	for _, e := range f.events {
		if e.Host == host {
			byName[e.Name] = e
		}
	}
	var out []Seen
	for _, e := range hooks.ContractOf(host) {
		if !slices.ContainsFunc(out, func(s Seen) bool { return s.Name == e.Name }) {
			out = append(out, Seen{e.Name, true, byName[e.Name].N, byName[e.Name].LastAt})
		}
	}
	if e, ok := byName[runs.Witness]; ok && host == runs.Codex {
		out = append(out, Seen{runs.Witness, false, e.N, e.LastAt})
	}
	return out
}

// unknownHost is the name under which events are counted whose host is not known.
const unknownHost = "unknown"

// Store is how the database is.
type Store struct {
	Path     string
	Exists   bool
	Empty    bool     // a file is there with nothing in it, and the first board init makes a store of it
	Err      error    // why it cannot be read
	Damage   []string // what the check of the whole file found
	WriteErr error    // why it cannot be written
	Size     int64
	LogSize  int64
	Schema   int
	Files    []store.File
	Spool    store.SpoolState
}

// Project is a registered project.
type Project struct {
	projects.Project
	Gone bool // its directory is not there
}
