package main

import (
	"context"
	"errors"
	"fmt"

	"board/internal/modelserver"
)

// pair: two sessions work at once, and neither takes what the other has.
func pair(ctx context.Context, w *world, second string) error {
	if err := errors.Join(w.person(ctx, addArgs()...), w.person(ctx, "add", "Show the tax")); err != nil {
		return err
	}
	other := prefix + "-2"
	gate := make(chan struct{})
	ahead := say("Working.")
	w.script(
		modelserver.Rule{Lane: "one", When: saysAnywhere("SESSION-ONE"), Steps: []modelserver.Step{
			w.call("kanban_begin_work", args{"issue_key": issueKey}), modelserver.After(gate, ahead),
		}},
		modelserver.Rule{Lane: "two", When: saysAnywhere("SESSION-TWO"), Steps: []modelserver.Step{
			w.call("kanban_begin_work", args{"issue_key": issueKey}), w.call("kanban_begin_work", args{"issue_key": other}), modelserver.After(gate, ahead),
		}},
	)
	one, err := w.begin(w.Repo, "SESSION-ONE", false)
	if err != nil {
		return err
	}
	asked := func(lane string, n int) func() (bool, error) {
		return func() (bool, error) { return len(w.requests(lane)) == n, nil }
	}
	if err := w.until(ctx, "the first session has begun", asked("one", 2)); err != nil {
		return err
	}
	two, err := w.begin(second, "SESSION-TWO", false)
	if err != nil {
		return err
	}
	if err := w.until(ctx, "the second session has begun", asked("two", 3)); err != nil {
		return err
	}
	err = errors.Join(
		w.expectRuns(ctx, "root running "+issueKey, "root running "+other),
		want("the second was refused", w.requests("two")[1].Contains("held_by_other"), true),
	)
	close(gate)
	if err := errors.Join(err, one.mustEnd(ctx), two.mustEnd(ctx)); err != nil {
		return err
	}
	id := w.host.knows().identity
	return errors.Join(
		w.untilRuns(ctx, "root ended/completed "+issueKey, "root ended/completed "+other),
		w.expectMoves(ctx, issueKey, "begin_work "+id),
		w.expectMoves(ctx, other, "begin_work "+id),
	)
}

func twoSessions(ctx context.Context, w *world) error { return pair(ctx, w, w.Repo) }

func twoTrees(ctx context.Context, w *world) error {
	tree := w.path("second")
	if err := w.command(ctx, w.Repo, "git", "worktree", "add", "-q", "-b", "second", tree); err != nil {
		return err
	}
	if err := pair(ctx, w, tree); err != nil {
		return err
	}
	commit, err := w.head(ctx, w.Repo)
	return errors.Join(
		err,
		w.expectWhere(ctx, 0, place{w.Repo, "main", commit, commit}),
		w.expectWhere(ctx, 1, place{tree, "second", commit, commit}),
	)
}

// saysAnywhere fits the requests with tools in which a text reached the model.
func saysAnywhere(text string) func(*modelserver.Request) bool {
	return func(r *modelserver.Request) bool { return r.HasTools() && r.Contains(text) }
}

// delegated: a subagent has its own run. It may begin an Issue, and is refused the closure, which its root may have.
func delegated(ctx context.Context, w *world) error {
	if err := w.person(ctx, addArgs()...); err != nil {
		return err
	}
	h, ok := w.host.(delegating)
	if !ok {
		return errors.New("no subagents here")
	}
	steps := append([]modelserver.Step{h.agent("TASK-OF-A-CHILD", false)}, h.waits()...)
	w.script(
		modelserver.Rule{Lane: "sub", When: modelserver.TaskSays("TASK-OF-A-CHILD"), Steps: []modelserver.Step{
			w.call("kanban_begin_work", args{"issue_key": issueKey}), w.closes(issueKey), say("The task is done."),
		}},
		mainLane(append(steps, say("All done."), say("All done, as I said."))...),
	)
	if _, err := w.turn(ctx, "delegate it", false); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/completed", "subagent ended/completed "+issueKey); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	sub := w.requests("sub")
	i, err := w.issue(ctx, issueKey)
	return errors.Join(
		err,
		want("the parent", rows[1].Parent, rows[0].Run),
		want("who holds it", i.Claim.Run, rows[1].Run),
		w.expectIssue(ctx, issueKey, "in_progress"),
		w.expectMoves(ctx, issueKey, "begin_work "+w.host.knows().identity),
		want("the refusal", sub[len(sub)-1].Contains("root_only"), true),
		w.expectReached("sub", childText, 1),
		want("requests of the subagent", fmt.Sprint(len(sub)), "3"),
	)
}
