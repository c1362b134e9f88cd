package cli

import (
	"board/internal/adapters"
	"board/internal/doctor"
	"board/internal/fault"
)

type doctorJSON struct {
	Store    storeJSON     `json:"store"`
	Programs []programJSON `json:"programs"`
	Hosts    []hostJSON    `json:"hosts"`
	Findings []finding     `json:"findings"`
}

type storeJSON struct {
	Path     string   `json:"path"`
	Exists   bool     `json:"exists"`
	Code     string   `json:"code,omitempty"` // of what is wrong with it
	Writable bool     `json:"writable"`
	Damage   []string `json:"damage"`
	Size     int64    `json:"size"`
	LogSize  int64    `json:"log_size"`
	Schema   int      `json:"schema"`
	Spooled  int      `json:"spooled"`
	SetAside int      `json:"set_aside"`
}

type programJSON struct {
	Path    string   `json:"path"`
	Hosts   []string `json:"hosts"`
	Version string   `json:"version,omitempty"`
	Drift   bool     `json:"drift"`
	Error   string   `json:"error,omitempty"`
}

type hostJSON struct {
	Host      string      `json:"host"`
	Found     bool        `json:"found"`
	LastEvent string      `json:"last_event,omitempty"`
	Degraded  bool        `json:"correlation_degraded"`
	Silent    bool        `json:"hooks_silent"`
	Scopes    []scopeJSON `json:"scopes"`
	Seen      []seenJSON  `json:"seen"`
	Dropped   []countJSON `json:"dropped"`
	Probes    probesJSON  `json:"probes"`
}

type scopeJSON struct {
	Scope      string      `json:"scope"`
	Stage      string      `json:"stage"`
	Files      []string    `json:"files"`
	Events     []eventJSON `json:"events"`
	Server     string      `json:"server"`
	Permission string      `json:"permission"`
	Plugin     string      `json:"plugin"`
	Commands   []runJSON   `json:"commands"`
	Tools      *int        `json:"tools,omitempty"` // that the MCP server offers
	Trust      []trustJSON `json:"trust,omitempty"`
	Blocked    []string    `json:"blocked"`
}

type eventJSON struct {
	Event string `json:"event"`
	State string `json:"state"`
}

type runJSON struct {
	Event   string `json:"event"`
	Shell   string `json:"shell"`
	Command string `json:"command"`
	Error   string `json:"error,omitempty"`
}

type trustJSON struct {
	Event   string `json:"event"`
	Trust   string `json:"trust"` // unlisted where Codex does not know the hook
	Enabled bool   `json:"enabled"`
}

type seenJSON struct {
	Event  string `json:"event"`
	LastAt string `json:"last_at,omitempty"`
}

type countJSON struct {
	Reason string `json:"reason"`
	N      int64  `json:"n"`
	Kept   bool   `json:"kept"`
}

type probesJSON struct {
	Sent     int64 `json:"sent"`
	Answered int64 `json:"answered"`
	NoEffect int64 `json:"no_effect"`
}

func (t teller) storeJSON(s doctor.Store) storeJSON {
	out := storeJSON{
		Path: s.Path, Exists: s.Exists, Writable: s.Exists && s.Err == nil && s.WriteErr == nil, Damage: s.Damage, Size: s.Size, LogSize: s.LogSize,
		Schema: s.Schema, Spooled: s.Spool.Waiting, SetAside: len(s.Spool.SetAside),
	}
	if out.Damage == nil {
		out.Damage = []string{}
	}
	if s.Err != nil {
		out.Code = string(fault.CodeOf(s.Err))
	}
	return out
}

func (t teller) programsJSON(list []doctor.Program) []programJSON {
	out := []programJSON{}
	for _, p := range list {
		out = append(out, programJSON{p.Path, p.Hosts, p.Version, p.Drift(t.w.Version), p.Err})
	}
	return out
}

func (t teller) hosts(list []doctor.Host) []hostJSON {
	out := []hostJSON{}
	for _, h := range list {
		j := hostJSON{
			Host: h.Host, Found: h.Detected, LastEvent: rfc(h.LastSeen()), Silent: h.Silent, Degraded: len(h.Lost) > 0, Scopes: []scopeJSON{}, Seen: []seenJSON{}, Dropped: []countJSON{},
			Probes: probesJSON{h.Probes.Sent, h.Probes.Answered, h.Probes.NoEffect},
		}
		for _, s := range h.Scopes {
			j.Scopes = append(j.Scopes, scopeOf(s))
		}
		for _, s := range h.Seen {
			j.Seen = append(j.Seen, seenJSON{s.Name, rfc(s.LastAt)})
		}
		for _, c := range h.Counts {
			j.Dropped = append(j.Dropped, countJSON{c.Reason, c.N, c.Kept})
		}
		out = append(out, j)
	}
	return out
}

func scopeOf(s doctor.Scope) scopeJSON {
	j := scopeJSON{
		Scope: string(s.Scope), Stage: string(s.Stage), Files: []string{}, Events: []eventJSON{}, Server: item(s.Found.Server.State),
		Permission: item(s.Found.Permission.State), Plugin: item(s.Found.Plugin.State), Commands: []runJSON{}, Blocked: []string{},
	}
	for _, f := range s.Found.Files {
		j.Files = append(j.Files, f.Path)
	}
	for _, e := range s.Found.Events {
		j.Events = append(j.Events, eventJSON{e.Name, item(e.State)})
	}
	for _, r := range s.Runs {
		j.Commands = append(j.Commands, runJSON{r.Event, r.Shell, r.Command, r.Err})
	}
	if s.Serve != nil {
		j.Tools = &s.Serve.Tools
	}
	if s.Trust != nil {
		for _, h := range s.Trust.Hooks {
			trust := string(h.Trust)
			if trust == "" {
				trust = "unlisted"
			}
			j.Trust = append(j.Trust, trustJSON{h.Event, trust, h.Enabled})
		}
	}
	for _, b := range s.Found.Blocked {
		j.Blocked = append(j.Blocked, b.Path+": "+b.Reason)
	}
	return j
}

// item is a state for programs.
func item(s adapters.State) string {
	switch s {
	case adapters.NotNeeded, "":
		return "not_needed"
	}
	return string(s)
}
