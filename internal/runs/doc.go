package runs

import "board/internal/machine"

// MachineDoc returns the AgentRun machine as Markdown: a diagram, the table, and what every event does in every state.
func MachineDoc() string { return machine.Doc(Machine()) }
