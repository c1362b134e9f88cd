package adapters

import "board/internal/fault"

// PlanInstall says what is to be written so that every row of the contract, the MCP server and what lets its tools run
// stand in the configuration exactly once, in the form of today. A second plan after Apply has no changes.
func PlanInstall(t Target) (Plan, error) { return Plan{Target: t}, unfinished() }

// PlanRemove says what is to be written so that nothing of board is left, and every other byte is as it was.
func PlanRemove(t Target) (Plan, error) { return Plan{Target: t}, unfinished() }

// Inspect reads what stands in the configuration, and writes nothing.
func Inspect(t Target) (Found, error) { return Found{Target: t}, unfinished() }

// Diff returns the plan as a unified diff, "" without changes.
func (p Plan) Diff() string { return "" }

// Apply writes the changes, each file in one step. Before the first write every file is compared with what the plan
// read: if one changed meanwhile, nothing is written. A copy of each file that existed goes to backupDir first.
func (p Plan) Apply(backupDir string) error { return unfinished() }

// Detect returns the hosts that seem to be used on this machine: their configuration directory exists, or their program
// is found by lookPath.
func Detect(home string, getenv func(string) string, lookPath func(string) (string, error)) []string {
	return nil
}

func unfinished() error { return fault.New(fault.Internal, "", "adapters are being built") }
