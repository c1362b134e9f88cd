package conformance

// geminiSequences: the host names no turns, so runs are t1, t2 … in the order of their prompts. The default policy is
// off. Events that board does not register for are ignored.
func geminiSequences() []sequence {
	const h = "gemini"
	return []sequence{
		// A failed turn fires nothing in headless, not even the end of the session.
		{h, "fail500", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
		`, `
			t1 root user lost inferred
		`, `s1 1 active`},
		// An Esc while the model answers looks like an end; during a tool nothing comes. The session ends twice when it is left.
		{h, "i_esc", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			BeforeAgent         t2 applied      context
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t2 applied      -
			BeforeAgent         t3 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t3 applied      probe,-
			BeforeAgent         t4 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t4 applied      probe,-
			SessionEnd          -  applied      -
			SessionEnd          -  late         -
		`, `
			t1 root user completed observed
			t2 root user unknown   inferred
			t3 root user completed observed
			t4 root user completed observed
		`, `s1 1 ended`},
		{h, "i_flow", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			BeforeAgent         t2 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t2 applied      probe,-
			SessionEnd          -  applied      -
			SessionStart        -  unattributed -
			BeforeAgent         t3 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t3 applied      probe,-
			PreCompress         -  ignored      -
			BeforeAgent         t4 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t4 applied      probe,-
			SessionEnd          -  applied      -
			SessionEnd          -  late         -
		`, `
			t1 root user completed observed
			t2 root user completed observed
			t3 root user completed observed
			t4 root user completed observed
		`, `
			s1 1 ended
			s2 1 ended
		`},
		// Nothing tells of the kill, and no process is named: the next prompt supersedes.
		{h, "kill_resume", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			SessionStart        -  applied      -
			BeforeAgent         t2 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t2 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user unknown   inferred
			t2 root user completed observed
		`, `s1 1 ended`},
		{h, "mcp", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			PreCompress         -  ignored      -
			PreCompress         -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "plain", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			AfterModel          -  ignored      -
			AfterAgent          t1 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "resume", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			SessionEnd          -  applied      -
			SessionStart        -  unattributed -
			BeforeAgent         t2 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t2 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `
			s1 1 ended
			s1 2 ended
		`},
		{h, "sigint_tool", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			SessionEnd          -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		{h, "sigkill_stream", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
		`, `
			t1 root user lost inferred
		`, `s1 1 active`},
		// Another hook denied the end, and its reason came back as a prompt: it has no marker of ours, so it counts as a turn,
		// whose first Stop already says that it is a continuation. What our own reminder does is in TestARecordedDeny….
		{h, "stop_deny", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			BeforeAgent         t2 applied      context
			PreCompress         -  ignored      -
			AfterAgent          t2 applied      -
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `s1 1 ended`},
		// A subagent names itself nowhere: its tools are those of the turn.
		{h, "subagent", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeTool          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			PreCompress         -  ignored      -
			PreCompress         -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			AfterAgent          t1 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "tools", `
			SessionStart        -  unattributed -
			BeforeAgent         t1 applied      context
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			BeforeTool          -  ignored      -
			AfterTool           t1 applied      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			PreCompress         -  ignored      -
			BeforeModel         -  ignored      -
			BeforeToolSelection -  ignored      -
			AfterModel          -  ignored      -
			AfterModel          -  ignored      -
			AfterAgent          t1 applied      probe,-
			SessionEnd          -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
	}
}
