package conformance

// openCodeSequences are sessions as board's plugin tells them, made by hand from what opencode 1.18.33 was recorded to
// do. There is no reminder, under no policy.
func openCodeSequences() []sequence {
	const h = "opencode"
	return []sequence{
		{h, "plain", `
			prompt t1 applied context
			stop   t1 applied -
		`, `
			t1 root user completed observed
		`, `s1 1 active`},
		{h, "tools", `
			prompt t1 applied context
			tool   t1 applied -
			tool   t1 applied -
			tool   t1 applied -
			stop   t1 applied -
		`, `
			t1 root user completed observed
		`, `s1 1 active`},
		{h, "subagent", `
			prompt         t1 applied context
			subagent_start c1 applied context
			tool           c1 applied -
			tool           c1 applied -
			subagent_stop  c1 applied -
			tool           t1 applied -
			stop           t1 applied -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 active`},
		{h, "failure", `
			prompt  t1 applied context
			failure t1 applied -
			prompt  t2 applied context
			stop    t2 applied -
		`, `
			t1 root user failed    observed
			t2 root user completed observed
		`, `s1 1 active`},
		{h, "abort", `
			prompt    t1 applied context
			tool      t1 applied -
			interrupt t1 applied -
		`, `
			t1 root user interrupted observed
		`, `s1 1 active`},
		// A prompt that is typed while a turn runs waits for it. Board takes the older one for over, until its own events
		// say how it really ended; its edits count.
		{h, "queue", `
			prompt t1 applied context
			prompt t2 applied context
			tool   t1 late    -
			stop   t1 applied -
			stop   t2 applied -
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `s1 1 active`},
		{h, "permission", `
			prompt t1 applied context
			notice t1 applied -
			notice t1 applied -
			tool   t1 applied -
			stop   t1 applied -
		`, `
			t1 root user completed observed
		`, `s1 1 active`},
		{h, "compact", `
			prompt     t1 applied context
			tool       t1 applied -
			compaction -  applied context
			stop       t1 applied -
			prompt     t2 applied context
			stop       t2 applied -
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `s1 1 active`},
		// Nothing runs: the next prompt carries the rules.
		{h, "compact_idle", `
			prompt     t1 applied      context
			stop       t1 applied      -
			compaction -  unattributed -
			prompt     t2 applied      context
			stop       t2 applied      -
		`, `
			t1 root user completed observed
			t2 root user completed observed
		`, `s1 1 active`},
		// A session that is deleted while it works goes on to an error of its own.
		{h, "delete", `
			prompt      t1 applied context
			session_end -  applied -
			failure     t1 applied -
		`, `
			t1 root user failed observed
		`, `s1 1 ended`},
		// The plugin stands in two places: everything comes twice, under the same ids.
		{h, "twice", `
			prompt         t1 applied context
			prompt         t1 ignored -
			subagent_start c1 applied context
			subagent_start c1 ignored -
			tool           c1 applied -
			tool           c1 ignored -
			tool           c1 applied -
			tool           c1 ignored -
			subagent_stop  c1 applied -
			subagent_stop  c1 ignored -
			stop           t1 applied -
			stop           t1 ignored -
			session_end    -  applied -
			session_end    -  ignored -
		`, `
			t1 root     user completed observed
			c1 subagent -    completed observed
		`, `s1 1 ended`},
	}
}
