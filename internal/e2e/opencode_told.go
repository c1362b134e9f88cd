package main

// toldOf is what the plugin tells of each recording, written by hand from what was done to the real host.
func toldOf() map[string][]string {
	return map[string][]string{
		// A turn of the person, with tools: which files, and one end.
		"tools":    {"prompt t1", "tool t1 write b.txt", "tool t1 edit b.txt", "tool t1 bash", "stop t1"},
		"sameid":   {"prompt t1", "tool t1 write c.txt", "tool t1 write d.txt", "stop t1"}, // a model that repeats the ids of its calls
		"retry429": {"prompt t1", "stop t1"},
		"cut":      {"prompt t1", "stop t1"}, // the host asks again by itself
		"revert":   {"prompt t1", "stop t1"},
		"noreply":  {"prompt t1"},
		"shell":    {}, // a command that the person typed is no turn
		// Failures and interrupts: one end, and the right one, though idle comes twice or before it.
		"fail400":    {"prompt t1", "failure t1 APIError"},
		"retryabort": {"prompt t1", "interrupt t1"},
		"abort":      {"prompt t1", "interrupt t1 MessageAbortedError"},
		"aborttool":  {"prompt t1", "tool t1 bash", "interrupt t1 MessageAbortedError"},
		// A second prompt while a turn runs: two turns, one idle.
		"queue":      {"prompt t1", "prompt t2", "stop t1", "stop t2"},
		"steer":      {"prompt t1", "prompt t2", "tool t1 bash", "stop t2", "stop t1"}, // the second answer is for both
		"queueabort": {"prompt t1", "prompt t2", "interrupt t2 MessageAbortedError", "interrupt t1 MessageAbortedError"},
		// Requests of the person.
		"permonce":   {"prompt t1", "notice t1 permission_asked", "notice t1 permission_replied", "tool t1 bash", "stop t1"},
		"permreject": {"prompt t1", "notice t1 permission_asked", "notice t1 permission_replied", "stop t1"}, // it ends with calls of tools
		// Subagents: the child's own run, which names its root's turn, and its own end.
		"sub":      {"prompt t1", "subagent_start t1 a1 general", "tool t1 a1 write child.txt", "subagent_stop t1 a1", "tool t1 task", "stop t1"},
		"subfail":  {"prompt t1", "subagent_start t1 a1 general", "failure t1 a1 APIError", "stop t1"},
		"subabort": {"prompt t1", "subagent_start t1 a1 general", "interrupt t1 a1 MessageAbortedError", "interrupt t1 MessageAbortedError"},
		"bgsub": {
			"prompt t1", "tool t1 task", "subagent_start t1 a1 general", "stop t1", "prompt t2", "stop t2",
			"tool t1 a1 bash", "subagent_stop t1 a1", "prompt t3 by the host",
		},
		// The session: a compaction is no turn, and none is cut in two by it; a fork plays its history back.
		"compact":     {"compaction", "prompt t1", "stop t1"},
		"autocompact": {"prompt t1", "tool t1 bash", "compaction", "tool t1 bash", "stop t1"},
		// Made of recordings above: a child of an earlier process, and a message that ends with calls of tools although it says stop.
		"made.resumedchild":     {"prompt t1", "subagent_start t1 a1 general", "tool t1 a1 write child.txt", "subagent_stop t1 a1", "tool t1 task", "stop t1"},
		"made.stopwithtools":    {"prompt t1", "tool t1 write b.txt", "stop t1", "tool t1 edit b.txt", "tool t1 bash", "stop t1"},
		"made.autocompactfails": {"prompt t1", "tool t1 bash", "compaction", "tool t1 bash", "failure t1 APIError"}, // made of the one before
		"fork":                  {"prompt t1", "stop t1"},
		"delete":                {"prompt t1", "session_end deleted"}, // the turn's own end comes too late to be about anything
	}
}
