package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"board/internal/modelserver"
)

// The scenarios in this file are the same on every host that can do them.

// plainTurn: one question, one answer, and no question of board.
func plainTurn(ctx context.Context, w *world) error {
	w.script(mainLane(say("Hello from the model.")))
	said, err := w.turn(ctx, "say hello", false)
	if err != nil {
		return err
	}
	err = errors.Join(
		want("the answer", said, "Hello from the model."),
		want("requests with tools", len(w.requests("")), 1),
		w.expectReached("main", rulesText, 1),
		w.untilRuns(ctx, "root ended/completed"),
	)
	if err != nil {
		return err
	}
	commit, err := w.head(ctx, w.Repo)
	return errors.Join(err, w.expectWhere(ctx, 0, place{w.Repo, "main", commit, commit}))
}

// editTurn: a turn that changes a file of the project, and commits it. Its host is asked once where board asks about edits.
func editTurn(ctx context.Context, w *world) error {
	const commit = "git add cart.txt && git -c user.name=dev -c user.email=dev@example.com commit -q -m cart"
	w.script(mainLane(use(w.host.edit(w, "cart.txt", "empty\n")), use(w.host.shell(commit)), say("Wrote it."), say("Wrote it, and nothing is left.")))
	before, err := w.head(ctx, w.Repo)
	if err != nil {
		return err
	}
	words := w.host.headless(w, "write the file", false)
	if h, ok := w.host.(sandboxing); ok {
		words = append(words, h.free()...)
	}
	p, err := w.start(w.Repo, w.hostEnv(), w.program, words...)
	if err != nil {
		return err
	}
	if err := p.mustEnd(ctx); err != nil {
		return err
	}
	asked := 0
	if w.host.knows().asksEdits {
		asked = 1
	}
	err = errors.Join(
		w.untilRuns(ctx, "root ended/completed"),
		want("requests with tools", len(w.requests("")), 3+asked),
		w.expectReached("main", probeText, asked),
	)
	if err != nil {
		return err
	}
	after, err := w.head(ctx, w.Repo)
	if err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	return errors.Join(
		err,
		want("the shell has committed", after != before, true),
		w.expectWhere(ctx, 0, place{w.Repo, "main", before, after}),
		want("evidence", rows[0].Scopes[0].Evidence, 1),
	)
}

// proven: the scripted model begins an Issue and requests its closure over the connection of the real host.
func proven(ctx context.Context, w *world) error {
	if err := w.person(ctx, addArgs()...); err != nil {
		return err
	}
	w.script(mainLane(
		w.call("kanban_begin_work", args{"issue_key": issueKey}),
		w.closes(issueKey),
		say("Asked for closure."),
		say("Asked for closure, as before."),
	))
	if _, err := w.turn(ctx, "do the work", false); err != nil {
		return err
	}
	id := w.host.knows().identity
	return errors.Join(
		w.expectIssue(ctx, issueKey, "in_review"),
		w.expectMoves(ctx, issueKey, "begin_work "+id, "request_closure "+id),
		w.untilRuns(ctx, "root ended/completed"),
	)
}

// probeOff: the policy says that nobody is asked, whatever a turn did.
func probeOff(ctx context.Context, w *world) error {
	if err := w.person(ctx, "config", "set", "probe", "off"); err != nil {
		return err
	}
	w.script(mainLane(use(w.host.edit(w, "cart.txt", "empty\n")), say("Wrote it.")))
	said, err := w.turn(ctx, "write the file", false)
	if err != nil {
		return err
	}
	return errors.Join(
		want("the answer", said, "Wrote it."),
		want("requests with tools", len(w.requests("")), 2),
		w.expectReached("main", probeText, 0),
		w.untilRuns(ctx, "root ended/completed"),
	)
}

// gone: the programs are removed under installed hooks. Nothing of it reaches the model, and nothing is blocked.
func gone(ctx context.Context, w *world) error {
	if err := w.removePrograms(); err != nil {
		return err
	}
	w.script(mainLane(use(w.host.shell("echo hi")), say("It works.")))
	said, err := w.turn(ctx, "say hello", false)
	if err != nil {
		return err
	}
	if !strings.Contains(said, "It works.") {
		return fmt.Errorf("the answer: %q", said)
	}
	w.quiet = true // of course it complains
	for _, r := range w.requests("") {
		if r.Contains("board-hook") {
			return errors.New("the model reads about the missing program")
		}
	}
	return want("requests with tools", len(w.requests("")), 2)
}

// countedQuestions: board adds no request to anything on a host where it asks nothing. ask asks the i-th question; bang, if
// it can be done, is a command that a person types.
func countedQuestions(ctx context.Context, w *world, ask func(i int, what string) error, bang func() error) error {
	if err := w.person(ctx, addArgs()...); err != nil {
		return err
	}
	var report []string
	for i, t := range []struct {
		what  string
		alone int // requests without board; nothing for a command
		steps []modelserver.Step
	}{
		{"first question", 1, []modelserver.Step{say("A shop.")}},
		{"later question", 1, []modelserver.Step{say("Nobody knows.")}},
		{"!cmd", 0, nil},
		{"edits", 2, []modelserver.Step{use(w.host.edit(w, "cart.txt", "empty\n")), say("Edited.")}},
		{"begins and closes", 3, []modelserver.Step{w.call("kanban_begin_work", args{"issue_key": issueKey}), w.closes(issueKey), say("Closed.")}},
	} {
		act := func() error { return ask(i, t.what) }
		if t.steps == nil {
			act = bang
		}
		if act == nil {
			continue
		}
		before := len(w.requests(""))
		w.script(mainLane(t.steps...))
		if err := act(); err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
		added := len(w.requests("")) - before - t.alone
		report = append(report, fmt.Sprintf("%s +%d", t.what, added))
		if added != 0 {
			return fmt.Errorf("%s: %d requests added", t.what, added)
		}
	}
	w.note("%s", strings.Join(report, ", "))
	return errors.Join(
		w.expectIssue(ctx, issueKey, "in_review"),
		w.untilRuns(ctx, "root ended/completed", "root ended/completed", "root ended/completed", "root ended/completed"),
	)
}
