package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/process"
)

// gate says who may pass a command that writes. An agent shares its user with the person, so this stops habits, not
// attackers: an agent that meets a refusal reads what to do instead.
type gate struct {
	create bool   // makes the store
	agents bool   // agents may: it is recorded as theirs
	verb   string // for the message
	word   string // what a person types to go on: the key of the Issue
	tool   string // what an agent calls instead, "" if the decision is a person's
}

// marks returns the environment variables that coding agents set in the shells of their tools. CURSOR_TRACE_ID and
// AGENT are not among them: people's terminals have them too.
func marks() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT",
		"CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_SANDBOX",
		"OPENCODE", "OPENCODE_PID",
		"GEMINI_CLI", "GEMINI_SESSION_ID",
		"CURSOR_AGENT", "CURSOR_CONVERSATION_ID", "CURSOR_REQUEST_ID",
	}
}

// agentMark is the first of the marks that is set, "" for none.
func (a *app) agentMark() string {
	for _, name := range marks() {
		if a.Getenv(name) != "" {
			return name
		}
	}
	return ""
}

// pass returns who acts, or refuses.
func (a *app) pass(ctx context.Context, s *session, g gate) (issues.Actor, error) {
	me := issues.Actor{Person: a.Person, Machine: a.Machine}
	mark := a.agentMark()
	proven, err := a.belowHost(ctx, s)
	if err != nil {
		return me, err
	}
	switch {
	case mark == "" && !proven:
		return me, nil
	case g.agents:
		me.Agent, me.Undeclared = true, true
		return me, nil
	case !proven && a.StdinTTY && a.StderrTTY && g.word != "":
		if _, key, err := s.issueKey(ctx, g.word); err == nil {
			g.word = key // 12 was enough to name it; to decide is worth the whole key
		}
		return me, a.confirm(mark, g)
	}
	hint := "leave it to the person: say in your answer what you would decide, and why"
	if g.tool != "" {
		hint = "call the MCP tool " + g.tool + " instead"
	}
	return me, fault.New(fault.PersonOnly, hint, "board %s is a person's decision, and this is the shell of a coding agent", g.verb)
}

// confirm lets a person at a terminal go on, where nothing but a variable speaks of an agent: terminals that were
// opened by an agent's editor inherit it.
func (a *app) confirm(mark string, g gate) error {
	_, _ = fmt.Fprintf(a.Stderr, "This looks like the shell of a coding agent (%s is set). To %s as a person, type %s: ", mark, g.verb, g.word)
	line, _ := a.typed().ReadString('\n')
	if strings.EqualFold(strings.TrimSpace(line), g.word) {
		return nil
	}
	return fault.New(fault.PersonOnly, "repeat the command and type "+g.word, "nothing was done")
}

// belowHost reports whether the process of a host that is at work in some run is among our ancestors. A run of which the
// host's process was proven says it by its proof. For one without, the id counts that Claude Code gave, unless the process
// was started after the run: then it is another with the same number, of a later day or of another namespace.
func (a *app) belowHost(ctx context.Context, s *session) (bool, error) {
	chain := process.Ancestors(a.Pid)
	if len(chain) == 0 {
		return false, nil
	}
	named, err := hostProcesses(ctx, s.db.SQL(), s.db.Now(), a.Machine)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(named, func(p hostProcess) bool {
		if p.proof != "" {
			return slices.Contains(chain, process.PID(p.proof)) && process.Look(p.proof) == process.Alive
		}
		if !slices.Contains(chain, p.pid) {
			return false
		}
		at, known := process.Started(p.pid)
		return known && at <= p.since
	}), nil
}
