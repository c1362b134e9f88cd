package conformance

// claudeToolSequences are headless sessions with tools, board's own among them, and subagents.
func claudeToolSequences() []sequence {
	const h = "claude-code"
	return []sequence{
		// Two edits, failing tools, and a permission request that board does not take on this host.
		{h, "tools", `
			SessionStart       -  unattributed -
			UserPromptSubmit   t1 applied      context
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUseFailure t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUseFailure t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PermissionRequest  -  ignored      -
			PostToolBatch      -  ignored      -
			PostToolBatch      -  ignored      -
			PostToolBatch      -  ignored      -
			Stop               t1 applied      probe
			SessionEnd         -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "mcp_flag", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "mcp_project", `
			SessionStart       -  unattributed -
			UserPromptSubmit   t1 applied      context
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUseFailure t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			PreToolUse         t1 applied      -
			SubagentStart      c1 applied      context
			PreToolUse         c1 applied      -
			PostToolUse        c1 applied      -
			PostToolBatch      -  ignored      -
			SubagentStop       c1 applied      -
			PostToolUse        t1 applied      -
			PostToolBatch      -  ignored      -
			Stop               t1 applied      probe
			SessionEnd         -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 ended`},
		// The second child runs in the background: its root waits, and the host's notification is a turn of the host's
		// own making, which is not asked.
		{h, "subagent", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			SubagentStart    c1 applied      context
			PreToolUse       c1 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			SubagentStop     c1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			PreToolUse       t1 applied      -
			SubagentStart    c2 applied      context
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      -
			SubagentStop     c2 applied      -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      -
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
			c2 subagent -    completed observed
			t2 root     host completed observed
		`, `s1 1 ended`},
		// Another tool's hook sent the second child on: its second stop comes when it has ended.
		{h, "subagent2", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PreToolUse       t1 applied      -
			SubagentStart    c1 applied      context
			SubagentStart    c2 applied      context
			SubagentStop     c2 applied      -
			SubagentStop     c2 late         -
			PostToolUse      t1 applied      -
			SubagentStop     c1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
			c2 subagent -    completed observed
		`, `s1 1 ended`},
		// A subagent starts a subagent.
		{h, "nested", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			SubagentStart    c1 applied      context
			PreToolUse       c1 applied      -
			SubagentStart    c2 applied      context
			SubagentStop     c2 applied      -
			PostToolUse      c1 applied      -
			PostToolBatch    -  ignored      -
			SubagentStop     c1 applied      -
			PostToolUse      t1 applied      -
			PostToolBatch    -  ignored      -
			Stop             t1 applied      probe
			SessionEnd       -  applied      -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
			c2 subagent -    completed observed
		`, `s1 1 ended`},
	}
}
