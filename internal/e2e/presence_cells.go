package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"board/internal/modelserver"
)

// asking is a host that asks its person at the terminal whether a command may run.
type asking interface {
	seated
	// cautious is seat for a session in which it asks, and what the screen shows there when a person may type.
	cautious(w *world) (args []string, ready string)
	// risky is a command that it asks about.
	risky(command string) modelserver.Call
	// dialog is what the screen shows while it asks.
	dialog() string
	// witness registers a hook of somebody else beside board's that touches a file when the host tells that it asks.
	witness(w *world, file string) error
}

// noticeLimit is how soon a dialog must be shown after the host told of it.
const noticeLimit = 2 * time.Second

// present: a dialog is shown as soon as the host tells of it. What the host does next clears it: it goes on, or tells of the
// refusal, or, where it does not, of the next prompt.
func present(ctx context.Context, w *world) error {
	h, ok := w.host.(asking)
	if !ok {
		return errors.New("this host has no dialog in the suite")
	}
	told := w.path("told")
	if err := h.witness(w, told); err != nil {
		return err
	}
	words, ready := h.cautious(w)
	t, err := w.open(ctx, words...)
	if err != nil {
		return err
	}
	if err := errors.Join(t.see(ctx, ready), t.idle(ctx, h)); err != nil {
		return err
	}
	asks := func(prompt, file string, then modelserver.Step) error {
		w.script(modelserver.Rule{Lane: "main", Steps: []modelserver.Step{use(h.risky("touch " + file)), then}, Then: say("As I said.")})
		if err := t.send(ctx, prompt); err != nil {
			return err
		}
		if err := w.expectNoticed(ctx, told, "needs_approval"); err != nil {
			return err
		}
		return t.see(ctx, h.dialog())
	}
	gate := make(chan struct{})
	if err := asks("touch the first", "yes.txt", modelserver.After(gate, say("Did it."))); err != nil {
		return err
	}
	if err := errors.Join(
		want("the command ran before the person was asked", exists(w.inRepo("yes.txt")), false),
		t.answer(ctx, h.dialog(), "Enter"),
	); err != nil {
		return err
	}
	if err := w.expectCleared(ctx, "working"); err != nil {
		return err
	}
	close(gate)
	if _, err := w.untilShown(ctx, "idle"); err != nil {
		return err
	}
	if err := errors.Join(want("the command has run", exists(w.inRepo("yes.txt")), true), t.idle(ctx, h), os.Remove(told)); err != nil {
		return err
	}
	if err := asks("touch the second", "no.txt", say("I see.")); err != nil {
		return err
	}
	if err := errors.Join(t.answer(ctx, h.dialog(), "Escape"), pause(ctx, time.Second), t.idle(ctx, h)); err != nil {
		return err
	}
	if err := w.expectRefused(ctx); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "never mind"); err != nil {
		return err
	}
	if _, err := w.untilShown(ctx, "idle"); err != nil {
		return err
	}
	if err := t.close(); err != nil {
		return err
	}
	return w.expectLeft(ctx)
}

// expectNoticed waits until the only agent is shown as waiting for its person, and compares the time with that at which the
// host told of it.
func (w *world) expectNoticed(ctx context.Context, told, state string) error {
	at, err := w.untilShown(ctx, state)
	if err != nil {
		return err
	}
	var late time.Duration
	err = w.until(ctx, "somebody else's hook has run", func() (bool, error) {
		info, err := os.Stat(told)
		if errors.Is(err, fs.ErrNotExist) { // board's own, which runs at the same time, was faster
			return false, nil
		} else if err != nil {
			return false, err
		}
		late = max(0, at.Sub(info.ModTime()))
		return true, nil
	})
	if err != nil {
		return err
	}
	w.note("%s is shown %d ms after the host told of it", state, late.Milliseconds())
	row, err := w.agent(ctx)
	if err != nil {
		return err
	}
	var inbox []inboxRow
	if err := w.read(ctx, &inbox, "inbox"); err != nil {
		return err
	}
	waits := inboxRow{Code: state, Host: row.Host, Session: row.Session, Run: row.Run, Command: "board runs --session " + row.Session}
	return errors.Join(
		want(fmt.Sprintf("shown within %s (%s)", noticeLimit, late), late <= noticeLimit, true),
		want("the event that it rests on", row.LastEvent.Event, "notice"),
		want("what deserves attention", strings.Join(row.Attention, " "), state),
		want("what waits", fmt.Sprintf("%+v", inbox), fmt.Sprintf("%+v", []inboxRow{waits})),
	)
}

// expectRefused looks at the only agent after its person refused: some hosts tell nothing of it, and what they told last
// stands until they tell something else.
func (w *world) expectRefused(ctx context.Context) error {
	if w.host.knows().refusals {
		_, err := w.untilShown(ctx, "idle")
		return err
	}
	row, err := w.agent(ctx)
	return errors.Join(err, want("the agent whose host told nothing of the refusal", row.State, "needs_approval"))
}

// expectCleared waits until the only agent, whose person has just answered, is shown as what it is then.
func (w *world) expectCleared(ctx context.Context, states ...string) error {
	answered := time.Now()
	at, err := w.untilShown(ctx, states...)
	if err == nil {
		w.note("shown as going on %d ms after the answer", at.Sub(answered).Milliseconds())
	}
	return err
}

// expectLeft waits until the only agent is gone: its session has ended, or its process is known to be gone. Where nothing is
// proven of the process nobody can know.
func (w *world) expectLeft(ctx context.Context) error {
	if !w.host.knows().process {
		return nil
	}
	return w.until(ctx, "nobody is there", func() (bool, error) {
		row, err := w.agent(ctx)
		return row.State == "" || row.State == "offline", err
	})
}

// untilShown waits until the only agent is shown in one of the states, and returns when that was.
func (w *world) untilShown(ctx context.Context, states ...string) (at time.Time, err error) {
	var seen agentRow
	err = w.until(ctx, fmt.Sprintf("the agent is shown as one of %q", states), func() (bool, error) {
		seen, err = w.agent(ctx)
		at = time.Now()
		return slices.Contains(states, seen.State), err
	})
	if err != nil {
		err = fmt.Errorf("%w; it is shown as %+v", err, seen)
	}
	return at, err
}

// agentRow is what board agents --json says of an agent, as far as the suite looks at it.
type agentRow struct {
	Host, Session, Project, Run, Issue, State string
	LastEvent                                 struct{ Event string } `json:"last_event"`
	Attention                                 []string
}

// inboxRow is what board inbox --json says of a thing that waits for a person, as far as the suite looks at it.
type inboxRow struct{ Code, Host, Session, Run, Command string }

// agents are those that are there, with a check of the counts.
func (w *world) agents(ctx context.Context) ([]agentRow, error) {
	var view struct {
		Counts   map[string]int
		Agents   []agentRow
		Degraded []string
	}
	if err := w.read(ctx, &view, "agents"); err != nil {
		return nil, err
	}
	for _, r := range view.Agents {
		view.Counts[r.State]--
	}
	for state, n := range view.Counts {
		if n != 0 {
			return nil, fmt.Errorf("agents that are %s: the count is off by %d", state, n)
		}
	}
	if len(view.Degraded) > 0 {
		return nil, fmt.Errorf("the view is degraded: %q", view.Degraded)
	}
	return view.Agents, nil
}

// agent is the only one, the zero row before there is one.
func (w *world) agent(ctx context.Context) (row agentRow, err error) {
	rows, err := w.agents(ctx)
	switch {
	case len(rows) > 1:
		err = fmt.Errorf("one agent, got %+v", rows)
	case len(rows) == 1:
		row = rows[0]
	}
	return row, err
}

// touching writes a file of settings with a hook for an event that touches a file.
func (w *world) touching(event, settings, file string) error {
	hook := args{"type": "command", "name": "foreign", "command": "touch '" + file + "'"}
	if strings.HasSuffix(settings, "hooks.json") {
		delete(hook, "name") // Codex takes no key that it does not know
	}
	data, err := json.Marshal(args{"hooks": args{event: []args{{"hooks": []args{hook}}}}})
	if err != nil {
		return err
	}
	return w.write(filepath.Join(w.Repo, filepath.FromSlash(settings)), string(data))
}

func (c claude) cautious(w *world) ([]string, string) {
	return []string{"--debug-file", w.debugFile(), "--permission-mode", "default"}, "? for shortcuts"
}

func (c claude) risky(command string) modelserver.Call { return c.shell(command) }
func (claude) dialog() string                          { return "Do you want to proceed?" }

func (claude) witness(w *world, file string) error {
	return w.touching("Notification", ".claude/settings.json", file)
}

func (c codex) cautious(w *world) ([]string, string) {
	return append(c.seat(w), "-a", "on-request"), c.ready()
}

func (codex) risky(command string) modelserver.Call {
	return modelserver.Call{Name: "exec_command", Args: args{"cmd": command, "sandbox_permissions": "require_escalated", "justification": "to touch it"}}
}

func (codex) dialog() string { return "Would you like to run the following command" }

func (codex) witness(w *world, file string) error {
	return w.touching("PermissionRequest", ".codex/hooks.json", file)
}

func (g gemini) cautious(*world) ([]string, string) {
	return []string{"-m", "gemini-2.5-pro", "--approval-mode", "default"}, g.ready()
}

func (g gemini) risky(command string) modelserver.Call { return g.shell(command) }
func (gemini) dialog() string                          { return "Allow execution" }

func (gemini) witness(w *world, file string) error {
	return w.touching("Notification", ".gemini/settings.json", file)
}
