package main

import (
	"context"
	"errors"
	"fmt"

	"board/internal/modelserver"
)

func (openCode) cells() map[string]cell {
	return map[string]cell{
		"plain":        {run: plainTurn},
		"edit":         {run: editTurn},
		"probe":        {never: "its plugins cannot keep a turn going: a prompt at its end is lost without a terminal, and a message of the person's with one; board asks nothing there"},
		"proven":       {run: proven, never: "calls over MCP carry neither a session nor the id of the call, so begin_work and request_closure go through recorded as declared (shown)"},
		"subagent":     {run: delegated},
		"background":   {run: inTheBack},
		"devserver":    {run: afterServer},
		"resume":       {run: resumed},
		"interrupt":    {run: aborted},
		"failure":      {run: refused},
		"kill":         {run: killed},
		"compaction":   {run: summarised},
		"clear":        {never: "it has no clearing of a session: /new is a session of its own, and nothing is told of it before its first prompt"},
		"two sessions": {run: twoSessions},
		"worktrees":    {run: twoTrees},
		"gone":         {run: gone},
		"probe off":    {run: probeOff},
		"requests":     {run: countedOverAPI},
		"presence":     {run: presentOverAPI, alone: true},
		"broken":       {run: brokenBoard},
		"plugin":       {run: pluginTable, bare: true},
		costly:         {run: promptsAlone, alone: true},
	}
}

// inSession runs something in a session of a served host.
func inSession(ctx context.Context, w *world, act func(s *service, session string) error) error {
	s, err := w.serve(ctx)
	if err != nil {
		return err
	}
	id, err := s.session(ctx)
	if err != nil {
		return err
	}
	return act(s, id)
}

// inTheBack: a subagent works on while its root answers another prompt, and its result comes back as a prompt that no
// person wrote.
func inTheBack(ctx context.Context, w *world) error {
	if err := w.person(ctx, addArgs()...); err != nil {
		return err
	}
	gate := make(chan struct{})
	w.script(
		modelserver.Rule{Lane: "sub", When: modelserver.TaskSays("TASK-IN-THE-BACK"), Steps: []modelserver.Step{
			modelserver.After(gate, w.call("kanban_begin_work", args{"issue_key": issueKey})), say("The task is done."),
		}},
		modelserver.Rule{Lane: "main", Steps: []modelserver.Step{openCode{}.agent("TASK-IN-THE-BACK", true), say("Started it.")}, Then: say("Another answer.")},
	)
	return inSession(ctx, w, func(s *service, id string) error {
		if err := s.prompt(ctx, id, "start the task"); err != nil {
			return err
		}
		if err := w.until(ctx, "the subagent asks its model", func() (bool, error) { return len(w.requests("sub")) == 1, nil }); err != nil {
			return err
		}
		if err := s.prompt(ctx, id, "something else"); err != nil {
			return err
		}
		if err := w.untilRuns(ctx, "root ended/completed", "subagent running", "root ended/completed"); err != nil {
			return err
		}
		close(gate)
		err := w.untilRuns(ctx, "root ended/completed", "subagent ended/completed "+issueKey, "root ended/completed", "root ended/completed")
		if err != nil {
			return err
		}
		rows, err := w.runs(ctx)
		if err != nil {
			return err
		}
		return errors.Join(
			want("the parent of the subagent", rows[1].Parent, rows[0].Run),
			want("who prompted last", rows[3].Origin, "host"),
			w.expectMoves(ctx, issueKey, "begin_work declared"),
			w.expectReached("sub", childText, 1),
		)
	})
}

// afterServer: a server that a turn started goes on, and the turns end.
func afterServer(ctx context.Context, w *world) error {
	w.script(mainLane(use(openCode{}.shell("sleep 300 >/dev/null 2>&1 &")), say("It runs."), say("It still runs."), say("Yes.")))
	return inSession(ctx, w, func(s *service, id string) error {
		for _, prompt := range []string{"start the server", "does it run", "and now"} {
			if err := s.prompt(ctx, id, prompt); err != nil {
				return err
			}
		}
		return w.untilRuns(ctx, "root ended/completed", "root ended/completed", "root ended/completed")
	})
}

// aborted: a person interrupts an answer, then a command, and asks again.
func aborted(ctx context.Context, w *world) error {
	w.script(mainLane(modelserver.Slowly(), use(openCode{}.shell("touch began; sleep 60")), say("Fine.")))
	return inSession(ctx, w, func(s *service, id string) error {
		for i, prompt := range []string{"a long story", "a long command"} {
			wait := s.meanwhile(ctx, id, prompt)
			err := w.until(ctx, "the turn is under way", func() (bool, error) {
				return len(w.requests("main")) == i+1 && (i == 0 || fileThere(w.inRepo("began"))), nil
			})
			if err == nil {
				err = s.abort(ctx, id)
			}
			if err := errors.Join(err, wait()); err != nil {
				return err
			}
		}
		if err := s.prompt(ctx, id, "a short story"); err != nil {
			return err
		}
		return w.untilRuns(ctx, "root ended/interrupted", "root ended/interrupted", "root ended/completed")
	})
}

// refused: the model refuses the request, with a person and without one.
func refused(ctx context.Context, w *world) error {
	w.script(mainLane(modelserver.Fail(403), say("Fine."), modelserver.Fail(403)))
	err := inSession(ctx, w, func(s *service, id string) error {
		return errors.Join(s.prompt(ctx, id, "a question that fails"), s.prompt(ctx, id, "a question that does not"))
	})
	if err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/failed", "root ended/completed"); err != nil {
		return err
	}
	p, err := w.begin(w.Repo, "fail", false)
	if err != nil {
		return err
	}
	if _, err := p.end(ctx); err != nil {
		return err
	}
	return w.untilRuns(ctx, "root ended/failed", "root ended/completed", "root ended/failed")
}

// summarised: the rules are told again with the first prompt after a compaction, and in the middle of a turn in which the
// host compacts by itself. That turn stays one.
func summarised(ctx context.Context, w *world) error {
	w.script(mainLane(
		say("First answer."), say("Second answer."),
		func(*modelserver.Request) modelserver.Reply {
			return modelserver.Reply{Calls: []modelserver.Call{openCode{}.shell("echo one")}, Tokens: 99000} // of 100000
		},
		say("Third answer."),
	))
	return inSession(ctx, w, func(s *service, id string) error {
		if err := errors.Join(s.prompt(ctx, id, "a first question"), s.compact(ctx, id), s.prompt(ctx, id, "a second question")); err != nil {
			return err
		}
		newest := func() modelserver.Request {
			all := w.requests("main")
			return all[len(all)-1]
		}
		after := newest()
		err := errors.Join(
			want("the old prompt is gone", after.Contains("a first question"), false),
			w.expectReached("main", rulesText, 1),
			s.prompt(ctx, id, "a third question"),
		)
		if err != nil {
			return err
		}
		after = newest()
		return errors.Join(
			want("the third prompt is gone", after.Contains("a third question"), false),
			w.expectReached("main", rulesText, 1),
			w.untilRuns(ctx, "root ended/completed", "root ended/completed", "root ended/completed"),
		)
	})
}

// countedOverAPI counts the requests of a session that a client of the host asks.
func countedOverAPI(ctx context.Context, w *world) error {
	return inSession(ctx, w, func(s *service, id string) error {
		return countedQuestions(ctx, w,
			func(_ int, what string) error { return s.prompt(ctx, id, what) },
			func() error { return s.bang(ctx, id, "echo hi") })
	})
}

// promptsAlone: many prompts, while nothing else of the suite runs. Only a prompt waits for board here.
func promptsAlone(ctx context.Context, w *world) error {
	w.script(modelserver.Rule{Lane: "main", Then: say("Fine.")})
	return inSession(ctx, w, func(s *service, id string) error {
		for i := range 12 {
			if err := s.prompt(ctx, id, fmt.Sprint("question ", i)); err != nil {
				return err
			}
		}
		return want("prompts that were timed", len(w.host.hookTimes(w)), 12)
	})
}
