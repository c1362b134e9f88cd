package issues

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

type dice struct{ *rand.Rand }

func (d dice) pick(_ string, n int) int { return d.IntN(n) }
func (d dice) Logf(string, ...any)      {}

// disagreement walks up to n steps with the model and the table, and returns the first difference and its step.
func disagreement(rs []rule, seed uint64, n int) (int, error) {
	c := dice{rand.New(rand.NewPCG(seed, 7))}
	const each = 400
	for i := 0; i < n; i += each {
		m := newModel(1_000_000, 3)
		s := newSimulation(m, rs)
		for k := range each {
			if err := walk(m, s, c); err != nil {
				return i + k, err
			}
		}
	}
	return n, nil
}

func TestTableAgreesWithTheModel(t *testing.T) {
	if at, err := disagreement(rules(), 1, 60_000); err != nil {
		t.Fatalf("step %d: %v", at, err)
	}
}

// TestNothingInTheTableIsIdle takes away every rule, every state that a rule starts from, and every check of a rule, one
// at a time: the model must notice each of them.
func TestNothingInTheTableIsIdle(t *testing.T) {
	var mutants, slowest, steps int
	notice := func(name string, rs []rule) {
		mutants++
		at, err := disagreement(rs, 2, 200_000)
		if err == nil {
			t.Errorf("%s is missing, and nothing noticed", name)
		}
		slowest = max(slowest, at)
		steps += at
	}
	for i, r := range rules() {
		if r.on == Create { // the model begins with Issues that exist
			st := newStage(t)
			st.svc.table = table(slices.Delete(rules(), i, i+1))
			if _, err := st.svc.Create(context.Background(), st.actor(person), CreateCmd{ProjectID: st.project, Title: "t"}); err == nil {
				t.Error("create is missing, and nothing noticed")
			}
			continue
		}
		notice(fmt.Sprintf("%s from %v", r.on, r.from), slices.Delete(rules(), i, i+1))
		for j, from := range r.from {
			if len(r.from) == 1 {
				break
			}
			rs := rules()
			rs[i].from = slices.Delete(slices.Clone(r.from), j, j+1)
			notice(fmt.Sprintf("%s from %s", r.on, from), rs)
		}
		for j, c := range r.checks {
			rs := rules()
			rs[i].checks = slices.Delete(slices.Clone(r.checks), j, j+1)
			notice(fmt.Sprintf("%s from %v: %s", r.on, r.from, c.name), rs)
		}
	}
	t.Logf("%d mutants, noticed after %d steps on average, %d at most", mutants, steps/mutants, slowest)
}
