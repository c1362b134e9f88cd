package conformance

import (
	"os"
	"slices"
)

// sequence is one recorded session of a host and what board must make of it.
type sequence struct {
	host, name string

	// events, one a line in recorded order: event, run, disposition, prints. Runs are named t1, t2 (turns) and c1, c2
	// (subagents) in the order in which their keys first appear in the recording; - is an event of the session.
	// A cell "a,b" is a under probe=always, probe_gap=0 and b under the defaults.
	events string

	// runs, one a line in order of registration: run, kind, origin, outcome, basis, once the clock has passed every
	// lease and deadline.
	runs string

	// stretches, one a line: session (s1, s2 in order of appearance), number, state as stored after the last event.
	stretches string
}

// Readings of the specification on which the tables rest, where it leaves room:
//
//   - A SessionStart without a live root is kept unattributed even when the session is known (§2: without a run ...).
//     Where exactly one root is live it speaks for that one and counts as applied, unless that root is another process's:
//     who resumes a conversation beside a living process says nothing about that process's turn.
//   - A SessionEnd that finds no live run but ends a stretch changed something, so it is applied; one of a session
//     without a stretch is unattributed.
//   - An end event of a run that ended before by an end of its own (a child's second stop, Codex's second Stop where the
//     first was not probed) adds a fact but moves nothing: late.
//   - The basis of an end is observed wherever an event said how the turn ended (§3: the outcome is a function of the
//     facts), also when a probed turn is then closed by the next prompt or the session's end.
//   - probe_gap counts within one session, and a session is one stretch (§1): the first Stop after a resume is asked.
//   - After a compaction the context is printed at SessionStart(compact), the only event of it that both hosts allow to
//     carry one, and only if exactly one root is live: the context's first line names a run.
//   - The recordings of Claude Code's sessions carry no attended flag, so they count as attended.

func sequences() []sequence {
	return slices.Concat(claudeSequences(), codexSequences(), geminiSequences(), openCodeSequences(), cursorSequences())
}

func allHosts() []string { return []string{"claude-code", "codex", "gemini", "opencode", "cursor"} }

// ofEveryKind picks the recordings that a test plays which would otherwise take long: a few that hold every kind of
// event, or all with BOARD_SLOW=1.
func ofEveryKind(s sequence) bool {
	few := []string{"claude-code/tools", "claude-code/i_flow", "claude-code/subagent", "claude-code/fail500", "codex/sub_v1", "codex/tui_esc", "codex/mcp_calls"}
	if s.host == "opencode" || s.host == "cursor" { // short ones
		return true
	}
	few = append(few, "gemini/i_flow", "gemini/mcp", "gemini/subagent")
	return os.Getenv("BOARD_SLOW") != "" || slices.Contains(few, s.host+"/"+s.name)
}
