package runs

import "board/internal/machine"

// MachineDoc returns the machines of runs and of session stretches as Markdown: a diagram, the table, and what every
// event does in every state.
func MachineDoc() string { return machine.Doc(Machine()) + "\n" + machine.Doc(StretchMachine()) }
