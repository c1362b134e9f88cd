package stress

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/lab"
	"board/internal/store"
)

const (
	hookKills   = 500
	serverKills = 200
)

func TestKilledHooksLeaveNoHalfEvent(t *testing.T) {
	w := newWorld(t)
	initProject(t, w)
	var undisturbed []time.Duration
	for i := range 9 {
		start := time.Now()
		register(t, w, fmt.Sprintf("warm-%d", i))
		undisturbed = append(undisturbed, time.Since(start))
	}
	var acknowledged []string
	campaign(t, hookKills, median(undisturbed)*3/4, func(i int, at stopPoint, mute bool) string {
		session := fmt.Sprintf("k%d", i)
		v := launch(t, w, mute, string(prompt(w, session))+"\n", "board-hook", "--host", "codex", "--protocol", "1")
		out, phase := v.kill(t, at)
		stored := false
		look(t, w, func(db *store.DB) { stored = storedEvents(t, db, session) == 1 })
		switch {
		case out != "":
			if !json.Valid([]byte(out)) {
				t.Errorf("%s printed half an answer: %q", session, out)
			}
			acknowledged = append(acknowledged, session)
			if phase != gone {
				phase = printed
			}
		case stored && phase != gone:
			phase = unprinted
		}
		return phase
	})
	register(t, w, "afterwards") // the board works on
	look(t, w, func(db *store.DB) {
		for _, s := range append(acknowledged, "afterwards") {
			if n := storedEvents(t, db, s); n != 1 {
				t.Errorf("%s was answered, and has %d events", s, n)
			}
		}
		whole(t, db)
		t.Logf("%d answers were printed, all of them stored; %d events stored in all", len(acknowledged), count(t, db, "SELECT count(*) FROM events"))
	})
}

func storedEvents(t *testing.T, db *store.DB, session string) int {
	t.Helper()
	return count(t, db, "SELECT count(*) FROM events e JOIN lines l ON l.id = e.line_id WHERE l.session_key = ?", session)
}

func TestKilledServersLeaveNoHalfTransition(t *testing.T) {
	w := newWorld(t)
	initProject(t, w)
	var undisturbed []time.Duration
	for i := range 5 {
		session := fmt.Sprintf("warm-%d", i)
		register(t, w, session)
		c, err := w.Serve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if a, err := c.Tool("kanban_create", map[string]any{"title": session, "begin": true}, proof(session)); err != nil || a.IsError {
			t.Fatal(err, a.Text)
		}
		undisturbed = append(undisturbed, time.Since(start))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	startup := startOf(t, w)
	var acknowledged []string
	campaign(t, serverKills, startup+median(undisturbed), func(i int, at stopPoint, _ bool) string {
		session := fmt.Sprintf("k%d", i)
		register(t, w, session)
		v := launch(t, w, false, hello+creation(t, session), "board", "mcp")
		out, phase := v.kill(t, at)
		answered := strings.Contains(out, `"id":2`)
		for _, line := range strings.SplitAfter(out, "\n") {
			if line != "" && !json.Valid([]byte(line)) {
				t.Errorf("%s printed half an answer: %q", session, line)
			}
		}
		made := 0
		look(t, w, func(db *store.DB) { made = count(t, db, "SELECT count(*) FROM issues WHERE title = ?", session) })
		switch {
		case answered:
			acknowledged = append(acknowledged, session)
			phase = printed
		case made == 1:
			phase = unprinted
		}
		return phase
	})
	look(t, w, func(db *store.DB) {
		for _, s := range acknowledged {
			if n := count(t, db, "SELECT count(*) FROM issues WHERE title = ? AND state = 'in_progress' AND holder_line <> 0", s); n != 1 {
				t.Errorf("%s was told that its Issue is begun; %d such Issues", s, n)
			}
		}
		if n, m := count(t, db, "SELECT count(*) FROM issues"), count(t, db, "SELECT next_number FROM projects"); n != m-1 {
			t.Errorf("%d Issues, and the next number is %d", n, m)
		}
		whole(t, db)
		t.Logf("%d answers were printed, all of them stored; %d Issues in all", len(acknowledged), count(t, db, "SELECT count(*) FROM issues"))
	})
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"

func creation(t *testing.T, session string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 2, "method": "tools/call",
		"params": map[string]any{"name": "kanban_create", "arguments": map[string]any{"title": session, "begin": true}, "_meta": proof(session)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// startOf is how long a server takes until it answers.
func startOf(t *testing.T, w *lab.World) time.Duration {
	t.Helper()
	start := time.Now()
	c, err := w.Serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := time.Since(start)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return d
}

func median(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

// whole checks that the database is sound, and that no transition is half there.
func whole(t *testing.T, db *store.DB) {
	t.Helper()
	var ok string
	if err := db.SQL().QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		t.Errorf("integrity_check: %s %v", ok, err)
	}
	for what, query := range map[string]string{
		"events of a run that does not exist":               "SELECT count(*) FROM events WHERE run_id <> 0 AND run_id NOT IN (SELECT id FROM runs)",
		"runs that no event registered":                     "SELECT count(*) FROM runs r WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.run_id = r.id)",
		"runs that count other events than they have":       "SELECT count(*) FROM runs r WHERE n_events <> (SELECT count(*) FROM events e WHERE e.run_id = r.id)",
		"live runs of a session that is not open":           "SELECT count(*) FROM runs r WHERE state <> 'ended' AND NOT EXISTS (SELECT 1 FROM sessions s JOIN lines l ON l.id = s.line_id JOIN lines m ON m.id = r.line_id WHERE l.host = m.host AND l.session_key = m.session_key AND s.state = 'active')",
		"lines without a run or an event":                   "SELECT count(*) FROM lines l WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.line_id = l.id) AND NOT EXISTS (SELECT 1 FROM events e WHERE e.line_id = l.id)",
		"Issues in another state than their history says":   "SELECT count(*) FROM issues i WHERE state <> (SELECT to_state FROM history h WHERE h.entity = 'issue' AND h.entity_id = i.id AND to_state <> '' ORDER BY seq DESC LIMIT 1)",
		"Issues without history":                            "SELECT count(*) FROM issues i WHERE NOT EXISTS (SELECT 1 FROM history h WHERE h.entity = 'issue' AND h.entity_id = i.id)",
		"holders without an open claim of that fence":       "SELECT count(*) FROM issues i WHERE holder_line <> 0 AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.issue_id = i.id AND c.fence = i.fence AND c.line_id = i.holder_line AND c.until = 0)",
		"open claims without a holder":                      "SELECT count(*) FROM claims c JOIN issues i ON i.id = c.issue_id WHERE c.until = 0 AND i.holder_line <> c.line_id",
		"Issues begun by a run that does not point to them": "SELECT count(*) FROM issues i WHERE holder_run <> 0 AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = i.holder_run AND r.issue_id = i.id)",
	} {
		if n := count(t, db, query); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
}
