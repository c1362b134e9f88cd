package conformance

// cursorSequences are sessions made by hand from the documentation of Cursor and from what others recorded. The default
// policy asks a turn that edited without an Issue, where the session is known to be local.
func cursorSequences() []sequence {
	const h = "cursor"
	return []sequence{
		{h, "turn", `
			sessionStart       -  unattributed -
			beforeSubmitPrompt t1 applied      -
			afterFileEdit      t1 applied      -
			postToolUse        t1 applied      -
			stop               t1 applied      probe
			sessionEnd         -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// The start may be logged after the first prompt.
		{h, "prompt_first", `
			beforeSubmitPrompt t1 applied      -
			sessionStart       -  applied      -
			afterFileEdit      t1 applied      -
			stop               t1 applied      probe
			beforeSubmitPrompt t2 applied      -
			stop               t2 applied      probe,-
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `s1 1 active`},
		// Nothing proves that the session is local: a follow-up might start work in the cloud.
		{h, "unproven", `
			beforeSubmitPrompt t1 applied      -
			afterFileEdit      t1 applied      -
			stop               t1 applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 active`},
		// The host changes the model in mid-prompt: the new generation comes first, then the end of the old one.
		{h, "model_switch", `
			sessionStart       -  unattributed -
			beforeSubmitPrompt t1 applied      -
			afterFileEdit      t1 applied      -
			beforeSubmitPrompt t2 applied      -
			stop               t1 applied      -
			stop               t2 applied      probe,-
		`, `
			t1 root user interrupted observed
			t2 root user completed   observed
		`, `s1 1 active`},
		// A status that nobody knows is a sign of life.
		{h, "error", `
			sessionStart       -  unattributed -
			beforeSubmitPrompt t1 applied      -
			stop               t1 applied      -
			beforeSubmitPrompt t2 applied      -
			stop               t2 applied      -
			stop               t2 applied      probe,-
		`, `
			t1 root user failed    observed
			t2 root user completed observed
		`, `s1 1 active`},
		// The loop of somebody else goes on already: nobody is asked.
		{h, "foreign_loop", `
			sessionStart       -  unattributed -
			beforeSubmitPrompt t1 applied      -
			afterFileEdit      t1 applied      -
			stop               t1 applied      -
			sessionEnd         -  applied      -
		`, `
			t1 root user completed observed
		`, `s1 1 ended`},
		// Print mode sends neither prompts nor ends: the whole conversation is one run.
		{h, "print", `
			sessionStart       -  unattributed -
			postToolUse        t1 applied      -
			afterFileEdit      t1 applied      -
			sessionEnd         -  applied      -
		`, `
			t1 root user unknown inferred
		`, `s1 1 ended`},
		// A subagent looks like a conversation that nobody began, with turns or without.
		{h, "subagent", `
			sessionStart       -  unattributed -
			beforeSubmitPrompt t1 applied      -
			afterFileEdit      t2 unattributed -
			postToolUse        t2 unattributed -
			afterFileEdit      t3 unattributed -
			subagentStop       -  ignored      -
			stop               t1 applied      probe,-
		`, `
			t1 root user completed observed
		`, `s1 1 active`},
	}
}
