package cli

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"board/internal/adapters"
	"board/internal/codexhost"
	"board/internal/doctor"
	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// sickReport has everything that can be wrong, and names that misbehave.
func sickReport() doctor.Report {
	events := func(host string, state func(i int) adapters.State) (out []adapters.EventState) {
		for i, e := range hooks.ContractOf(host) {
			s := adapters.EventState{Event: e, State: state(i)}
			if s.State != adapters.Missing {
				s.Commands = []string{"/opt/board-hook --host " + host}
			}
			out = append(out, s)
		}
		return out
	}
	always := func(s adapters.State) func(int) adapters.State { return func(int) adapters.State { return s } }
	found := func(host string, state func(int) adapters.State) adapters.Found {
		return adapters.Found{
			Target: adapters.Target{Host: host}, Events: events(host, state), Server: adapters.ItemState{State: adapters.Present},
			Permission: adapters.ItemState{State: adapters.Present}, Plugin: adapters.PluginState{State: adapters.NotNeeded},
		}
	}
	claude := found(runs.ClaudeCode, func(i int) adapters.State {
		return []adapters.State{adapters.Present, adapters.Missing, adapters.Older, adapters.Twice}[i%4]
	})
	claude.Server.State, claude.Permission.State = adapters.Foreign, adapters.Missing
	claude.Strays = []string{"settings.json: Bogus"}
	claude.Blocked = []adapters.Block{{Path: "/etc/x.json", Reason: "only managed hooks may run", All: true}, {Path: "/home/a/x.json", Reason: "one tool is denied"}}
	codex := found(runs.Codex, always(adapters.Present))
	gemini := found(runs.Gemini, always(adapters.Present))
	opencode := found(runs.OpenCode, always(adapters.Present))
	opencode.Plugin = adapters.PluginState{State: adapters.Older, Version: "0", Doubles: []string{"/work/.opencode/plugin/board.ts"}}
	broken := adapters.Found{Files: []adapters.FileState{{Path: "/home/a/.cursor/hooks.json\x1b[2J", Fault: "it is no JSON"}}}
	seen := func(host string, ages ...time.Duration) (out []doctor.Seen) {
		for i, e := range hooks.ContractOf(host) {
			s := doctor.Seen{Name: e.Name, Hook: true}
			if i < len(ages) {
				s.LastAt = before(ages[i])
			}
			out = append(out, s)
		}
		return out
	}
	return doctor.Report{
		Here: &projects.Project{Prefix: "WEB", Root: "/work/web\u202e"},
		Projects: []doctor.Project{
			{Project: projects.Project{Prefix: "WEB", Root: "/work/web\u202e"}}, {Project: projects.Project{Prefix: "OLD", Root: "/work/old"}, Gone: true},
		},
		Store: doctor.Store{
			Path: "/home/a/board.db", Exists: true, Size: 11 << 20, LogSize: longLog + 1, Schema: 1, Damage: []string{"row 3 missing from index"},
			WriteErr: fault.New(fault.StoreBusy, "try again", "busy"), Files: []store.File{{Path: "/home/a/board.db", Mode: 0o644, Lax: true}},
			Spool: store.SpoolState{Waiting: 2, SetAside: []string{"1.json.bad", "2.json.bad", "3.json.bad", "4.json.bad"}},
		},
		Programs: []doctor.Program{
			{Path: "/opt/a/board-hook", Hosts: []string{runs.ClaudeCode}, Version: "v1", Protocol: hooks.Protocol, Schema: store.SchemaVersion},
			{Path: "/opt/b/board-hook", Hosts: []string{runs.Codex, runs.Gemini}, Version: "v0", Protocol: hooks.Protocol, Schema: store.SchemaVersion},
			{Path: "/opt/c/board-hook", Hosts: []string{runs.Cursor}, Version: "v0", Protocol: "9", Schema: 99},
			{Path: "/opt/d/board-hook", Hosts: []string{runs.OpenCode}, Err: "it does not run"},
		},
		Hosts: []doctor.Host{
			{
				Host: runs.ClaudeCode, Detected: true, Seen: seen(runs.ClaudeCode, time.Minute, time.Hour),
				Counts: []doctor.Count{
					{Reason: "identity_mismatch", N: 3},
					{Reason: "spooled_store_busy", N: 4, Kept: true},
					{Reason: "timeout", N: 1},
					{Reason: "unattributed", N: 5, Kept: true},
					{Reason: "unknown_event", N: 2},
					{Reason: "wrong_host", N: 6},
				},
				Probes: runs.Probes{Sent: 20, Answered: 4, NoEffect: 15, Open: 1},
				Scopes: []doctor.Scope{{
					Scope: adapters.ScopeUser, Stage: doctor.Incomplete, Found: claude,
					Runs: []doctor.Run{
						{Event: "SessionStart", Shell: "/bin/sh", Err: "it fails: exit status 1"},
						{Event: "Stop", Shell: "/bin/sh", Err: "it fails: exit status 1"},
						{Event: "SessionEnd", Shell: "/bin/sh", Err: "it takes longer than 5s"},
					},
					Serve: &doctor.ServerRun{Command: []string{"/opt/board", "mcp"}, Err: "it names no tools"},
				}, {Scope: adapters.ScopeProject, Stage: doctor.Unproven, Found: found(runs.ClaudeCode, always(adapters.Present))}},
			},
			{
				Host: runs.Codex, Detected: true, Silent: true,
				Seen: append(seen(runs.Codex, 3*time.Hour), doctor.Seen{Name: "notify", LastAt: before(time.Minute)}),
				Scopes: []doctor.Scope{{
					Scope: adapters.ScopeUser, Stage: doctor.Untrusted, Found: codex, Trust: &doctor.Trust{
						Version: "0.171.0", Errors: []string{"/home/a/.codex/hooks.json: failed to parse"},
						Hooks: []doctor.HookTrust{
							{Event: "Stop", Trust: codexhost.Untrusted, Enabled: true},
							{Event: "SessionEnd", Trust: codexhost.Modified, Enabled: true},
							{Event: "Interrupt", Trust: codexhost.Trusted},
							{Event: "SessionStart"},
							{Event: "PostToolUse", Trust: codexhost.Trusted, Enabled: true},
						},
					},
				}},
			},
			{Host: runs.OpenCode, Detected: true, Scopes: []doctor.Scope{{Scope: adapters.ScopeUser, Stage: doctor.Incomplete, Found: opencode}}, Seen: seen(runs.OpenCode)},
			{
				Host: runs.Gemini, Detected: true, Lost: []runs.LostRow{{Host: runs.Gemini, Version: "0.61.0\x1b[2J", N: 5}, {Host: runs.Gemini, N: 12}}, Seen: seen(runs.Gemini, time.Second), Probes: runs.Probes{Sent: 2, NoEffect: 2},
				Scopes: []doctor.Scope{{
					Scope: adapters.ScopeUser, Stage: doctor.Healthy, Found: gemini, Runs: []doctor.Run{{Event: "BeforeAgent", Shell: "bash"}},
					Serve: &doctor.ServerRun{Tools: 12},
				}},
			},
			{Host: runs.Cursor, Seen: seen(runs.Cursor), Scopes: []doctor.Scope{{Scope: adapters.ScopeUser, Stage: doctor.Unreadable, Found: broken}}},
		},
	}
}

func toldOf(o *output, r doctor.Report) (*app, teller, []finding) {
	a := &app{Env: Env{Getenv: func(string) string { return "" }}, out: o}
	t := teller{app: a, w: doctor.World{Version: "v1"}, problem: fault.New(fault.Invalid, "Install it", "it lies in a temporary directory")}
	list := repairs([]doctor.Repair{
		{What: doctor.MadeFolder, Path: "/home/a/board"},
		{What: doctor.Tightened, Path: "/home/a/board.db", Err: errors.New("read-only")},
		{What: doctor.StoredSpool, N: 2},
	})
	list = append(append(append(list, t.store(r.Store)...), t.project(r)...), t.programs(r)...)
	t.problem = nil // else every step of a host would be the same
	for _, h := range r.Hosts {
		list = append(list, t.host(h)...)
	}
	return a, t, list
}

// TestTheDoctorsTable shows every sentence of it.
func TestTheDoctorsTable(t *testing.T) {
	for name, o := range map[string]*output{
		"doctor-80": picture(80, 40, false), "doctor-50": picture(50, 40, false),
		"doctor-pipe": newOutput(Env{Now: noon, Getenv: func(string) string { return "" }}),
	} {
		a, _, list := toldOf(o, sickReport())
		a.printFindings(list)
		if bytes.ContainsAny(o.buf.Bytes(), "\x1b\u202e") {
			t.Errorf("%s: a control character comes through", name)
		}
		golden(t, name, o.buf.String())
	}
}

// TestTheDoctorsDocument fixes the names in --json.
func TestTheDoctorsDocument(t *testing.T) {
	o := picture(80, 40, false)
	r := sickReport()
	_, teller, list := toldOf(o, r)
	if err := o.document("doctor", doctorJSON{teller.storeJSON(r.Store), teller.programsJSON(r.Programs), teller.hosts(r.Hosts), list}, ""); err != nil {
		t.Fatal(err)
	}
	golden(t, "doctor-json", o.buf.String())
	written := picture(80, 40, false)
	err := written.document("host_install", []writtenJSON{{
		Host: runs.Codex, Scope: "user", Written: true, Files: []hostFileJSON{{"/home/a/hooks.json", "create", []string{"hooks"}}},
		Refused: []refusedJSON{{"/home/a/config.toml", []string{"MCP server"}, "it is not understood", "[x]"}}, Backup: "/home/a/b", Hints: []string{"Restart it."},
		Diff: "--- a", Error: "no",
	}}, "")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "host-install-json", written.buf.String())
}

// TestEveryLineThatIsNotAsItShouldBeHasANextStep: a complaint without one helps nobody.
func TestEveryLineThatIsNotAsItShouldBeHasANextStep(t *testing.T) {
	_, _, list := toldOf(picture(80, 40, false), sickReport())
	levels := map[level]int{}
	for _, f := range list {
		levels[f.Level]++
		if (f.Level == levelProblem || f.Level == levelNote) && f.Next == "" && f.Check != string(doctor.Tightened) {
			t.Errorf("%s %s: no next step for %q", f.Subject, f.Check, f.Text)
		}
		if f.Subject == "" || f.Check == "" || f.Text == "" {
			t.Errorf("an empty field: %+v", f)
		}
	}
	if len(levels) != 4 {
		t.Errorf("not every level is among them: %v", levels)
	}
}
