package conformance

// codexSequences: recordings of codex exec say bypassPermissions, which counts as unattended: under the defaults they
// are asked only when a run holds an Issue or edited without one. Recordings of the terminal say default: attended.
func codexSequences() []sequence {
	const h = "codex"
	return append([]sequence{
		{h, "plain", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// A failed turn fires nothing here.
		{h, "api500", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		// Another hook blocked the first Stop. Under the defaults it was the end; the second adds nothing.
		{h, "stopblock", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe,-
			Stop             t1 applied,late -
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "resume", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe,-
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t3 applied      context
			Stop             t3 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
			t3 root user completed observed
		`, `
			s1 1 ended
			s1 2 ended
			s2 1 ended
		`},
		{h, "sigint", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			Interrupt        t1 applied      -
			SessionEnd       -  applied      -
			SessionStart     -  unattributed -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user interrupted observed
			t2 root user completed   observed
		`, `
			s1 1 ended
			s1 2 ended
		`},
		// Codex names no host process, and unknown equals any: the resumed prompt supersedes the killed turn, in the
		// same stretch, since nothing ended it.
		{h, "sigkill", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			SessionStart     -  applied      -
			UserPromptSubmit t2 applied      context
			Stop             t2 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user unknown   inferred
			t2 root user completed observed
		`, `s1 1 ended`},
		{h, "compact", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PreCompact       -  ignored      -
			PostCompact      -  ignored      -
			SessionStart     -  applied      context
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		{h, "tools", `
			SessionStart     -  unattributed -
			UserPromptSubmit t1 applied      context
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PreToolUse       t1 applied      -
			PreToolUse       t1 applied      -
			PreToolUse       t1 applied      -
			PostToolUse      t1 applied      -
			PostToolUse      t1 applied      -
			Stop             t1 applied      probe,-
			SessionEnd       -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// Two calls needed a permission that exec cannot give: a notice each.
		{h, "mcp_calls", `
			SessionStart      -  unattributed -
			UserPromptSubmit  t1 applied      context
			PreToolUse        t1 applied      -
			PostToolUse       t1 applied      -
			PreToolUse        t1 applied      -
			PostToolUse       t1 applied      -
			PreToolUse        t1 applied      -
			PermissionRequest t1 applied      -
			PreToolUse        t1 applied      -
			PermissionRequest t1 applied      -
			PreToolUse        t1 applied      -
			PostToolUse       t1 applied      -
			PreToolUse        t1 applied      -
			PreToolUse        t1 applied      -
			PostToolUse       t1 applied      -
			Stop              t1 applied      probe,-
			SessionEnd        -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
	}, codexMoreSequences()...)
}
