package conformance

// claudeInteractiveSequences are sessions with a person at the terminal, and with work in the background.
func claudeInteractiveSequences() []sequence {
	const h = "claude-code"
	return []sequence{
		// A shell command goes on after the Stop: the turn waits, and its notification is a turn of the host's.
		{h, "bg_bash", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
			t2 root host completed observed
		`, `s1 1 ended`},
		// !cmd gives a Stop without a prompt: no run, no probe, no session.
		{h, "i_bang", `
			SessionStart -  unattributed -
			Stop         t1 unattributed -
			Stop         t1 unattributed -
			SessionEnd   -  unattributed -
		`, ``, ``},
		// The background child is listed by the Stops of two turns; only the first of them waits for it. Its later
		// events carry the second turn's id and still are the child's.
		{h, "i_bgsub", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			SubagentStart    c1 applied      context
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      -
			UserPromptSubmit t2 applied      context
			PreToolUse       t2 applied      -
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			PostToolUse      t2 applied      -
			PostToolBatch    -  ignored      -
			Stop             t2 applied      probe
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			SubagentStop     c1 applied      -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
			t2 root     user completed observed
			t3 root     host completed observed
		`, `s1 1 ended`},
		// A dev server is listed by every later Stop: it is new once.
		{h, "i_devserver", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
			t3 root user completed observed
		`, `s1 1 ended`},
		// Esc fires nothing: the next prompt is the first sign of it.
		{h, "i_esc", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			UserPromptSubmit t2 applied      context
			PreToolUse       t2 applied      -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user interrupted inferred
			t2 root user interrupted inferred
			t3 root user completed   observed
		`, `s1 1 ended`},
		// /clear gives a new session in the same process; /compact does not. The SubagentStop without a type is the
		// compaction's and belongs to no subagent.
		{h, "i_flow", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe,-
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe
			PreCompact       -  ignored      -
			SubagentStop     -  applied      -
			SessionStart     -  applied      context
			PostCompact      -  ignored      -
			UserPromptSubmit t4 applied      context
			Stop             t4 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
			t3 root user completed observed
			t4 root user completed observed
		`, `
			s1 1 ended
			s2 1 ended
		`},
		// The second turn stops while the first turn's child runs on, and says so: the child is not abandoned.
		{h, "i_twice", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStart    c1 applied      context
			PostToolBatch    -  ignored      -
			Stop             t1 applied      -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe
			SubagentStop     c1 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
			t2 root     user completed observed
		`, `s1 1 ended`},
	}
}
