package conformance

// codexMoreSequences are sessions of Codex with subagents, and with a person at the terminal.
func codexMoreSequences() []sequence {
	const h = "codex"
	return []sequence{
		// The child's task arrives as a prompt with its agent id; the hook of another tool sent it on once.
		{h, "sub_v1", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStart    c1 applied      context
			UserPromptSubmit c1 applied      -
			PreToolUse       t1 applied      -
			PreToolUse       c1 applied      -
			PreToolUse       t1 applied      -
			PostToolUse      c1 applied      -
			SubagentStop     c1 applied      -
			SubagentStop     c1 late         -
			PostToolUse      t1 applied      -
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 ended`},
		{h, "sub_v2", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStart    c1 applied      context
			PreToolUse       t1 applied      -
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			SubagentStop     c1 applied      -
			PostToolUse      t1 applied      -
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 ended`},
		// A second turn of the child is seen by its stop alone, with another turn id: still the same child.
		{h, "sub_v2_followup", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStart    c1 applied      context
			PreToolUse       t1 applied      -
			SubagentStop     c1 applied      -
			PostToolUse      t1 applied      -
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStop     c1 late         -
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 ended`},
		// The host leaves while the child runs; it lists no tasks at a Stop, so the Stop says nothing about the child.
		{h, "sub_v2_parentfirst", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			SubagentStart    c1 applied      context
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    unknown   inferred
		`, `s1 1 ended`},
		{h, "tui_daemon3", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "tui_esc", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			UserPromptSubmit t2 applied      context
			Interrupt        t2 applied      -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe,-
			UserPromptSubmit t4 applied      context
			Interrupt        t4 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed   observed
			t2 root user interrupted observed
			t3 root user completed   observed
			t4 root user interrupted observed
		`, `s1 1 ended`},
		// The second turn failed, which fires nothing. /compact under a probed turn speaks for it; under the defaults
		// that turn was not asked and is over, so the compaction speaks for nothing and the next prompt carries the rules.
		// At the end the host ends all sessions, one of which never had a prompt.
		{h, "tui_main", `
			SessionStart     -  unattributed         -
			UserPromptSubmit t1 applied              context
			Stop             t1 applied              probe
			UserPromptSubmit t2 applied              context
			UserPromptSubmit t3 applied              context
			Stop             t3 applied              probe,-
			PreCompact       -  ignored              -
			PostCompact      -  ignored              -
			SessionStart     -  applied,unattributed context,-
			UserPromptSubmit t4 applied              context
			Stop             t4 applied              probe,-
			SessionStart     -  unattributed         -
			UserPromptSubmit t5 applied              context
			Stop             t5 applied              probe
			SessionEnd       -  applied              -
			SessionEnd       -  applied              -
			SessionEnd       -  unattributed         -
		`, `
			t1 root user completed observed
			t2 root user unknown   inferred
			t3 root user completed observed
			t4 root user completed observed
			t5 root user completed observed
		`, `
			s1 1 ended
			s2 1 ended
		`},
	}
}
