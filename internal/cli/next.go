package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"board/internal/adapters"
	"board/internal/doctor"
	"board/internal/fault"
)

// usersScope is what is known of the user's scope.
func usersScope(h doctor.Host) doctor.Scope {
	for _, s := range h.Scopes {
		if s.Scope == adapters.ScopeUser {
			return s
		}
	}
	return doctor.Scope{Scope: adapters.ScopeUser}
}

// install is the step that writes board, or what stands in its way: a command that would refuse leads in a circle.
func (t teller) install(host string, s doctor.Scope) string {
	command := installCommand(host, s)
	if t.problem != nil {
		v := fault.ViewOf(t.problem)
		return next(v.Hint, v.Message)
	}
	if s.Plan == nil || len(s.Plan.Refused) == 0 {
		return command
	}
	var list []string
	for _, r := range s.Plan.Refused {
		list = append(list, r.Path+": "+r.Reason)
	}
	return "mend what keeps the files from being written (" + strings.Join(list, "; ") + "), then " + command + "; or paste what it shows"
}

func installCommand(host string, s doctor.Scope) string {
	command := "board host install " + host
	if s.Scope == adapters.ScopeProject {
		command += " --scope project"
	}
	return command
}

// mend is the step after a command that failed: an installation where that would write another command, else the program
// itself, since what is written is what an installation writes.
func mend(s doctor.Scope, again string) string {
	if s.Plan == nil {
		return again
	}
	for _, r := range s.Runs {
		if r.Err == "" {
			continue
		}
		asWritten := slices.ContainsFunc(s.Found.Events, func(e adapters.EventState) bool { return e.Name == r.Event && e.State == adapters.Present })
		if r.Program == s.Plan.Launcher.Hook && (r.Missing || asWritten) {
			return together(r.Program)
		}
		return again
	}
	if c := s.Found.Server.Command; s.Found.Server.State == adapters.Present && len(c) > 0 {
		return together(c[0])
	}
	return again
}

// together is the step that mends a program.
func together(program string) string {
	return "install both programs from one build, to " + filepath.Dir(program)
}

// unlistedNext is the step where Codex does not know hooks that are written.
func unlistedNext(s doctor.Scope) string {
	for _, b := range s.Found.Blocked {
		if b.All {
			return "change what blocks them: " + b.Path + ": " + b.Reason
		}
	}
	if s.Scope == adapters.ScopeProject {
		return "start codex in the project and trust the folder; hooks of other folders are not read"
	}
	return "look in codex, /hooks, whether a policy allows managed hooks alone"
}

// next is a hint, or what is said where there is none.
func next(hint, otherwise string) string {
	if hint == "" {
		return otherwise
	}
	return hint
}
