package cli

import (
	"context"
	"fmt"
	"strings"

	"board/internal/adapters"
)

// offerHosts offers to connect the hosts that are found and not connected yet. Nothing is written without a yes.
func (a *app) offerHosts(ctx context.Context, o initOptions) error {
	if a.json || a.agentMark() != "" || a.hostGate(ctx, "host install") != nil {
		return nil
	}
	w, problem, err := a.world()
	if err != nil {
		return nil // the project is registered; where hosts are is not what was asked
	}
	found := a.connectable(w)
	if len(found) == 0 {
		return nil
	}
	command := "board host install " + strings.Join(found, " ")
	switch {
	case o.noInput:
		a.warn("found on this machine, and not connected to the board: %s. To connect: %s", strings.Join(found, ", "), command)
		return nil
	case problem != nil || !a.StdinTTY || !a.StderrTTY:
		a.talk("Connect the hosts that are found: %s", command)
		return nil
	}
	if err := a.out.flush(); err != nil { // what was asked for comes before the next question
		return err
	}
	_, _ = fmt.Fprintf(a.Stderr, "Connect %s to the board? Their settings are changed, with a copy kept; board host remove takes it back. [y/N]: ", strings.Join(found, ", "))
	line, _ := a.typed().ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
	default:
		a.talk("Later: %s", command)
		return nil
	}
	var out []writtenJSON
	for _, h := range found {
		out = append(out, a.writeHost(w, h, adapters.ScopeUser, installing(), false))
	}
	return a.printWritten(out, installing(), false)
}
