package runs

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"board/internal/store"
	"board/internal/storetest"
)

// TestWhatCanBeProvenOfARun holds every host in every place against the table of SPEC §10.
func TestWhatCanBeProvenOfARun(t *testing.T) {
	want := map[string]string{ // host/place → verdict: boundary, and the flags scaffold, correlation, evidence
		"claude-code/desktop": "supported: 1 1 1",
		"claude-code/cloud":   "unsupported: execution_host 0 0 0",
		"claude-code/unknown": "indeterminate: execution_host 1 1 1",
		"codex/desktop":       "supported: 1 1 1",
		"codex/cloud":         "unsupported: execution_host 0 0 0",
		"codex/unknown":       "indeterminate: execution_host 1 1 1",
		"opencode/desktop":    "supported: 1 1 1",
		"opencode/cloud":      "unsupported: execution_host 0 0 0",
		"opencode/unknown":    "indeterminate: execution_host 1 1 1",
		"gemini/desktop":      "unsupported: correlation 1 -1 1",
		"gemini/cloud":        "unsupported: correlation 0 -1 0",
		"gemini/unknown":      "unsupported: correlation 1 -1 1",
		"cursor/desktop":      "indeterminate: scaffold 0 0 0",
		"cursor/cloud":        "unsupported: execution_host 0 0 0",
		"cursor/unknown":      "indeterminate: execution_host 0 0 0",
		"emacs/desktop":       "indeterminate: scaffold 0 0 0",
		"emacs/unknown":       "indeterminate: execution_host 0 0 0",
	}
	for at, says := range want {
		host, place, _ := strings.Cut(at, "/")
		where := ExecutionHost(place)
		if place == "unknown" {
			where = Nowhere
		}
		c := decide(capabilityTable(), Run{ID: 3, Host: host, ExecutionHost: where}, 9)
		got := fmt.Sprintf("%s: %s %d %d %d", c.Verdict, c.Missing, c.Scaffold, c.Correlated, c.Evidence)
		if got = strings.ReplaceAll(got, ":  ", ": "); got != says || c.Rule != at+"@"+CapabilityRules || c.RunID != 3 || c.ProjectID != 9 {
			t.Errorf("%s is %s by %s, want %s", at, got, c.Rule, says)
		}
	}
	if len(want) != 3*len(Hosts())+2 {
		t.Errorf("%d rows for %d hosts", len(want), len(Hosts()))
	}
	for _, host := range []string{ClaudeCode, Codex} { // a host of old, which names no turns
		c := decide(capabilityTable(), Run{Host: host, Turn: "#1", ExecutionHost: Desktop}, 9)
		if c.Verdict != Unsupported || c.Missing != BoundaryCorrelation {
			t.Errorf("counted turns of %s are %s: %s", host, c.Verdict, c.Missing)
		}
	}
}

// TestAFlagThatIsNotProvenIsNamed: the first one that is missing, before any that was never tried.
func TestAFlagThatIsNotProvenIsNamed(t *testing.T) {
	for flags, says := range map[[3]Flag]string{
		{Proven, Proven, Proven}:   "supported: ",
		{Untried, Proven, Proven}:  "indeterminate: scaffold",
		{Proven, Untried, Proven}:  "indeterminate: correlation",
		{Proven, Proven, Untried}:  "indeterminate: evidence",
		{Missing, Proven, Proven}:  "unsupported: scaffold",
		{Untried, Proven, Missing}: "unsupported: evidence",
	} {
		table := []capabilityRow{{"h", flags[0], flags[1], flags[2]}}
		c := decide(table, Run{Host: "h", ExecutionHost: Desktop}, 1)
		if got := string(c.Verdict) + ": " + c.Missing; got != says {
			t.Errorf("%v: %s, want %s", flags, got, says)
		}
	}
}

func TestALateStartIsNotJudgedUntilItsPromptArrives(t *testing.T) {
	for _, c := range []struct {
		stored, late string
	}{
		{"supported ", "indeterminate registration"},
		{"indeterminate execution_host", "indeterminate registration"},
		{"unsupported correlation", "unsupported correlation"}, // no prompt will change that
	} {
		verdict, missing, _ := strings.Cut(c.stored, " ")
		row := Capability{Verdict: Verdict(verdict), Missing: missing}
		for late, want := range map[bool]string{true: c.late, false: c.stored} {
			v, m := row.Reading(Run{LateStart: late})
			if got := string(v) + " " + m; got != want {
				t.Errorf("%s, late %v: reads %s, want %s", c.stored, late, got, want)
			}
		}
	}
}

// scopeRows returns what is on record of runs in projects.
func scopeRows(t *testing.T, db *store.DB) (out []string) {
	t.Helper()
	rows, err := db.SQL().Query(`SELECT run_id || ' ' || project_id || ' ' || capability || ' ' || missing || ' ' || rule || ' ' ||
		scaffold || correlation || evidence FROM scopes ORDER BY run_id, project_id`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// TestSixRowsStandWhateverIsLearnedLater: three runs in three places, two projects each. What is decided of them under
// another table is another thing, and does not touch what is on record.
func TestSixRowsStandWhateverIsLearnedLater(t *testing.T) {
	db, _ := storetest.Open(t)
	places := []ExecutionHost{Desktop, Cloud, Nowhere}
	var all []Run
	err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for i, where := range places {
			o := Observation{
				Kind: OnPrompt, Name: "UserPromptSubmit", Key: Key{Host: ClaudeCode, Session: fmt.Sprint("s", i), Turn: "t"}, ProjectID: 1, ExecutionHost: where,
			}
			if _, err := Observe(ctx, tx, o, nil); err != nil {
				return err
			}
			o.Kind, o.Name, o.ProjectID, o.CallID = OnEdit, "PostToolUse", 1, "c"
			o.Edits = []Edit{{ProjectID: 2, Path: "a"}, {ProjectID: 1, Path: "b"}}
			res, err := Observe(ctx, tx, o, nil)
			if err != nil {
				return err
			}
			all = append(all, res.Run)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 1 supported  claude-code/desktop@1 111", "1 2 supported  claude-code/desktop@1 111",
		"2 1 unsupported execution_host claude-code/cloud@1 000", "2 2 unsupported execution_host claude-code/cloud@1 000",
		"3 1 indeterminate execution_host claude-code/unknown@1 111", "3 2 indeterminate execution_host claude-code/unknown@1 111",
	}
	if got := scopeRows(t, db); !slices.Equal(got, want) {
		t.Errorf("on record\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	learned := []capabilityRow{{ClaudeCode, Proven, Missing, Proven}}
	err = db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, r := range all {
			for p := range int64(2) {
				c := decide(learned, r, p+1)
				if c.Missing != BoundaryCorrelation {
					t.Errorf("the other table says %s %s", c.Verdict, c.Missing)
				}
				if err := insertScope(ctx, tx, c); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := scopeRows(t, db); !slices.Equal(got, want) {
		t.Errorf("after the table changed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestTheWhereaboutsAreAskedOnlyOfWhatRegisters: looking at processes costs more than most events may.
func TestTheWhereaboutsAreAskedOnlyOfWhatRegisters(t *testing.T) {
	db, _ := storetest.Open(t)
	asked := 0
	see := func(o Observation) (res Result) {
		o.Key = Key{Host: ClaudeCode, Session: "s", Turn: "t"}
		o.ProjectID = 1
		if o.Kind != OnPrompt {
			o.Whereabouts = func(o *Observation) { asked++; o.ExecutionHost, o.ExecutionBasis, o.Proof = Desktop, "test", "proof" }
		}
		err := db.Write(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			res, err = Observe(ctx, tx, o, nil)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	reads := func(r Run, want string) {
		t.Helper()
		var c Capability
		err := db.SQL().QueryRow(`SELECT capability, missing FROM scopes WHERE run_id = ?`, r.ID).Scan(&c.Verdict, &c.Missing)
		verdict, missing := c.Reading(r)
		if got := strings.TrimSpace(string(verdict) + " " + missing); err != nil || got != want {
			t.Errorf("reads %s (%v), want %s", got, err, want)
		}
	}
	r := see(Observation{Kind: OnTool, Name: "PostToolUse", CallID: "1"}).Run
	if asked != 1 || r.ExecutionHost != Desktop || r.ExecutionBasis != "test" || r.HostProof != "proof" || !r.LateStart {
		t.Errorf("asked %d times; %+v", asked, r)
	}
	reads(r, "indeterminate registration")
	was := scopeRows(t, db)
	see(Observation{Kind: OnTool, Name: "PostToolUse", CallID: "2"})
	see(Observation{Kind: OnEdit, Name: "PostToolUse", CallID: "3", Edits: []Edit{{1, "a"}}})
	reads(see(Observation{Kind: OnPrompt, Name: "UserPromptSubmit"}).Run, "supported")
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
	if now := scopeRows(t, db); !slices.Equal(now, was) {
		t.Errorf("what was on record as %v is %v", was, now)
	}
}
