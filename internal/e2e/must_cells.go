package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"board/internal/modelserver"
)

// join brings board into a bare world.
func (w *world) join(ctx context.Context) error {
	if err := w.person(ctx, "init", "--prefix", prefix, "--no-input"); err != nil {
		return err
	}
	return w.install(ctx)
}

// counted: how many requests board adds to the turns of a session with a person, against the same session without board.
func counted(ctx context.Context, w *world) error {
	alone, err := countSession(ctx, w, false)
	if err != nil {
		return fmt.Errorf("without board: %w", err)
	}
	if err := errors.Join(w.join(ctx), w.person(ctx, addArgs()...)); err != nil {
		return err
	}
	with, err := countSession(ctx, w, true)
	if err != nil {
		return fmt.Errorf("with board: %w", err)
	}
	var report []string
	for i, t := range sessionTurns(w, true) {
		added := with[i] - alone[i]
		report = append(report, fmt.Sprintf("%s +%d", t.what, added))
		if added < 0 || added > t.most {
			err = errors.Join(err, fmt.Errorf("%s: %d requests more than without board, at most %d", t.what, added, t.most))
		}
	}
	w.note("requests that board adds: %s", strings.Join(report, ", "))
	return errors.Join(err, w.expectIssue(ctx, issueKey, "in_review"))
}

// countedTurn is a turn, and how many requests board may add to it.
type countedTurn struct {
	what, prompt string
	most         int
	steps        []modelserver.Step
}

func sessionTurns(w *world, board bool) []countedTurn {
	closing := []modelserver.Step{say("Closed.")}
	if board {
		closing = []modelserver.Step{w.call("kanban_begin_work", args{"issue_key": issueKey}), w.closes(issueKey), say("Closed.")}
	}
	return []countedTurn{
		{"first question", "what is this", 1, []modelserver.Step{say("A shop.")}},
		{"later question", "who owns it", 0, []modelserver.Step{say("Nobody knows.")}},
		{"another", "since when", 0, []modelserver.Step{say("Nobody knows.")}},
		{"!cmd", "!echo out-of-turn", 0, nil},
		{"edits", "edit the cart", 1, []modelserver.Step{use(w.host.edit(w, fmt.Sprintf("cart-%t.txt", board), "empty\n")), say("Edited.")}},
		{"begins and closes", "finish it", 2, closing},
	}
}

// countSession counts the requests of each turn of a session.
func countSession(ctx context.Context, w *world, board bool) (counts []int, err error) {
	t, h, err := w.sit(ctx)
	if err != nil {
		return nil, err
	}
	for _, turn := range sessionTurns(w, board) {
		before := len(w.requests(""))
		w.script(modelserver.Rule{Lane: "main", Steps: turn.steps, Then: say("As I said.")})
		switch {
		case strings.HasPrefix(turn.prompt, "!"):
			err = t.say(ctx, turn.prompt)
			if err == nil { // the command again, and what it printed
				err = w.until(ctx, "the command has run", func() (bool, error) {
					return strings.Count(t.screen(), strings.TrimPrefix(turn.prompt, "!echo ")) > 1, nil
				})
			}
			if err == nil {
				err = pause(ctx, time.Second) // a host that tells its model of it does so now
			}
			if err == nil {
				err = t.idle(ctx, h)
			}
		case board:
			err = t.ask(ctx, h, turn.prompt)
		default:
			if err = t.send(ctx, turn.prompt); err == nil {
				err = t.idle(ctx, h)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", turn.what, err)
		}
		counts = append(counts, len(w.requests(""))-before)
	}
	return counts, t.close()
}

// sameOutput: what the caller of a headless run reads is the same with board and without, also where the agent was asked.
func sameOutput(ctx context.Context, w *world) error {
	turns := func() map[string][]modelserver.Step {
		return map[string][]modelserver.Step{
			"a question": {say("It is a shop.")},
			"a command":  {use(w.host.shell("echo hi")), say("Ran it.")},
			"an edit":    {use(w.host.edit(w, "cart.txt", "empty\n")), say("Wrote it, and all is well."), sayAgain},
		}
	}
	read := map[string]string{}
	for _, board := range []bool{false, true} {
		if board {
			if err := errors.Join(w.remove("cart.txt"), w.join(ctx)); err != nil {
				return err
			}
		}
		for prompt, steps := range turns() {
			w.script(mainLane(steps...))
			said, err := w.turn(ctx, prompt, false)
			if err != nil {
				return err
			}
			said += " | " + fileText(w.path("last.txt")) // what codex exec -o writes
			if !board {
				read[prompt] = said
			} else if err := want(prompt+": what the caller reads with board", said, read[prompt]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sayAgain says what the agent said last, as the Stop probe wants it.
func sayAgain(r *modelserver.Request) modelserver.Reply {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == "assistant" && m.Text != "" {
			return modelserver.Reply{Text: m.Text}
		}
	}
	return modelserver.Reply{Text: "nothing was said"}
}

// attributed: after /clear, in a subagent and after a resume every call acts for the run that makes it, also when the model
// remembers the id of another.
func attributed(ctx context.Context, w *world) error {
	h, ok := w.host.(complete)
	if !ok {
		return errors.New("no terminal")
	}
	for _, title := range []string{"One", "Two", "Three"} {
		if err := w.person(ctx, "add", title); err != nil {
			return err
		}
	}
	var first, second string // run ids, as the model was told them
	bare := func(tool string, a args) modelserver.Step { return use(h.tool(tool, a)) }
	keep := func(id *string, then modelserver.Step) modelserver.Step {
		return func(r *modelserver.Request) modelserver.Reply {
			*id = readLine(r).run
			return then(r)
		}
	}
	w.script(modelserver.Rule{Lane: "main", Steps: []modelserver.Step{keep(&first, bare("kanban_begin_work", args{"issue_key": "SHOP-1"}))}, Then: say("Begun.")})
	t, _, err := w.sit(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(t.ask(ctx, h, "begin one"), t.say(ctx, "/clear"), t.idle(ctx, h)); err != nil {
		return err
	}
	stale := func(id *string, key string) modelserver.Step {
		return func(r *modelserver.Request) modelserver.Reply {
			return bare("kanban_begin_work", args{"issue_key": key, "run_id": *id})(r)
		}
	}
	steps := []modelserver.Step{keep(&second, stale(&first, "SHOP-2")), bare("kanban_begin_work", args{"issue_key": "SHOP-2"}), h.agent("TASK-OF-A-CHILD", false)}
	w.script(
		modelserver.Rule{Lane: "sub", When: modelserver.TaskSays("TASK-OF-A-CHILD"), Steps: []modelserver.Step{bare("kanban_begin_work", args{"issue_key": "SHOP-3"})}},
		modelserver.Rule{Lane: "cleared", Steps: append(steps, h.waits()...), Then: say("Begun.")},
	)
	if err := t.ask(ctx, h, "begin two"); err != nil {
		return err
	}
	// A host may put a subagent in the background although it was not told to.
	err = w.until(ctx, "the subagent has ended", func() (bool, error) {
		rows, err := w.runs(ctx)
		return len(rows) > 2 && rows[2].State == "ended", err
	})
	if err := errors.Join(err, t.idle(ctx, h), t.close()); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	before := len(rows) // a background subagent wakes its root once more
	w.script(modelserver.Rule{Lane: "resumed", Steps: []modelserver.Step{stale(&second, "SHOP-1"), bare("kanban_pause", args{"issue_key": "SHOP-1", "reason": "handoff", "text": "as it is"})}, Then: say("Paused.")})
	p, err := w.start(w.Repo, w.hostEnv(), w.program, h.resumes(w, rows[0].Session, "pause one")...)
	if err != nil {
		return err
	}
	if err := p.mustEnd(ctx); err != nil {
		return err
	}
	if rows, err = w.runs(ctx); err != nil || len(rows) != before+1 {
		return errors.Join(err, fmt.Errorf("one more run than %d, got %+v", before, rows))
	}
	resumed := rows[before]
	return errors.Join(
		want("the id of the cleared session's run was refused", w.requests("cleared")[1].Contains("not_your_run"), true),
		want("the id of the newer session's run was refused", w.requests("resumed")[1].Contains("not_your_run"), true),
		want("the session goes on", resumed.Session, rows[0].Session),
		w.expectActors(ctx, "SHOP-1", "begin_work "+rows[0].Run+" proven", "pause "+resumed.Run+" proven"),
		w.expectActors(ctx, "SHOP-2", "begin_work "+rows[1].Run+" proven"),
		w.expectActors(ctx, "SHOP-3", "begin_work "+rows[2].Run+" proven"),
		want("who began three", rows[2].Kind, "subagent"),
	)
}

// answered: one turn that gets every kind of answer that board gives, and a resumed one. That the host would complain is
// shown by a hook that is not board's, and answers badly.
func answered(ctx context.Context, w *world) error {
	h, ok := w.host.(complete)
	if !ok {
		return errors.New("no subagents here")
	}
	steps := append([]modelserver.Step{use(h.edit(w, "cart.txt", "empty\n")), h.agent("TASK-OF-A-CHILD", false)}, h.waits()...)
	w.script(
		modelserver.Rule{Lane: "sub", When: modelserver.TaskSays("TASK-OF-A-CHILD"), Then: say("The task is done.")},
		modelserver.Rule{Lane: "main", Steps: steps, Then: say("Done.")},
	)
	if _, err := w.turn(ctx, "everything", false); err != nil {
		return err
	}
	err := errors.Join(
		w.expectReached("main", rulesText, 1),
		w.expectReached("main", probeText, 1),
		w.expectReached("sub", childText, 1),
	)
	if _, rerr := w.turn(ctx, "and again", true); err != nil || rerr != nil {
		return errors.Join(err, rerr)
	}
	times := len(h.hookTimes(w))
	if times < 8 {
		return fmt.Errorf("the host speaks of %d hooks only", times)
	}
	if err := w.expectNoComplaints(); err != nil {
		return err
	}
	if err := h.badHook(w); err != nil {
		return err
	}
	if _, err := w.turn(ctx, "with a bad hook", false); err != nil {
		return err
	}
	w.quiet = true
	return want("complaints about a hook that answers badly", len(h.complaints(w)) > 0, true)
}

// doctor is the part of board doctor --json that the suite looks at.
type doctor struct {
	Hosts []struct {
		Host   string
		Silent bool `json:"hooks_silent"`
		Seen   []struct{ Event string }
	}
	Findings []struct{ Level, Subject, Check, Text string }
}

// diagnosis reads what a command of the doctor says, which exits 1 when something is wrong.
func (w *world) diagnosis(ctx context.Context, args ...string) (d doctor, err error) {
	out := w.Board(ctx, append(args, "--json")...)
	doc := struct{ Data *doctor }{&d}
	if err := json.Unmarshal([]byte(out.Stdout), &doc); err != nil {
		return d, fmt.Errorf("board %s: %w: %s%s", strings.Join(args, " "), err, out.Stdout, out.Stderr)
	}
	return d, nil
}

// cost: a turn of many tools, while nothing else of the suite runs.
func cost(ctx context.Context, w *world) error {
	var steps []modelserver.Step
	for i := range 12 {
		steps = append(steps, use(w.host.shell(fmt.Sprintf("echo %d", i))))
	}
	w.script(modelserver.Rule{Lane: "main", Steps: steps, Then: say("Done.")})
	if _, err := w.turn(ctx, "run all of it", false); err != nil {
		return err
	}
	if n := len(w.host.hookTimes(w)); n < 12 {
		return fmt.Errorf("the host speaks of %d hooks only", n)
	}
	return nil
}
