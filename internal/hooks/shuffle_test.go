package hooks_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"board/internal/hooks"
	"board/internal/lab"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// Hosts start a process per event, so events overtake each other, come twice or not at all. These tests deliver the
// recorded sessions so. BOARD_SEED replays what a failure printed.

const (
	shuffles     = 14  // of each recording
	slowShuffles = 130 // of each recording with BOARD_SLOW=1: 7,930 of 61 recordings
	day          = 24 * 60 * 60 * 1000
)

// session is one recorded session, decoded once.
type session struct {
	name string
	obs  []runs.Observation
}

// truth is what does not depend on the order of events.
type truth struct {
	keys     map[string]bool
	outcomes map[string]runs.Outcome // of the runs that an event ended
}

// facts says what the recording itself says, in terms of the specification alone: a registering event gives a key, and
// a Stop beats a failure beats an interrupt.
func (s session) facts() truth {
	tr := truth{map[string]bool{}, map[string]runs.Outcome{}}
	rank := map[runs.Outcome]int{runs.Interrupted: 1, runs.Failed: 2, runs.Completed: 3}
	rooted := map[string]bool{} // conversations of Cursor that are known to be no subagent
	for _, o := range s.obs {
		rooted[o.Key.Session] = rooted[o.Key.Session] || o.Kind == runs.OnSessionStart || o.Kind == runs.OnPrompt
	}
	for _, o := range s.obs {
		k := keyOf(o.Key)
		if o.Kind.Registers() && (o.Key.Host != runs.Cursor || o.Kind == runs.OnPrompt || o.Key.Turn == "" && rooted[o.Key.Session]) {
			tr.keys[k] = true
		}
		end := map[runs.ObservationKind]runs.Outcome{
			runs.OnStop: runs.Completed, runs.OnSubagentStop: runs.Completed, runs.OnFailure: runs.Failed, runs.OnInterrupt: runs.Interrupted,
		}[o.Kind]
		if rank[end] > rank[tr.outcomes[k]] {
			tr.outcomes[k] = end
		}
	}
	return tr
}

func keyOf(k runs.Key) string { return k.Session + "/" + k.Turn + "/" + k.Agent }

// rig is one store with a clock of its own. Every trial plays in sessions of its own, so one store serves them all.
type rig struct {
	t   *testing.T
	db  *store.DB
	now int64
	n   int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, now: 1_800_000_000_000}
	dir := t.TempDir()
	repo := filepath.Join(dir, "project")
	for _, d := range []string{".git/objects", ".claude/worktrees/feat1", "sub"} {
		if err := os.MkdirAll(filepath.Join(repo, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(repo, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Options{
		Path: filepath.Join(dir, "board.db"), Now: func() time.Time { return time.UnixMilli(r.now) }, Person: "dev", Machine: "lab",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r.db = db
	r.write(func(ctx context.Context, tx *store.Tx) error {
		if _, _, err := projects.Register(ctx, tx, repo, "SHOP", "shop"); err != nil {
			return err
		}
		return runs.SetConfig(ctx, tx, 0, "", "probe", "always")
	})
	r.write(func(ctx context.Context, tx *store.Tx) error {
		return runs.SetConfig(ctx, tx, 0, "", "probe_gap", "0s")
	})
	return r
}

func (r *rig) write(fn func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	if err := r.db.Write(r.t.Context(), fn); err != nil {
		r.t.Fatal(err)
	}
}

// load decodes every session of the hosts whose events say what belongs together: a counter is order.
func (r *rig) load() []session {
	r.t.Helper()
	var out []session
	for _, host := range []string{runs.ClaudeCode, runs.Codex, runs.OpenCode, runs.Cursor} {
		files, err := filepath.Glob(filepath.Join("testdata", host, "sequence.*.jsonl"))
		if err != nil || len(files) == 0 {
			r.t.Fatal("no recordings", err)
		}
		for _, f := range files {
			s := session{name: host + "/" + strings.Split(filepath.Base(f), ".")[1]}
			events, err := lab.Recording(f)
			if err != nil {
				r.t.Fatal(err)
			}
			r.write(func(ctx context.Context, tx *store.Tx) error {
				s.obs = nil
				for _, e := range events {
					payload := strings.ReplaceAll(string(e.Payload), lab.RecordedRepo, filepath.Join(filepath.Dir(r.db.Path()), "project"))
					o, ok, err := hooks.Observe(ctx, tx, host, []byte(payload), func(k string) string { return e.Env[k] })
					if err != nil {
						return err
					}
					if ok {
						s.obs = append(s.obs, o)
					}
				}
				return nil
			})
			out = append(out, s)
		}
	}
	return out
}

// seed is the seed of all trials: a fixed one, so that a failure is everybody's, or the one that is to be replayed.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := uint64(20261201)
	if v := os.Getenv("BOARD_SEED"); v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		s = n
	}
	t.Logf("seed %d (BOARD_SEED replays it)", s)
	return s
}

func trials() int {
	if os.Getenv("BOARD_SLOW") != "" {
		return slowShuffles
	}
	return shuffles
}

// eachTrial plays trials of every recording, a few recordings at a time.
func eachTrial(t *testing.T, play func(t *testing.T, r *rig, s session, rnd *rand.Rand) error) {
	t.Helper()
	base := seed(t)
	for i, s := range newRig(t).load() { // every rig knows the same project by the same number
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			for trial := range trials() {
				rnd := rand.New(rand.NewPCG(base+uint64(i), uint64(trial)))
				if err := play(t, r, s, rnd); err != nil {
					t.Fatalf("seed %d, trial %d: %v", base, trial, err)
				}
			}
		})
	}
}

// delivered is one delivery of a trial and what became of it.
type delivered struct {
	o    runs.Observation
	twin bool // comes right after its original
	res  runs.Result
}

// deliver gives observations to the store in the given order, in sessions that no other trial has.
func (r *rig) deliver(all []delivered, rnd *rand.Rand) (suffix string) {
	r.t.Helper()
	r.n++
	suffix = fmt.Sprintf("~%d", r.n)
	r.write(func(ctx context.Context, tx *store.Tx) error {
		for i := range all {
			r.now += 1 + rnd.Int64N(3000)
			tx.Now = r.now
			o := all[i].o
			o.Key.Session += suffix
			o.ReceivedAt = 0
			res, err := runs.Observe(ctx, tx, o, nil)
			if err != nil {
				return err
			}
			all[i].res = res
		}
		return nil
	})
	return suffix
}

// runsOf returns the runs of a trial by their recorded keys, as they are days later.
func (r *rig) runsOf(suffix string) map[string]runs.Run {
	r.t.Helper()
	out := map[string]runs.Run{}
	var ids []int64
	rows, err := r.db.SQL().QueryContext(r.t.Context(), `SELECT r.id FROM runs r JOIN lines l ON l.id = r.line_id WHERE l.session_key LIKE '%' || ?`, suffix)
	if err != nil {
		r.t.Fatal(err)
	}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			r.t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Close(); err != nil {
		r.t.Fatal(err)
	}
	for _, id := range ids {
		run, err := runs.ByID(r.t.Context(), r.db.SQL(), r.now+3*day, id)
		if err != nil {
			r.t.Fatal(err)
		}
		out[keyOf(runs.Key{Session: strings.TrimSuffix(run.Session, suffix), Turn: run.Turn, Agent: run.Agent})] = run
	}
	return out
}

// order prints a trial for a failure.
func order(all []delivered) string {
	var b strings.Builder
	for i, d := range all {
		fmt.Fprintf(&b, "\n%2d %-16s turn %-.8s agent %-.8s flag %-5v → %s %s say %d", i+1, d.o.Name, last(d.o.Key.Turn), last(d.o.Key.Agent),
			d.o.Continuation, d.res.Disposition, d.res.Why, d.res.Say)
	}
	return b.String()
}

func last(s string) string { return s[max(0, len(s)-8):] }

// common checks what holds of every trial: reminders at most once a turn and never for subagents, immediate twins
// silent and without effect, authority untouched, every run over by event or by clock. The twin of an event that
// adopted others comes after them, so it is no twin any more (SPEC §2, ordinal); it still is silent.
func common(all []delivered, got map[string]runs.Run) error {
	asked, known, adopted := map[int64]int{}, map[int64]bool{0: true}, false
	for i, d := range all {
		if d.twin && (d.res.Say != runs.Nothing || d.res.Disposition != runs.Duplicate && !adopted) {
			return fmt.Errorf("the twin %d is %s and says %d", i+1, d.res.Disposition, d.res.Say)
		}
		adopted = !known[d.res.Run.ID] && (d.res.Run.NEvents > 1 || d.o.Kind == runs.OnSessionStart) // it registered, and found events that had waited
		known[d.res.Run.ID] = true
		if d.res.Say == runs.Reminder {
			asked[d.res.Run.ID]++
		}
	}
	for key, r := range got {
		switch {
		case asked[r.ID] > 1 || asked[r.ID] != int(r.Probes):
			return fmt.Errorf("run %s was asked %d times, probes %d", key, asked[r.ID], r.Probes)
		case r.Kind == runs.Subagent && r.Probes > 0:
			return fmt.Errorf("subagent %s was asked", key)
		case r.Revision != 1:
			return fmt.Errorf("run %s has revision %d", key, r.Revision)
		case r.State != runs.Ended || r.Outcome == runs.None || r.Basis == runs.NotEnded:
			return fmt.Errorf("run %s is %s %s after days", key, r.State, r.Outcome)
		}
	}
	return nil
}

func TestShuffledAndDoubledDeliveries(t *testing.T) {
	eachTrial(t, func(t *testing.T, r *rig, s session, rnd *rand.Rand) error {
		var all []delivered
		for _, o := range s.obs {
			all = append(all, delivered{o: o})
			if rnd.IntN(3) == 0 { // a double that comes at any time
				all = append(all, delivered{o: o})
			}
		}
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i := 0; i < len(all); i++ { // a twin that comes at once
			if rnd.IntN(3) == 0 {
				all = slices.Insert(all, i+1, delivered{o: all[i].o, twin: true})
				i++
			}
		}
		got, want := r.runsOf(r.deliver(all, rnd)), s.facts()
		if err := common(all, got); err != nil {
			return fmt.Errorf("%w%s", err, order(all))
		}
		for key := range want.keys {
			run, ok := got[key]
			switch {
			case !ok:
				return fmt.Errorf("no run of key %s%s", key, order(all))
			case want.outcomes[key] != "" && (run.Outcome != want.outcomes[key] || run.Basis != runs.Observed):
				return fmt.Errorf("run %s ends %s (%s), want %s%s", key, run.Outcome, run.Basis, want.outcomes[key], order(all))
			}
		}
		if len(got) != len(want.keys) {
			return fmt.Errorf("%d runs, want %d%s", len(got), len(want.keys), order(all))
		}
		return nil
	})
}

func TestDroppedDeliveries(t *testing.T) {
	eachTrial(t, func(t *testing.T, r *rig, s session, rnd *rand.Rand) error {
		var all []delivered
		keep := session{}
		for _, o := range s.obs {
			if rnd.IntN(3) > 0 {
				all = append(all, delivered{o: o})
				keep.obs = append(keep.obs, o)
			}
		}
		if rnd.IntN(2) == 0 {
			rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		got, want, left := r.runsOf(r.deliver(all, rnd)), s.facts(), keep.facts()
		if err := common(all, got); err != nil {
			return fmt.Errorf("%w%s", err, order(all))
		}
		for key, run := range got {
			if !want.keys[key] || !left.keys[key] {
				return fmt.Errorf("a run of key %s, which no event names%s", key, order(all))
			}
			if o := left.outcomes[key]; o != "" && run.Outcome != o {
				return fmt.Errorf("run %s ends %s, want %s%s", key, run.Outcome, o, order(all))
			}
		}
		if len(got) != len(left.keys) {
			return fmt.Errorf("%d runs, want %d%s", len(got), len(left.keys), order(all))
		}
		return nil
	})
}
