package main

// inTerminals are the cells of the two hosts that have terminals.
func inTerminals() map[string]cell {
	return map[string]cell{
		"plain":        {run: plainTurn},
		"edit":         {run: editTurn},
		"probe":        {run: attended},
		"proven":       {run: proven},
		"subagent":     {run: delegated},
		"background":   {run: background},
		"devserver":    {run: served},
		"resume":       {run: resumed},
		"interrupt":    {run: interrupted},
		"failure":      {run: failed},
		"kill":         {run: killed},
		"compaction":   {run: compacted},
		"clear":        {run: cleared},
		"two sessions": {run: twoSessions},
		"worktrees":    {run: twoTrees},
		"gone":         {run: gone},
		"probe off":    {run: probeOff},
		"requests":     {run: counted, bare: true},
		"output":       {run: sameOutput, bare: true},
		"attribution":  {run: attributed},
		"answers":      {run: answered},
		costly:         {run: cost, alone: true},
	}
}

func (claude) cells() map[string]cell {
	cells := inTerminals()
	cells["permission"] = cell{run: denied}
	cells["presence"] = cell{run: present, alone: true}
	return cells
}

func (codex) cells() map[string]cell {
	cells := inTerminals()
	cells["subagent"] = cell{run: bothKinds}
	cells["trust"] = cell{run: trusted, bare: true}
	cells["notify"] = cell{run: witnessed, bare: true}
	cells["permission"] = cell{run: permitted}
	cells["presence"] = cell{run: present, alone: true}
	return cells
}
