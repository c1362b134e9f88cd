package hooks

import (
	"strconv"

	"board/internal/process"
	"board/internal/runs"
)

// whereabouts finds out which process the host is, and where it runs, for an event that registers a run. Only what is
// verified is claimed: a process that the host names, or that is called like it, is the host's if this hook finds it among
// its own ancestors. Most events of tools register nothing: for them it is left to be asked.
func (in *input) whereabouts(p Process) {
	prove := p.Prove
	if prove == nil {
		prove = proveProcess
	}
	pid, program, cloud := in.pid, in.program, in.cloud
	find := func(o *runs.Observation) {
		if pid != 0 || program != "" {
			o.Proof = prove(pid, program)
		}
		switch {
		case cloud != "":
			o.ExecutionHost, o.ExecutionBasis = runs.Cloud, cloud
		case o.Proof != "":
			o.ExecutionHost, o.ExecutionBasis = runs.Desktop, "host_process"
		}
	}
	switch in.o.Kind {
	case runs.OnPrompt, runs.OnSubagentStart, runs.OnSessionStart:
		find(&in.o)
	case runs.OnTool, runs.OnEdit:
		in.o.Whereabouts = find
	}
}

func proveProcess(pid int, program string) string {
	if pid != 0 {
		return process.Prove(pid)
	}
	return process.ProveNamed(program)
}

// pidOf reads a process id that a host gave, 0 for none.
func pidOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// head reads which commit of which branch the work tree is at, where that is kept: when a run begins, and at an end that
// the host reports. It is called for directories of registered projects alone.
func (in *input) head() {
	o := &in.o
	if o.ProjectID == 0 {
		return
	}
	switch o.Kind {
	case runs.OnPrompt, runs.OnSubagentStart, runs.OnStop, runs.OnFailure, runs.OnInterrupt, runs.OnSubagentStop:
		h := in.spot.Head()
		o.Worktree, o.Branch, o.Head = h.Worktree, h.Branch, h.Commit
	}
}
