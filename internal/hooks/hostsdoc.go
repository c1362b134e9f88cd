package hooks

import (
	"fmt"
	"strings"

	"board/internal/runs"
)

// note is what a reader of docs/hosts.md wants to know of a host beside its events.
type note struct {
	host, name string
	basis      string   // what the adapter was made from
	keys       string   // what a run is known by
	reminder   string   // the reminder at the end of a turn
	cannot     []string // what the host cannot give, or board does not take
}

func notes() []note {
	return []note{
		{
			runs.ClaudeCode, "Claude Code", "recorded payloads of 2.1.332", "session `session_id`, turn `prompt_id`, subagent `agent_id`",
			"always in attended sessions; in others (`claude -p`) only where there is something to decide, because the last message is the result",
			[]string{
				"An Esc, and a dialog that a person refuses, fire nothing: the turn ends by the next prompt, and counts as interrupted.",
				"`StopFailure` of `claude -p` is often lost, because the program ends before its hook has run.",
			},
		},
		{
			runs.Codex, "Codex", "recorded payloads of 0.171.0", "session `session_id`, turn `turn_id`, subagent `agent_id`",
			"always in the terminal; in `codex exec` only where there is something to decide, because the last message is the result",
			[]string{
				"A failed turn fires nothing: it ends by the next prompt, the end of the session or the clock.",
				"Hooks run only once a person trusts them (`/hooks`). `notify = [\"board-hook\", \"--host\", \"codex\", \"--notify\"]` is an opt-in witness: it makes no run, and shows that Codex works while its hooks are silent.",
				"A subagent's turn names its session, not the turn that started it; a later turn of it has an end and no start.",
				"A file that a shell command changes is not seen. `PermissionRequest` is answered with nothing: board decides nothing there.",
			},
		},
		{
			runs.OpenCode, "opencode", "recorded events of 1.18.33", "session `sessionID` of the root, turn = id of the user message, subagent = id of the child session",
			"none: the host ends when a turn does",
			[]string{
				"There are no hooks. Board's plugin watches the host's events, decides what they mean, and runs the hook once per row below.",
				"Calls of board's tools carry no session: they are declared, not proven.",
				"There is no `/clear` within a session, and the end of the program is not told.",
			},
		},
		{
			runs.Gemini, "Gemini CLI", "recorded payloads of 0.61.0", "session `session_id`; turns are counted by their prompts",
			"off, because an Esc looks like an end. Where it is switched on, it comes back as a prompt, and is known by its first line",
			[]string{
				"No turn id: what belongs together is concluded from order. A run carries presence and a lease, and never a review.",
				"Subagents look like the turn itself: they have no runs, and the limits of subagents cannot be kept.",
				"An Esc while the model answers cannot be told from success; one during a tool, and an API failure, fire nothing.",
				"Calls of board's tools carry no session: they are declared, not proven.",
				"A compaction is not told. Nothing is printed at `SessionStart`: the host would lose the first message of the session when it is resumed.",
			},
		},
		{
			runs.Cursor, "Cursor", "documentation, and recordings of other people. **Not proven on the real program**",
			"session `conversation_id`, turn `generation_id` where it is one; in print mode the conversation is one run",
			"where there is something to decide, in sessions that are known to be local. It comes back as a prompt, and is known by its first line",
			[]string{
				"No context reaches the model.",
				"Subagents look like conversations of their own that nobody began: their events are kept, and belong to no run.",
				"Print mode (`cursor-agent -p`) sends neither prompts nor ends of turns.",
				"Calls of board's tools carry no session: they are declared, not proven.",
				"Cloud agents: unsupported.",
			},
		},
	}
}

// HostsDoc returns what board registers for, host by host, as Markdown.
func HostsDoc() string {
	var b strings.Builder
	b.WriteString("Whatever happens, a hook exits 0 and harms no host: what it cannot store waits for the next writer, and what it does not know is counted\n" +
		"and dropped. The payload decides the host, not the command line.\n")
	for _, n := range notes() {
		fmt.Fprintf(&b, "\n## %s\n\nMade from %s.\n\n* Runs: %s.\n* The reminder at the end of a turn: %s.\n", n.name, n.basis, n.keys, n.reminder)
		for _, c := range n.cannot {
			fmt.Fprintf(&b, "* %s\n", c)
		}
		b.WriteString("\n| event | only for | what board learns | without it | it may answer |\n|---|---|---|---|---|\n")
		for _, e := range ContractOf(n.host) {
			matcher := ""
			if e.Matcher != "" {
				matcher = "`" + strings.ReplaceAll(e.Matcher, "|", `\|`) + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", e.Name, matcher, e.Fact, e.Lost, e.Answer)
		}
	}
	return b.String()
}
