package conformance

import (
	"fmt"
	"strings"
	"testing"

	"board/internal/runs"
)

// TestEveryRecordedPayloadAlone sends every fixture through the real program, each into a store of its own.
func TestEveryRecordedPayloadAlone(t *testing.T) {
	for _, host := range []struct{ name, table string }{
		{"claude-code", claudeFixtures}, {"codex", codexFixtures}, {"gemini", geminiFixtures}, {"opencode", openCodeFixtures}, {"cursor", cursorFixtures},
	} {
		for _, policy := range []string{"always", "defaults"} {
			t.Run(host.name+"/"+policy, func(t *testing.T) { fixturesAlone(t, host.name, host.table, policy) })
		}
	}
}

// fixtureRow is one row of the tables.
type fixtureRow struct{ name, run, kind, disposition, prints string }

func parseFixtures(t *testing.T, table string) []fixtureRow {
	t.Helper()
	var out []fixtureRow
	for _, line := range lines(table) {
		f := strings.Fields(line)
		if len(f) != 5 {
			t.Fatalf("a row has %d cells: %s", len(f), line)
		}
		out = append(out, fixtureRow{f[0], f[1], f[2], f[3], f[4]})
	}
	return out
}

// lines returns the lines of a table without blank ones and comments.
func lines(table string) []string {
	var out []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func fixturesAlone(t *testing.T, host, table, policy string) {
	rows, fixtures := parseFixtures(t, table), loadFixtures(t, host)
	seen := map[string]bool{}
	for _, r := range rows {
		if _, ok := fixtures[r.name]; !ok || seen[r.name] {
			t.Errorf("%s: no such fixture, or two rows", r.name)
		}
		seen[r.name] = true
	}
	for name := range fixtures {
		if !seen[name] {
			t.Errorf("%s: no row in the table", name)
		}
	}
	if t.Failed() {
		return
	}
	boxes, answers := make([]*box, len(rows)), make([]string, len(rows))
	for i := range rows {
		boxes[i] = newBox(t, host, templateOf(policy))
	}
	inParallel(len(rows), func(i int) {
		f := fixtures[rows[i].name]
		answers[i] = boxes[i].send(t, f.payload, f.env...)
	})
	var all strings.Builder
	for i, r := range rows {
		event, _, _ := strings.Cut(r.name, ".")
		prints, err := printed(host, event, answers[i])
		if err != nil || prints != r.prints {
			t.Errorf("%s prints %s (%v), want %s\n%s", r.name, prints, err, r.prints, answers[i])
		}
		if err := checkAlone(t, boxes[i], r); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		all.WriteString(entry(r.name, answers[i]))
	}
	golden(t, host+".fixtures."+policy, all.String())
}

// checkAlone compares the store that saw one payload with its row.
func checkAlone(t *testing.T, b *box, want fixtureRow) error {
	t.Helper()
	db := b.look(t)
	events, all, open := stored(t, db), allRuns(t, db, db.Now()), stretches(t, db)
	defer func() { _ = db.Close() }()
	registers := want.disposition == "applied"
	if want.disposition == "ignored" {
		if len(events)+len(all)+len(open) > 0 {
			return fmt.Errorf("events %v, runs %v, sessions %v, want nothing", events, all, open)
		}
		return nil
	}
	if len(events) != 1 || events[0].Kind != want.kind || events[0].Disposition != want.disposition {
		return fmt.Errorf("events %+v, want one %s, %s", events, want.kind, want.disposition)
	}
	if !registers {
		if len(all)+len(open) > 0 || events[0].Run != 0 || events[0].Reason == "" {
			return fmt.Errorf("runs %v, sessions %v, event %+v, want none, and a reason", all, open, events[0])
		}
		return nil
	}
	if len(all) != 1 || len(open) != 1 || open[0].N != 1 || open[0].State != "active" {
		return fmt.Errorf("runs %v, sessions %v, want one run in an open session", all, open)
	}
	r := all[0]
	key, kind := "turn:"+r.Turn, runs.Root
	if r.Agent != "" {
		key, kind = "agent:"+r.Agent, runs.Subagent
	}
	switch {
	case key != want.run || (r.Agent != "" && r.Turn != ""):
		return fmt.Errorf("run of key %s (turn %q, agent %q), want %s", key, r.Turn, r.Agent, want.run)
	case r.Kind != kind || r.State != "running" || r.Revision != 1 || r.Handle == "" || r.ProjectID == 0:
		return fmt.Errorf("run %+v", r)
	case events[0].Run != r.ID:
		return fmt.Errorf("the event belongs to run %d, want %d", events[0].Run, r.ID)
	case (want.kind == "edit") != (r.Edits == 1):
		return fmt.Errorf("%d edits", r.Edits)
	}
	return nil
}

func templateOf(policy string) string {
	if policy == "always" {
		return world.always
	}
	return world.defaults
}
