package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What the command line says with --json, as far as the suite looks at it.
type (
	runRow struct {
		Run, Host, Session, Turn, Agent, Parent, Kind, Origin, State, Outcome, End, Issue, Project, Reason string
		Worktree, Branch, Resume                                                                           string
		Where                                                                                              string `json:"execution_host"`
		HeadStart                                                                                          string `json:"head_start"`
		HeadEnd                                                                                            string `json:"head_end"`
		Revision                                                                                           int64
		Scopes                                                                                             []struct {
			Project, Capability, Missing string
			Evidence                     int64
		}
	}
	issueRow struct {
		Key, State string
		Revision   int64
		Claim      struct{ State, Run, Host string }
	}
	logRow struct {
		Key, Event, Actor, Identity, From, To string
	}
	sessionRow struct {
		Host, Session, State, End, Reason, Resume string
		Stretch, Runs                             int64
	}
)

// person runs a command of a person, which must succeed.
func (w *world) person(ctx context.Context, args ...string) error {
	out := w.Board(ctx, args...)
	if out.Err != nil {
		return fmt.Errorf("board %s: %w: %s%s", strings.Join(args, " "), out.Err, out.Stdout, out.Stderr)
	}
	return nil
}

// read reads the data of a command with --json.
func (w *world) read(ctx context.Context, data any, args ...string) error {
	out := w.Board(ctx, append(args, "--json")...)
	if out.Err != nil {
		return fmt.Errorf("board %s: %w: %s", strings.Join(args, " "), out.Err, out.Stderr)
	}
	doc := struct{ Data any }{data}
	if err := json.Unmarshal([]byte(out.Stdout), &doc); err != nil {
		return fmt.Errorf("board %s --json: %w: %.200s", strings.Join(args, " "), err, out.Stdout)
	}
	return nil
}

// runs are all runs, oldest first.
func (w *world) runs(ctx context.Context) ([]runRow, error) {
	var rows []runRow
	err := w.read(ctx, &rows, "runs", "-L", "100")
	slices.Reverse(rows)
	return rows, err
}

func (w *world) issue(ctx context.Context, key string) (i issueRow, err error) {
	return i, w.read(ctx, &i, "show", key)
}

func (w *world) history(ctx context.Context, key string) (rows []logRow, err error) {
	err = w.read(ctx, &rows, "log", key)
	slices.Reverse(rows)
	return rows, err
}

func (w *world) sessions(ctx context.Context) (rows []sessionRow, err error) {
	err = w.read(ctx, &rows, "sessions")
	slices.Reverse(rows)
	return rows, err
}

// short is a run in the words of the expectations: kind, state and outcome.
func (r runRow) short() string {
	s := r.Kind + " " + r.State
	if r.Outcome != "" {
		s += "/" + r.Outcome
	}
	if r.Issue != "" {
		s += " " + r.Issue
	}
	return s
}

// expectRuns compares all runs, oldest first, in the words of short.
func (w *world) expectRuns(ctx context.Context, want ...string) error {
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	got := make([]string, 0, len(rows))
	for _, r := range rows {
		got = append(got, r.short())
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("runs: got %q, want %q", got, want)
	}
	return nil
}

// untilRuns waits for what expectRuns wants: some hosts tell of an end only after it.
func (w *world) untilRuns(ctx context.Context, want ...string) error {
	var seen error
	err := w.until(ctx, "the runs are as expected", func() (bool, error) {
		seen = w.expectRuns(ctx, want...)
		return seen == nil, nil
	})
	if err != nil {
		return errors.Join(err, seen)
	}
	return nil
}

// expectIssue compares the state of an Issue.
func (w *world) expectIssue(ctx context.Context, key, state string) error {
	i, err := w.issue(ctx, key)
	return errors.Join(err, want("state of "+key, i.State, state))
}

// expectMoves compares the moves of an Issue, oldest first, as "event identity".
func (w *world) expectMoves(ctx context.Context, key string, moves ...string) error {
	return w.expectHistory(ctx, key, moves, func(r logRow) string { return r.Event + " " + r.Identity })
}

// expectActors compares who changed an Issue, oldest first, as "event actor identity".
func (w *world) expectActors(ctx context.Context, key string, moves ...string) error {
	return w.expectHistory(ctx, key, moves, func(r logRow) string { return r.Event + " " + r.Actor + " " + r.Identity })
}

func (w *world) expectHistory(ctx context.Context, key string, moves []string, words func(logRow) string) error {
	rows, err := w.history(ctx, key)
	if err != nil {
		return err
	}
	var got []string
	for _, r := range rows {
		if r.Event != "create" {
			got = append(got, words(r))
		}
	}
	if !slices.Equal(got, moves) {
		return fmt.Errorf("moves of %s: got %q, want %q", key, got, moves)
	}
	return nil
}

func want[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}
