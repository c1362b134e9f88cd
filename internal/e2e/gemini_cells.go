package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"board/internal/modelserver"
)

func (gemini) cells() map[string]cell {
	return map[string]cell{
		"plain":        {run: plainTurn},
		"edit":         {run: editTurn},
		"probe":        {run: askedByDeny},
		"proven":       {run: proven, never: "calls over MCP carry neither a session nor the id of the call, so begin_work and request_closure go through recorded as declared (shown)"},
		"subagent":     {run: unseenAgent, never: "no event names a subagent: what it does is its root's, and there is one run (shown)"},
		"background":   {never: "no event names a subagent, it has none in the background, and nothing proves a call"},
		"devserver":    {run: serverInTurns},
		"resume":       {run: resumed},
		"interrupt":    {run: signalled, never: "after Esc it tells what it tells after an answer; a signal ends the run with its session, as unknown (shown)"},
		"failure":      {run: silentFailure},
		"kill":         {run: killed},
		"compaction":   {never: "it announces a compaction before every request, whether there is one or not, and tells of none that happened"},
		"clear":        {run: clearedThere},
		"two sessions": {run: twoSessions},
		"worktrees":    {run: twoTrees},
		"gone":         {run: gone},
		"probe off":    {run: probeOff},
		"requests":     {run: countedTurns},
		"answers":      {run: answeredThere},
		"presence":     {run: present, alone: true},
		costly:         {run: cost, alone: true},
	}
}

func (gemini) agent(task string, _ bool) modelserver.Step {
	return use(modelserver.Call{Name: "invoke_agent", Args: args{"agent_name": "generalist", "prompt": task}})
}

func (gemini) waits() []modelserver.Step { return nil }

func (g gemini) server(command string) modelserver.Call {
	return g.shell(command + " >/dev/null 2>&1 &")
}

func (gemini) seat(*world) []string { return geminiModel() }
func (gemini) ready() string        { return "Type your message" }
func (gemini) busy() string         { return "esc to cancel" }

// askedByDeny: where a person wants it, the host is asked once. It tells the question back as a prompt, which is no turn of
// its own, and the next end of the agent ends the run.
func askedByDeny(ctx context.Context, w *world) error {
	if err := w.person(ctx, "config", "set", "probe", "always", "--host", "gemini"); err != nil {
		return err
	}
	state := ""
	w.script(mainLane(
		say("First answer."),
		func(r *modelserver.Request) modelserver.Reply {
			if rows, err := w.runs(ctx); err == nil && len(rows) == 1 {
				state = rows[0].State
			}
			return use(w.host.tool("kanban_list", args{}))(r) // it refuses arguments that no schema has
		},
		say("First answer, again."),
	))
	if _, err := w.turn(ctx, "a question", false); err != nil {
		return err
	}
	err := w.untilRuns(ctx, "root ended/completed")
	if err != nil {
		return err
	}
	sessions, err := w.sessions(ctx)
	return errors.Join(
		err,
		want("the run while the model thinks about it", state, "running"), // the question told back is its own
		want("requests with tools", len(w.requests("")), 3),
		w.expectReached("main", probeText, 1),
		w.expectReached("main", "BOARD_STOP_V1 probe=", 1),
		w.expectReached("main", rulesText, 1),
		want("sessions", len(sessions), 1),
	)
}

// unseenAgent: what a subagent does is done by the one run that there is.
func unseenAgent(ctx context.Context, w *world) error {
	w.script(
		modelserver.Rule{Lane: "sub", When: func(r *modelserver.Request) bool { return r.HasTool("complete_task") }, Steps: []modelserver.Step{
			use(gemini{}.edit(w, "cart.txt", "empty\n")), use(modelserver.Call{Name: "complete_task", Args: args{"result": args{"response": "done"}}}),
		}},
		mainLane(gemini{}.agent("TASK-OF-A-CHILD", false), say("All done.")),
	)
	if _, err := w.turn(ctx, "delegate it", false); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/completed"); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	return errors.Join(
		err,
		want("requests of the subagent", len(w.requests("sub")), 2),
		want("scopes", len(rows[0].Scopes), 1),
		want("evidence", rows[0].Scopes[0].Evidence, 1),
	)
}

// serverInTurns: a server that a turn started goes on, and the turns end.
func serverInTurns(ctx context.Context, w *world) error {
	w.script(mainLane(use(gemini{}.server("sleep 300")), say("It runs."), say("It still runs."), say("Yes.")))
	for i, prompt := range []string{"start the server", "does it run", "and now"} {
		if _, err := w.turn(ctx, prompt, i > 0); err != nil {
			return err
		}
	}
	return w.untilRuns(ctx, "root ended/completed", "root ended/completed", "root ended/completed")
}

// signalled: a signal in the middle of an answer ends the session, and with it the run.
func signalled(ctx context.Context, w *world) error {
	w.script(mainLane(modelserver.Slowly(), say("Fine.")))
	p, err := w.begin(w.Repo, "a long story", false)
	if err != nil {
		return err
	}
	if err := w.until(ctx, "the model is asked", func() (bool, error) { return len(w.requests("main")) == 1, nil }); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root running"); err != nil {
		return err
	}
	if err := p.signal(syscall.SIGINT); err != nil {
		return err
	}
	if _, err := p.end(ctx); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root "+gemini{}.knows().interrupts); err != nil {
		return err
	}
	if _, err := w.turn(ctx, "a short story", true); err != nil {
		return err
	}
	return w.untilRuns(ctx, "root "+gemini{}.knows().interrupts, "root ended/completed")
}

// silentFailure: the model refuses, and the host leaves without a word. The next prompt of the session ends the run.
func silentFailure(ctx context.Context, w *world) error {
	w.script(mainLane(say("First answer."), modelserver.Fail(400), say("Fine.")))
	if _, err := w.turn(ctx, "a question", false); err != nil {
		return err
	}
	p, err := w.start(w.Repo, w.hostEnv(), w.program, w.host.headless(w, "a question that fails", true)...)
	if err != nil {
		return err
	}
	if code, err := p.end(ctx); err != nil || code == 0 {
		return fmt.Errorf("a failing run: exit %d, %w", code, err)
	}
	if err := w.expectRuns(ctx, "root ended/completed", "root running"); err != nil {
		return err
	}
	if _, err := w.turn(ctx, "a question that does not", true); err != nil {
		return err
	}
	return w.untilRuns(ctx, "root ended/completed", "root "+gemini{}.knows().failed, "root ended/completed")
}

// clearedThere: after /clear there is another session. The old one has ended, so that the new one may take its Issue.
func clearedThere(ctx context.Context, w *world) error {
	begin := w.call("kanban_begin_work", args{"issue_key": issueKey})
	t, h, err := beginAndClear(ctx, w, mainLane(begin, say("Begun."), begin, say("Begun again.")))
	if err != nil {
		return err
	}
	err = w.until(ctx, "the old session has ended", func() (bool, error) {
		all, err := w.sessions(ctx)
		return len(all) > 0 && all[0].State != "active", err
	})
	if err != nil {
		return err
	}
	if err := pause(ctx, 2*time.Second); err != nil { // the screen is made anew, and shows its old self meanwhile
		return err
	}
	if err := t.ask(ctx, h, "begin it again"); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/completed", "root ended/completed "+issueKey); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	return errors.Join(
		err,
		want("the same session", rows[0].Session == rows[1].Session, false),
		w.expectMoves(ctx, issueKey, "begin_work declared", "begin_work declared"),
		w.expectReached("main", rulesText, 1),
	)
}

// countedTurns counts the requests of a session without a terminal, each turn in a process of its own.
func countedTurns(ctx context.Context, w *world) error {
	return countedQuestions(ctx, w, func(i int, what string) error {
		_, err := w.turn(ctx, what, i > 0)
		return err
	}, nil)
}

// answeredThere: turns that get every kind of answer that board gives, and a hook of somebody else that fails, by which the
// host is known to complain.
func answeredThere(ctx context.Context, w *world) error {
	if err := w.person(ctx, "config", "set", "probe", "always", "--host", "gemini"); err != nil {
		return err
	}
	w.script(modelserver.Rule{Lane: "main", Steps: []modelserver.Step{use(w.host.edit(w, "cart.txt", "empty\n"))}, Then: say("Done.")})
	if _, err := w.turn(ctx, "everything", false); err != nil {
		return err
	}
	err := errors.Join(w.expectReached("main", rulesText, 1), w.expectReached("main", probeText, 1))
	if _, rerr := w.turn(ctx, "and again", true); err != nil || rerr != nil {
		return errors.Join(err, rerr)
	}
	w.quiet = true // what it shows of the question is meant for the person
	if times := len(w.host.hookTimes(w)); times < 8 {
		return fmt.Errorf("the host speaks of %d hooks only", times)
	}
	failed := func() int { return strings.Count(strings.Join(w.host.complaints(w), "\n"), " failed in ") }
	if err := want("failed hooks", failed(), 0); err != nil {
		return err
	}
	if err := (gemini{}).badHook(w); err != nil {
		return err
	}
	if _, err := w.turn(ctx, "with a bad hook", false); err != nil {
		return err
	}
	return want("a bad hook is noticed", failed() > 0, true)
}
