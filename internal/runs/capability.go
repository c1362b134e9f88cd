package runs

import (
	"context"

	"board/internal/store"
)

// ExecutionHost is where a host runs. Only what was verified is claimed.
type ExecutionHost string

// The places.
const (
	Nowhere ExecutionHost = ""        // unknown
	Desktop ExecutionHost = "desktop" // the hook found the host's process among its own ancestors, or the host says so
	Cloud   ExecutionHost = "cloud"   // the host says so
)

// Flag says whether one of the three things that a review rests on was proven.
type Flag int64

// The flags.
const (
	Missing Flag = -1 // known to be impossible
	Untried Flag = 0
	Proven  Flag = 1
)

// Verdict says whether a run's work in a project can be judged.
type Verdict string

// The verdicts. Indeterminate is not a soft yes.
const (
	Supported     Verdict = "supported"
	Unsupported   Verdict = "unsupported"
	Indeterminate Verdict = "indeterminate"
)

// Boundaries: what is missing where a run cannot be judged.
const (
	BoundaryScaffold     = "scaffold"       // whose turn is it: the person's, or the answer to our reminder?
	BoundaryCorrelation  = "correlation"    // do the events belong together?
	BoundaryEvidence     = "evidence"       // did it touch this repository?
	BoundaryHost         = "execution_host" // nobody knows where it runs, or it is a place where nothing was proven
	BoundaryRegistration = "registration"   // its prompt has not been seen
)

// Capability is what could be proven for one run in one project, as it was decided at that time: it is stored, and never
// decided anew when the table of facts changes.
type Capability struct {
	RunID, ProjectID               int64
	Verdict                        Verdict
	Missing                        string // the boundary, "" for supported
	Rule                           string // the row of the table that decided, with the version of the table
	Scaffold, Correlated, Evidence Flag
}

// CapabilityRules is the version of the table. It is part of every rule id: change a row, and raise it.
const CapabilityRules = "1"

// capabilityRow is what is proven of a host, wherever it runs on a person's machine.
type capabilityRow struct {
	Host                           string
	Scaffold, Correlated, Evidence Flag
}

// capabilityTable says what is proven. A host's row is proven by the cells of internal/e2e, which run the real programs:
// Claude Code 2.1.332, Codex 0.171.0, opencode 1.18.33 and Gemini CLI 0.61.0.
func capabilityTable() []capabilityRow {
	return []capabilityRow{
		{ClaudeCode, Proven, Proven, Proven},
		{Codex, Proven, Proven, Proven},
		{OpenCode, Proven, Proven, Proven}, // its turns end for good: there is no answer of ours to take for a person's
		{Gemini, Proven, Missing, Proven},  // it names no turn: a counter is order
		{Cursor, Untried, Untried, Untried},
	}
}

// decide is the capability of a run in a project, a pure function of the table and of what the run knows of itself.
func decide(table []capabilityRow, r Run, project int64) Capability {
	c := Capability{RunID: r.ID, ProjectID: project}
	for _, row := range table {
		if row.Host == r.Host {
			c.Scaffold, c.Correlated, c.Evidence = row.Scaffold, row.Correlated, row.Evidence
		}
	}
	if r.isCounted() {
		c.Correlated = Missing
	}
	where := string(r.ExecutionHost)
	if r.ExecutionHost == Nowhere {
		where = "unknown"
	}
	if r.ExecutionHost == Cloud { // nothing was ever run there
		c.Scaffold, c.Correlated, c.Evidence = min(c.Scaffold, Untried), min(c.Correlated, Untried), min(c.Evidence, Untried)
	}
	c.Rule = r.Host + "/" + where + "@" + CapabilityRules
	c.Verdict, c.Missing = Supported, ""
	flags := []struct {
		flag Flag
		name string
	}{{c.Scaffold, BoundaryScaffold}, {c.Correlated, BoundaryCorrelation}, {c.Evidence, BoundaryEvidence}}
	for _, f := range flags {
		if f.flag == Missing {
			c.Verdict, c.Missing = Unsupported, f.name
			return c
		}
	}
	switch r.ExecutionHost {
	case Cloud:
		c.Verdict, c.Missing = Unsupported, BoundaryHost
		return c
	case Nowhere:
		c.Verdict, c.Missing = Indeterminate, BoundaryHost
		return c
	}
	for _, f := range flags {
		if f.flag != Proven {
			c.Verdict, c.Missing = Indeterminate, f.name
			return c
		}
	}
	return c
}

// Reading is the capability as it is shown: a run whose prompt is missing is not judged until it arrives.
func (c Capability) Reading(r Run) (Verdict, string) {
	if r.LateStart && c.Verdict != Unsupported {
		return Indeterminate, BoundaryRegistration
	}
	return c.Verdict, c.Missing
}

// scope puts a project on record among those that the run is at work in, with what can be proven of it there.
func scope(ctx context.Context, tx *store.Tx, r Run, project int64) error {
	if project == 0 {
		return nil
	}
	return insertScope(ctx, tx, decide(capabilityTable(), r, project))
}
