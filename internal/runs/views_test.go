package runs_test

import (
	"context"
	"fmt"
	"testing"

	"board/internal/runs"
	"board/internal/store"
)

// observe delivers an event of a host.
func (s *scene) observe(o runs.Observation) {
	s.t.Helper()
	o.ReceivedAt = s.clock.Now().UnixMilli()
	s.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := runs.Observe(ctx, tx, o, nil)
		return err
	})
}

// codex is an event of a session of Codex, on a person's machine.
func codex(kind runs.ObservationKind, session, turn, version string, project int64) runs.Observation {
	return runs.Observation{
		Kind: kind, Key: runs.Key{Host: runs.Codex, Session: session, Turn: turn}, RawTurn: turn, Version: version, ProjectID: project,
		ExecutionHost: runs.Desktop, ExecutionBasis: "host_process",
	}
}

func TestStopsAreCountedByTheVersionOfTheHostAsMetAndLost(t *testing.T) {
	s := newScene(t)
	want := func(when, want string) {
		t.Helper()
		s.write(func(ctx context.Context, tx *store.Tx) error {
			list, err := runs.StopCounts(ctx, tx)
			if got := fmt.Sprintf("%+v", list); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
			return err
		})
	}
	want("nothing is stored", "[]")
	s.observe(codex(runs.OnPrompt, "a", "1", "1.0", 7))
	want("no Stop yet", "[{Host:codex Version:1.0 Runs:1 Matched:0 Lost:0 InRow:0}]")
	s.observe(codex(runs.OnStop, "a", "1", "1.0", 7))
	s.observe(codex(runs.OnStop, "a", "another", "1.0", 7))
	s.observe(codex(runs.OnStop, "b", "1", "1.1", 7))
	want("two Stops of no run", "[{Host:codex Version:1.0 Runs:1 Matched:1 Lost:1 InRow:0} {Host:codex Version:1.1 Runs:0 Matched:0 Lost:1 InRow:1}]")
}

func TestVerdictsAreCountedAsTheyAreRead(t *testing.T) {
	s := newScene(t)
	want := func(when, want string) {
		t.Helper()
		s.write(func(ctx context.Context, tx *store.Tx) error {
			list, err := runs.VerdictCounts(ctx, tx)
			if got := fmt.Sprintf("%+v", list); got != want {
				t.Errorf("%s: %s, want %s", when, got, want)
			}
			return err
		})
	}
	want("nothing is stored", "[]")
	late := codex(runs.OnEdit, "a", "1", "1.0", 7)
	late.Edits = []runs.Edit{{ProjectID: 8, Path: "a.go"}}
	s.observe(late)
	want("its prompt is missing", "[{ProjectID:7 Verdict:indeterminate Missing:registration N:1} {ProjectID:8 Verdict:indeterminate Missing:registration N:1}]")
	s.observe(codex(runs.OnPrompt, "a", "1", "1.0", 7))
	s.observe(codex(runs.OnPrompt, "b", "1", "1.0", 7))
	nowhere := codex(runs.OnPrompt, "c", "1", "1.0", 8)
	nowhere.ExecutionHost = runs.Nowhere
	s.observe(nowhere)
	want("three prompts", "[{ProjectID:7 Verdict:supported Missing: N:2} {ProjectID:8 Verdict:supported Missing: N:1} {ProjectID:8 Verdict:indeterminate Missing:execution_host N:1}]")

	s.write(func(ctx context.Context, tx *store.Tx) error {
		list, err := runs.List(ctx, tx, tx.Now, runs.RunFilter{Session: "a"})
		if got := fmt.Sprintf("%+v", list[0].Projects); got != "[{ProjectID:7 Verdict:supported Missing: Evidence:0} {ProjectID:8 Verdict:supported Missing: Evidence:1}]" {
			t.Errorf("the scopes of a run: %s", got)
		}
		return err
	})
}
