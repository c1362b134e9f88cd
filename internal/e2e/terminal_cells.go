package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"board/internal/modelserver"
)

// The scenarios in this file have a person at a terminal.

// attended: the first Stop of an attended session is asked once; the model reads the question, calls a tool, and the next
// Stop ends the run. Nothing came of it, so the next turn is not asked.
func attended(ctx context.Context, w *world) error {
	state := ""
	w.script(mainLane(
		say("First answer."),
		func(r *modelserver.Request) modelserver.Reply {
			if rows, err := w.runs(ctx); err == nil && len(rows) == 1 {
				state = rows[0].State
			}
			return w.call("kanban_list", args{})(r)
		},
		say("First answer, again."),
		say("Second answer."),
	))
	t, h, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a first question"); err != nil {
		return err
	}
	err = errors.Join(
		w.untilRuns(ctx, "root ended/completed"),
		want("the run while the model thinks about it", state, "probing"),
		want("requests with tools", len(w.requests("")), 3),
		w.expectReached("main", probeText, 1),
		w.expectReached("main", rulesText, 1),
	)
	if err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a second question"); err != nil {
		return err
	}
	return errors.Join(
		w.untilRuns(ctx, "root ended/completed", "root ended/completed"),
		want("requests with tools", len(w.requests("")), 4),
	)
}

// interrupted: a person presses Esc in the middle of an answer, and asks again; a run without a terminal gets a signal.
func interrupted(ctx context.Context, w *world) error {
	w.script(mainLane(modelserver.Slowly(), say("Fine.")))
	t, h, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.say(ctx, "a long story"); err != nil {
		return err
	}
	if err := t.see(ctx, "Many words follow"); err != nil {
		return err
	}
	if err := t.press(ctx, "Escape"); err != nil {
		return err
	}
	if err := t.idle(ctx, h); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a short story"); err != nil {
		return err
	}
	attended := []string{"root " + w.host.knows().interrupts, "root ended/completed"}
	if err := errors.Join(w.untilRuns(ctx, attended...), t.close()); err != nil {
		return err
	}
	w.script(mainLane(modelserver.Slowly()))
	before := len(w.requests(""))
	p, err := w.begin(w.Repo, "another long story", false)
	if err != nil {
		return err
	}
	if err := w.until(ctx, "the model is asked", func() (bool, error) { return len(w.requests("")) > before, nil }); err != nil {
		return err
	}
	if err := p.signal(syscall.SIGINT); err != nil {
		return err
	}
	if _, err := p.end(ctx); err != nil {
		return err
	}
	return w.untilRuns(ctx, append(attended, "root "+w.host.knows().signalled)...)
}

// failed: the model fails in a terminal, and then without one.
func failed(ctx context.Context, w *world) error {
	w.script(mainLane(modelserver.Fail(403), say("Fine.")))
	t, h, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.send(ctx, "a question that fails"); err != nil {
		return err
	}
	if err := t.idle(ctx, h); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a question that does not"); err != nil {
		return err
	}
	attended := []string{"root " + w.host.knows().failed, "root ended/completed"}
	if err := w.untilRuns(ctx, attended...); err != nil {
		return err
	}
	if err := t.close(); err != nil {
		return err
	}
	w.script(mainLane(modelserver.Fail(403)))
	p, err := w.begin(w.Repo, "fail", false)
	if err != nil {
		return err
	}
	if code, err := p.end(ctx); err != nil || code == 0 {
		return fmt.Errorf("a failing run: exit %d, %w", code, err)
	}
	return w.until(ctx, "the failed run has ended", func() (bool, error) {
		rows, err := w.runs(ctx)
		if err != nil || len(rows) != 3 {
			return false, err
		}
		// A headless host ends before its StopFailure hook does, now and then: then the end of the session is all there is.
		return rows[2].State == "ended" && (rows[2].Outcome == "failed" || rows[2].Outcome == "unknown"), nil
	})
}

// compacted: after a compaction the rules are told again, once.
func compacted(ctx context.Context, w *world) error {
	w.script(mainLane(say("First answer."), say("First answer, again."), say("Second answer.")))
	t, h, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a first question"); err != nil {
		return err
	}
	if err := t.say(ctx, "/compact"); err != nil {
		return err
	}
	summarised := func() (bool, error) {
		for _, r := range w.model.Requests() {
			if r.Lane == "side compaction" {
				return true, nil
			}
		}
		return false, nil
	}
	if err := w.until(ctx, "the host asks for a summary", summarised); err != nil {
		return err
	}
	if err := t.idle(ctx, h); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "a second question"); err != nil {
		return err
	}
	requests := w.requests("main")
	newest := requests[len(requests)-1]
	return errors.Join(
		w.untilRuns(ctx, "root ended/completed", "root ended/completed"),
		want("the old answer is still there", newest.Contains("First answer."), false),
		w.expectReached("main", rulesText, 1),
	)
}

// beginAndClear has the model begin an Issue in a terminal, and types /clear.
func beginAndClear(ctx context.Context, w *world, lane modelserver.Rule) (*terminal, seated, error) {
	if err := w.person(ctx, addArgs()...); err != nil {
		return nil, nil, err
	}
	w.script(lane)
	t, h, err := w.sit(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := t.ask(ctx, h, "begin the work"); err != nil {
		return nil, nil, err
	}
	if err := w.untilRuns(ctx, "root ended/completed "+issueKey); err != nil {
		return nil, nil, err
	}
	return t, h, t.say(ctx, "/clear")
}

// cleared: after /clear there is another session. It acts for itself: where the old one is known to have ended it may take
// the Issue, else it is refused; it never goes on with the hold of the old one.
func cleared(ctx context.Context, w *world) error {
	t, h, err := beginAndClear(ctx, w, mainLane(
		w.call("kanban_begin_work", args{"issue_key": issueKey}), say("Begun."), say("Not ready yet."),
		w.call("kanban_begin_work", args{"issue_key": issueKey}), say("It is taken."), say("It is taken, as I said."),
	))
	if err != nil {
		return err
	}
	if err := t.idle(ctx, h); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "begin it again"); err != nil {
		return err
	}
	runs, moves := []string{"root ended/completed " + issueKey, "root ended/completed"}, []string{"begin_work " + w.host.knows().identity}
	if w.host.knows().clearEnds {
		runs = []string{"root ended/completed", "root ended/completed " + issueKey}
		moves = append(moves, moves[0])
	}
	if err := w.untilRuns(ctx, runs...); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		want("the same session", rows[0].Session == rows[1].Session, false),
		w.expectMoves(ctx, issueKey, moves...),
		w.expectReached("main", rulesText, 1),
	)
}

// served: a program that goes on in the background does not keep turns from ending.
func served(ctx context.Context, w *world) error {
	h, ok := w.host.(complete)
	if !ok {
		return errors.New("no terminal")
	}
	w.script(mainLane(use(h.server("sleep 300")), say("It runs."), say("It runs, as I said."), say("It still runs.")))
	t, _, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.ask(ctx, h, "start the server"); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "does it run"); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "and now"); err != nil {
		return err
	}
	return w.untilRuns(ctx, "root ended/completed", "root ended/completed", "root ended/completed")
}

// background: a subagent works on while its root answers another prompt. It stays one run, and what it does is its own.
func background(ctx context.Context, w *world) error {
	if err := w.person(ctx, addArgs()...); err != nil {
		return err
	}
	h, ok := w.host.(complete)
	if !ok {
		return errors.New("no terminal")
	}
	gate := make(chan struct{})
	w.script(
		modelserver.Rule{Lane: "sub", When: modelserver.TaskSays("TASK-IN-THE-BACK"), Steps: []modelserver.Step{
			modelserver.After(gate, w.call("kanban_begin_work", args{"issue_key": issueKey})), say("The task is done."),
		}},
		modelserver.Rule{Lane: "main", Steps: []modelserver.Step{h.agent("TASK-IN-THE-BACK", true), say("Started it.")}, Then: say("Another answer.")},
	)
	t, _, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := t.ask(ctx, h, "start the task"); err != nil {
		return err
	}
	if err := w.until(ctx, "the subagent asks its model", func() (bool, error) { return len(w.requests("sub")) == 1, nil }); err != nil {
		return err
	}
	if err := t.ask(ctx, h, "something else"); err != nil {
		return err
	}
	close(gate)
	var child runRow
	err = w.until(ctx, "the subagent has ended", func() (bool, error) {
		rows, err := w.runs(ctx)
		if err != nil {
			return false, err
		}
		children := 0
		for _, r := range rows {
			if r.Kind == "subagent" {
				child = r
				children++
			}
		}
		if children > 1 {
			return false, fmt.Errorf("%d runs of subagents", children)
		}
		return child.State == "ended", nil
	})
	if err != nil {
		return err
	}
	return errors.Join(
		want("the subagent", child.short(), "subagent ended/completed "+issueKey),
		w.expectMoves(ctx, issueKey, "begin_work "+w.host.knows().identity),
		w.expectReached("sub", childText, 1),
	)
}
