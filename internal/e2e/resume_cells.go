package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"board/internal/modelserver"
)

// resumed: two prompts, the second in the session that the resume line of board names, are two runs of one line in two
// stretches. What the end of the first process left unsaid is told by its proof. Then a person copies the line.
func resumed(ctx context.Context, w *world) error {
	w.script(mainLane(say("The first answer."), say("The second answer.")))
	p, err := w.begin(w.Repo, "one", false)
	if err != nil {
		return err
	}
	if err := errors.Join(p.mustEnd(ctx), w.untilRuns(ctx, "root ended/completed")); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	line := strings.Fields(rows[0].Resume)
	if len(line) == 0 {
		return errors.New("board knows no line that goes on with the session")
	}
	id := line[len(line)-1]
	err = errors.Join(
		want("the program in the resume line", line[0], strings.TrimSuffix(filepath.Base(w.program), ".exe")),
		want("the session in the resume line", id, w.host.session(w, p)),
	)
	if err != nil {
		return err
	}
	if p, err = w.start(w.Repo, w.hostEnv(), w.program, w.host.resumes(w, id, "two")...); err != nil {
		return err
	}
	if err := errors.Join(p.mustEnd(ctx), w.untilRuns(ctx, "root ended/completed", "root ended/completed")); err != nil {
		return err
	}
	end := "ended observed"
	if w.host.knows().silentEnds {
		end = "ended host_gone"
	}
	err = errors.Join(
		w.expectStretches(ctx, end, end),
		w.expectReached("main", rulesText, 2), // the first is in the history
	)
	if err != nil {
		return err
	}
	if rows, err = w.runs(ctx); err != nil {
		return err
	}
	stretches, err := w.sessions(ctx)
	return errors.Join(
		err,
		want("one session", rows[0].Session == rows[1].Session, true),
		want("two turns", rows[0].Turn != rows[1].Turn, true),
		want("the resume line of the second run", rows[1].Resume, rows[0].Resume),
		want("the resume line of the session", stretches[1].Resume, rows[0].Resume),
		copied(ctx, w, line[1:]),
		w.expectStretches(ctx, end, end), // a start without a prompt is no session
	)
}

// copied: the resume line shows the person the session as it was left.
func copied(ctx context.Context, w *world, args []string) error {
	if h, ok := w.host.(seated); ok {
		args = append(args, h.seat(w)...)
	}
	t, err := w.open(ctx, args...)
	if err != nil {
		return err
	}
	return errors.Join(t.see(ctx, "The second answer."), t.close())
}

// expectStretches compares the stretches of all sessions, oldest first, as "active", "ended observed", or "ended" with the
// reason from which the end is inferred.
func (w *world) expectStretches(ctx context.Context, want ...string) error {
	rows, err := w.sessions(ctx)
	if err != nil {
		return err
	}
	var got []string
	for _, s := range rows {
		text := strings.Replace(s.State, "summarized", "ended", 1) // whoever writes next summarizes
		switch s.End {
		case "observed":
			text += " observed"
		case "inferred":
			text += " " + s.Reason
		}
		got = append(got, text)
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("stretches: got %q, want %q", got, want)
	}
	return nil
}

// killed: the host is killed in the middle of a turn, and the session goes on in another process. Where the process is
// proven its end is known as soon as it is gone, and what goes on is another stretch; else the next prompt ends the turn.
func killed(ctx context.Context, w *world) error {
	w.script(mainLane(use(w.host.shell("echo hi")), modelserver.Slowly(), say("Back again.")))
	p, err := w.begin(w.Repo, "work", false)
	if err != nil {
		return err
	}
	if err := w.until(ctx, "the model is asked twice", func() (bool, error) { return len(w.requests("main")) == 2, nil }); err != nil {
		return err
	}
	if err := errors.Join(w.expectRuns(ctx, "root running"), w.expectStretches(ctx, "active")); err != nil {
		return err
	}
	p.kill()
	if _, err := p.end(ctx); err != nil {
		return err
	}
	proven := w.host.knows().process
	first, stretches := "root running", []string{"active"}
	if proven {
		first, stretches = "root ended/unknown", []string{"ended host_gone"}
	}
	if err := errors.Join(w.expectRuns(ctx, first), w.expectStretches(ctx, stretches...)); err != nil {
		return fmt.Errorf("after the kill: %w", err)
	}
	if _, err := w.turn(ctx, "go on", true); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/unknown", "root ended/completed"); err != nil {
		return err
	}
	reason, end := "superseded", "ended observed"
	if w.host.knows().silentEnds {
		end = "ended host_gone"
	}
	if stretches = []string{end}; proven {
		reason, stretches = "host_gone", []string{"ended host_gone", end}
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	return errors.Join(
		want("one session", rows[0].Session == rows[1].Session, true),
		want("how the end of the killed turn is known", rows[0].End+" "+rows[0].Reason, "inferred "+reason),
		w.expectStretches(ctx, stretches...),
		w.expectReached("main", rulesText, 2), // the first is in the history
	)
}
