package conformance

func claudeSequences() []sequence {
	s := append(claudePlainSequences(), claudeInteractiveSequences()...)
	return append(s, claudeToolSequences()...)
}

func claudePlainSequences() []sequence {
	const h = "claude-code"
	return []sequence{
		{h, "plain", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// The probe was answered: the follow-up Stop ends the run, the session's end finds nothing to do but its own.
		{h, "p_text", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			Stop             t1 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "stop_block", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			Stop             t1 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "stop_context", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			Stop             t1 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// A failing headless run whose StopFailure was shot down: nobody knows how it ended, and nobody says completed.
		{h, "fail500", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		{h, "fail529", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		// --max-turns ends without a Stop.
		{h, "max_turns", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		{h, "sigint_tool", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		// kill -9 fires nothing: the lease ends the run.
		{h, "sigkill_stream", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
		`, `
			t1 root user lost inferred
		`, `s1 1 active`},
		// Killed and resumed under another process id, with no proof that the first process is gone: its run is not
		// superseded, and the stretch does not end while that run lives.
		{h, "kill_resume", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			SessionStart     -  unattributed -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user lost      inferred
			t2 root user completed observed
		`, `s1 1 active`},
		// Three stretches of one conversation, then a fork with an id of its own.
		{h, "resume", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t4 applied      context
			Stop             t4 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
			t3 root user completed observed
			t4 root user completed observed
		`, `
			s1 1 ended
			s1 2 ended
			s1 3 ended
			s2 1 ended
		`},
		{h, "slash", `
			SessionStart        -  unattributed -
			UserPromptSubmit    t1 applied      context
			UserPromptExpansion -  ignored      -
			Stop                t1 applied      probe
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "worktree", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
	}
}
