package cli

import (
	"fmt"
	"slices"
	"strings"

	"board/internal/adapters"
	"board/internal/doctor"
	"board/internal/runs"
)

// finding is one line of check and doctor: a fact, whether it is as it should be, and one safe next step.
type finding struct {
	Level   level  `json:"level"`
	Subject string `json:"subject"` // a host (with its scope, unless it is the user's), or store, spool, project, programs
	Check   string `json:"check"`
	Text    string `json:"text"`
	Next    string `json:"next,omitempty"`
}

// level says how bad it is.
type level string

const (
	levelOK      level = "ok"
	levelNote    level = "note"    // worth knowing; nothing is lost by it
	levelProblem level = "problem" // events or work are lost
	levelFixed   level = "fixed"
)

// teller turns the doctor's facts into sentences.
type teller struct {
	app     *app
	w       doctor.World
	problem error // why this program cannot be written into hosts
	blind   bool  // the store cannot be read: nobody knows what was seen
	asked   bool  // the hosts were named: that one is not connected is a problem then
}

// host tells everything of one host.
func (t teller) host(h doctor.Host) []finding {
	var out []finding
	add := func(l level, check, text, next string) {
		out = append(out, finding{l, h.Host, check, text, next})
	}
	connected := false
	for _, s := range h.Scopes {
		connected = connected || s.Stage != doctor.NotInstalled
	}
	if !connected {
		switch {
		case t.asked:
			add(levelProblem, "written", "nothing of board is written for it", t.install(h.Host, usersScope(h)))
		case h.Detected:
			add(levelNote, "written", "found on this machine, and not connected", t.install(h.Host, usersScope(h)))
		default:
			add(levelOK, "written", "not found on this machine", "")
		}
	}
	scopes := func(user bool) {
		for _, s := range h.Scopes {
			if s.Stage != doctor.NotInstalled && (s.Scope == adapters.ScopeUser) == user {
				out = append(out, t.scope(h, s)...)
			}
		}
	}
	if n := len(h.Scopes); n > 1 && h.Scopes[0].Stage != doctor.NotInstalled && h.Scopes[n-1].Stage != doctor.NotInstalled {
		add(levelNote, "scopes", "written for you and for this project: each event is reported by two commands", "keep one of them: board host remove "+h.Host+" takes a --scope")
	}
	scopes(true)
	if connected {
		out = append(out, t.seen(h))
	}
	for _, l := range h.Lost {
		out = append(out, lost(h, l))
	}
	for _, c := range h.Counts {
		out = append(out, t.count(h.Host, c))
	}
	if p := h.Probes; p.Sent > 0 {
		l, next := levelOK, ""
		if p.Sent >= fewProbes && p.NoEffect*2 > p.Sent {
			l, next = levelNote, "board config set probe due --host "+h.Host
		}
		add(l, "probes", fmt.Sprintf("%d sent, %d answered with a board call, %d without effect", p.Sent, p.Answered, p.NoEffect), next)
	}
	scopes(false)
	return out
}

// fewProbes is the number below which nothing is made of how many had no effect.
const fewProbes = 8

// scope tells how far a host is connected in one scope, in the order in which it matters.
func (t teller) scope(h doctor.Host, s doctor.Scope) []finding {
	subject := h.Host
	if s.Scope == adapters.ScopeProject {
		subject += " (project)"
	}
	var out []finding
	add := func(l level, check, text, next string) { out = append(out, finding{l, subject, check, text, next}) }
	again := t.install(h.Host, s)

	switch wrong := t.wrong(s.Found); {
	case s.Stage == doctor.Unreadable:
		add(levelProblem, "written", strings.Join(unreadable(s.Found), "; "), "repair the file; "+installCommand(h.Host, s)+" --dry-run shows what belongs into it")
	case len(wrong) > 0:
		add(levelProblem, "written", strings.Join(wrong, "; "), again)
	default:
		add(levelOK, "written", complete(s.Found), "")
	}
	if d := s.Found.Plugin.Doubles; len(d) > 0 {
		add(levelProblem, "written", "the plugin is loaded a second time, and tells everything twice, from "+strings.Join(d, ", "), "keep one of them: board host remove "+h.Host+" takes a --scope")
	}
	if len(s.Runs) > 0 || s.Serve != nil {
		l, text, next := ran(s, again)
		add(l, "runnable", text, next)
	}
	if s.Trust != nil {
		out = append(out, trusted(subject, s)...)
	}
	for _, b := range s.Found.Blocked {
		l := levelNote
		if b.All {
			l = levelProblem
		}
		add(l, "blocked", b.Path+": "+b.Reason, "change that setting, if it is yours to change")
	}
	return out
}

func unreadable(f adapters.Found) []string {
	var out []string
	for _, file := range f.Files {
		if file.Fault != "" {
			out = append(out, strings.TrimPrefix(file.Path+": "+file.Fault, ": "))
		}
	}
	if len(out) == 0 {
		out = []string{"a file of its settings is not understood"}
	}
	return out
}

// wrong lists what is missing or written otherwise.
func (t teller) wrong(f adapters.Found) []string {
	events := map[adapters.State][]string{}
	for _, e := range f.Events {
		events[e.State] = append(events[e.State], e.Name)
	}
	var out []string
	for _, w := range []struct {
		state adapters.State
		text  string
	}{
		{adapters.Missing, "no hook for"},
		{adapters.Older, "in another form than this board writes:"},
		{adapters.Twice, "written twice:"},
		{adapters.Foreign, "taken by something else:"},
	} {
		if list := events[w.state]; len(list) > 0 {
			out = append(out, w.text+" "+strings.Join(list, ", "))
		}
	}
	for _, item := range []struct {
		name  string
		state adapters.State
	}{{"the MCP server", f.Server.State}, {"the permission for the tools", f.Permission.State}, {"the plugin", f.Plugin.State}} {
		switch item.state {
		case adapters.Missing, adapters.Foreign, adapters.Twice:
			out = append(out, item.name+" is "+map[adapters.State]string{
				adapters.Missing: "missing", adapters.Foreign: "not board's: its name is taken", adapters.Twice: "written twice",
			}[item.state])
		case adapters.Older:
			out = append(out, item.name+" is of another board")
		}
	}
	if len(f.Strays) > 0 {
		out = append(out, "left over: "+strings.Join(f.Strays, ", "))
	}
	return out
}

// complete says what is written.
func complete(f adapters.Found) string {
	n := 0
	for _, e := range f.Events {
		if e.State == adapters.Present {
			n++
		}
	}
	parts := []string{}
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d events", n))
	}
	for _, item := range []struct {
		name  string
		state adapters.State
	}{{"plugin " + f.Plugin.Version, f.Plugin.State}, {"MCP server", f.Server.State}, {"permission", f.Permission.State}} {
		if item.state == adapters.Present {
			parts = append(parts, strings.TrimSpace(item.name))
		}
	}
	return strings.Join(parts, ", ")
}

// ran tells how the installed commands did.
func ran(s doctor.Scope, again string) (l level, text, next string) {
	failed := map[string][]string{}
	var order []string
	shell := ""
	for _, r := range s.Runs {
		shell = r.Shell
		if r.Err == "" {
			continue
		}
		if failed[r.Err] == nil {
			order = append(order, r.Err)
		}
		failed[r.Err] = append(failed[r.Err], r.Event)
	}
	var bad []string
	for _, err := range order {
		bad = append(bad, strings.TrimPrefix(strings.Join(failed[err], ", ")+": "+err, ": "))
	}
	if s.Serve != nil && s.Serve.Err != "" {
		bad = append(bad, "the MCP server ("+strings.Join(s.Serve.Command, " ")+"): "+s.Serve.Err)
	}
	if len(bad) > 0 {
		return levelProblem, strings.Join(bad, "; "), mend(s, again)
	}
	var good []string
	if n := len(s.Runs); n > 0 {
		good = append(good, fmt.Sprintf("%d %s through %s, each stored", n, plural(n, "event", "events"), shell))
	}
	if s.Serve != nil {
		good = append(good, fmt.Sprintf("the MCP server offers %d tools", s.Serve.Tools))
	}
	return levelOK, strings.Join(good, "; "), ""
}

// trusted tells what Codex says of the hooks.
func trusted(subject string, s doctor.Scope) []finding {
	t := *s.Trust
	const walk = "start codex, type /hooks, and trust those of board-hook"
	one := func(l level, text, next string) []finding { return []finding{{l, subject, "trusted", text, next}} }
	switch {
	case t.NoProgram:
		return one(levelNote, "codex is not on PATH: nobody can say whether it trusts the hooks", walk)
	case t.Err != "":
		return one(levelNote, t.Err+": whether it trusts the hooks is not known", walk)
	}
	var out []finding
	for _, e := range t.Errors {
		out = append(out, finding{levelProblem, subject, "trusted", "Codex cannot read " + e, "repair the file"})
	}
	skipped := t.Skipped()
	for _, kind := range []struct{ why, text, next string }{
		{"untrusted", "Codex skips hooks that you have not trusted", walk},
		{"modified", "Codex skips hooks that you trusted in another form", walk},
		{"disabled", "Codex skips hooks that are disabled", "start codex, type /hooks, and enable those of board-hook"},
		{"unlisted", "Codex does not know hooks that are written", unlistedNext(s)},
	} {
		if list := skipped[kind.why]; len(list) > 0 {
			out = append(out, finding{levelProblem, subject, "trusted", fmt.Sprintf("%s: %s", kind.text, someOf(list, len(t.Hooks))), kind.next})
		}
	}
	if len(out) == 0 {
		out = one(levelOK, fmt.Sprintf("Codex %s trusts all %d hooks", t.Version, len(t.Hooks)), "")
	}
	return out
}

// someOf names the members of a list, unless it is all there are.
func someOf(list []string, all int) string {
	if len(list) == all {
		return fmt.Sprintf("all %d", all)
	}
	return strings.Join(list, ", ")
}

// lost tells that the Stops of a version of a host meet no runs: its events come, and mean nothing.
func lost(h doctor.Host, l runs.LostRow) finding {
	s := usersScope(h)
	if n := len(h.Scopes); n > 1 && s.Stage == doctor.NotInstalled {
		s = h.Scopes[n-1]
	}
	return finding{
		levelProblem, h.Host, "correlation",
		fmt.Sprintf("%d Stops in a row belonged to no run (%s): the ids of its events do not belong together any more", l.N, strings.TrimSpace(h.Host+" "+l.Version)),
		"update board, or " + installCommand(h.Host, s) + " and restart its sessions",
	}
}

// seen tells when events came last: the one thing that proves that all of it works.
func (t teller) seen(h doctor.Host) finding {
	f := finding{Level: levelOK, Subject: h.Host, Check: "seen"}
	var parts, never []string
	list := slices.Clone(h.Seen)
	slices.SortStableFunc(list, func(a, b doctor.Seen) int { return int(min(1, max(-1, b.LastAt-a.LastAt))) })
	for _, s := range list {
		switch {
		case s.LastAt != 0:
			parts = append(parts, s.Name+" "+t.app.out.past(s.LastAt))
		case s.Hook:
			never = append(never, s.Name)
		}
	}
	if len(never) > 0 && len(parts) > 0 {
		parts = append(parts, "never: "+strings.Join(never, ", "))
	}
	f.Text = strings.Join(parts, ", ")
	again := "restart its sessions, send a prompt in a registered project, then board host check " + h.Host
	switch {
	case t.blind:
		f.Level, f.Text, f.Next = levelNote, "the store cannot be read: nobody knows whether an event was seen", "mend the store first: board doctor"
	case h.Silent:
		f.Level, f.Check, f.Next = levelProblem, "hooks_silent", "start codex, type /hooks, and trust those of board-hook; then restart its sessions"
		f.Text = "it works, as its notify program says, and no hook fired within 10 minutes of that: " + f.Text
	case h.Stale():
		f.Level, f.Text, f.Next = levelNote, "no event was seen since it was connected; before that: "+f.Text, again
	case h.LastSeen() == 0 && h.Host == runs.Cursor:
		f.Level, f.Text, f.Next = levelNote, "unproven on this machine: no event was ever seen", again
	case h.LastSeen() == 0:
		f.Level, f.Text, f.Next = levelNote, "no event was ever seen", again
	}
	return f
}

// count tells what became of events that were not stored at once.
func (t teller) count(host string, c doctor.Count) finding {
	f := finding{levelNote, host, "dropped", fmt.Sprintf("%d: %s", c.N, c.Reason), "board host check " + host}
	switch {
	case c.Kept && strings.HasPrefix(c.Reason, "spooled_"):
		f.Check, f.Level, f.Text, f.Next = "kept", levelOK, fmt.Sprintf("%d kept for later while the store was not there (%s)", c.N, strings.TrimPrefix(c.Reason, "spooled_")), ""
	case c.Kept:
		f.Check, f.Level, f.Text, f.Next = "kept", levelOK, fmt.Sprintf("%d belong to no known run", c.N), ""
	case c.Reason == "identity_mismatch":
		f.Text = fmt.Sprintf("%d came from a program of another build, which this store does not fit (identity_mismatch)", c.N)
		f.Next = "install both programs anew, from one build; then board host install " + host
	case c.Reason == "unknown_event", c.Reason == "unknown_host":
		f.Next = "update board: the host may be newer than it"
	case c.Reason == "wrong_host":
		f.Level, f.Next = levelOK, ""
		f.Text = fmt.Sprintf("%d came through the hook of another host, and are counted there", c.N)
	}
	return f
}
