package main

func (claude) cells() map[string]cell {
	return map[string]cell{
		"plain":     {run: plainTurn},
		"edit":      {run: editTurn},
		"proven":    {run: proven},
		"probe off": {run: probeOff},
		"resume":    {run: resumed},
		"gone":      {run: gone},
	}
}

func (codex) cells() map[string]cell {
	return map[string]cell{
		"plain":     {run: plainTurn},
		"edit":      {run: editTurn},
		"proven":    {run: proven},
		"probe off": {run: probeOff},
		"resume":    {run: resumed},
		"gone":      {run: gone},
	}
}
