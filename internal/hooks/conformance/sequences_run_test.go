package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"board/internal/lab"
	"board/internal/runs"
	"board/internal/store"
)

// clockPasses is later than every lease, deadline and session.
const clockPasses = 3 * 24 * 60 * 60 * 1000

// TestEveryRecordedSession plays every recorded session through the real program, under both policies.
func TestEveryRecordedSession(t *testing.T) {
	for _, s := range sequences() {
		for i, policy := range []string{"always", "defaults"} {
			t.Run(s.host+"/"+s.name+"/"+policy, func(t *testing.T) {
				t.Parallel()
				playAndCheck(t, s, policy, i)
			})
		}
	}
}

// TestEverySequenceHasATable keeps the tables complete.
func TestEverySequenceHasATable(t *testing.T) {
	for _, host := range allHosts() {
		var have []string
		for _, s := range sequences() {
			if s.host == host {
				have = append(have, s.name)
			}
		}
		slices.Sort(have)
		if want := recordings(t, host); !slices.Equal(have, want) {
			t.Errorf("%s: tables %v, recordings %v", host, have, want)
		}
	}
}

// labels names keys as the tables do.
type labels struct {
	host  string
	names map[string]string // key → label
	count map[string]int
}

// of returns the label of the run that a payload names, by the host's own fields.
func (l *labels) of(payload []byte) string {
	var p map[string]any
	if json.Unmarshal(payload, &p) != nil {
		return "-"
	}
	field := map[string][2]string{
		"claude-code": {"prompt_id", "agent_id"}, "codex": {"turn_id", "agent_id"}, "opencode": {"turn", "agent"}, "cursor": {"generation_id", "none"},
	}[l.host]
	turn, _ := p[field[0]].(string)
	if l.host == "cursor" && turn == p["conversation_id"] {
		turn = ""
	}
	if agent, _ := p[field[1]].(string); agent != "" {
		return l.name("agent:"+agent, "c")
	}
	return l.name("turn:"+turn, "t")
}

func (l *labels) name(key, kind string) string {
	if l.names == nil {
		l.names, l.count = map[string]string{}, map[string]int{}
	}
	if l.names[key] == "" {
		l.count[kind]++
		l.names[key] = fmt.Sprintf("%s%d", kind, l.count[kind])
	}
	return l.names[key]
}

func (l *labels) ofRun(r runs.Run) string {
	if l.host == "gemini" { // its turns are counted: the first run is the first turn
		return fmt.Sprintf("t%d", r.ID)
	}
	if r.Agent != "" {
		return l.names["agent:"+r.Agent]
	}
	return l.names["turn:"+r.Turn]
}

// cell returns the value of a cell for a policy: 0 always, 1 defaults.
func cell(s string, policy int) string {
	if a, b, ok := strings.Cut(s, ","); ok {
		return []string{a, b}[policy]
	}
	return s
}

func playAndCheck(t *testing.T, s sequence, policy string, column int) {
	events, want := recording(t, s.host, s.name), lines(s.events)
	if len(events) != len(want) {
		t.Fatalf("the recording has %d events, the table %d", len(events), len(want))
	}
	b := newBox(t, s.host, templateOf(policy))
	db, names, before := b.look(t), &labels{host: s.host}, map[string]row{}
	var all strings.Builder
	for i, e := range events {
		w := strings.Fields(want[i])
		if len(w) != 4 || w[0] != e.Event {
			t.Fatalf("row %d is %q, the event %s", i+1, want[i], e.Event)
		}
		stdout := b.send(t, e.Payload, hostEnv(e.Env)...)
		prints, err := printed(s.host, e.Event, stdout)
		if err != nil || prints != cell(w[3], column) {
			t.Errorf("%d %s prints %s (%v), want %s\n%s", i+1, e.Event, prints, err, cell(w[3], column), stdout)
		}
		all.WriteString(entry(fmt.Sprintf("%d %s", i+1, e.Event), stdout))
		if err := checkDelivery(names, e, w[1], cell(w[2], column), fresh(before, stored(t, db))); err != nil {
			t.Errorf("%d %s: %v", i+1, e.Event, err)
		}
	}
	checkRuns(t, db, s, names)
	checkStretches(t, db, s, events)
	golden(t, s.host+"."+s.name+"."+policy, all.String())
}

// fresh returns the rows that are new or changed since before, and remembers them.
func fresh(before map[string]row, now []row) []row {
	var out []row
	for _, r := range now {
		if at := fmt.Sprint(r.Line, r.ID); before[at] != r {
			before[at] = r
			out = append(out, r)
		}
	}
	return out
}

// checkDelivery compares the row that one delivery stored with what the table says.
func checkDelivery(names *labels, e lab.Event, who, disposition string, rows []row) error {
	if disposition == "ignored" {
		if len(rows) > 0 {
			return fmt.Errorf("stored %+v, want nothing", rows)
		}
		return nil
	}
	if len(rows) != 1 {
		return fmt.Errorf("stored %+v, want one row", rows)
	}
	if rows[0].Disposition != disposition {
		return fmt.Errorf("%s (%s), want %s", rows[0].Disposition, rows[0].Reason, disposition)
	}
	if who == "-" {
		return nil
	}
	if got := names.of(e.Payload); got != who && names.host != "gemini" {
		return fmt.Errorf("the table says %s, the payload is of %s", who, got)
	}
	if disposition == "unattributed" {
		if rows[0].Run != 0 || rows[0].Reason == "" {
			return fmt.Errorf("%+v, want no run and a reason", rows[0])
		}
		return nil
	}
	if got := names.ofRun(runs.Run{ID: rows[0].Run, Turn: rows[0].Turn, Agent: rows[0].Agent}); got != who {
		return fmt.Errorf("the event went to %s, want %s", got, who)
	}
	return nil
}

func checkRuns(t *testing.T, db *store.DB, s sequence, names *labels) {
	t.Helper()
	var got, want []string
	for _, r := range allRuns(t, db, db.Now()+clockPasses) {
		origin := string(r.Origin)
		if r.Kind == runs.Subagent {
			origin = "-"
		}
		got = append(got, strings.Join([]string{names.ofRun(r), string(r.Kind), origin, string(r.Outcome), string(r.Basis)}, " "))
	}
	for _, line := range lines(s.runs) {
		want = append(want, strings.Join(strings.Fields(line), " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("runs\n got %s\nwant %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

func sessionOf(e lab.Event) string {
	for _, field := range []string{"conversation_id", "session", "session_id"} {
		if id := e.Field(field); id != "" {
			return id
		}
	}
	return ""
}

func checkStretches(t *testing.T, db *store.DB, s sequence, events []lab.Event) {
	t.Helper()
	sessions := &labels{}
	for _, e := range events {
		sessions.name(sessionOf(e), "s")
	}
	var got []string
	for _, x := range stretches(t, db) {
		got = append(got, fmt.Sprintf("%s %d %s", sessions.names[x.Session], x.N, x.State))
	}
	want := lines(s.stretches)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("stretches %v, want %v (sessions %v)", got, want, slices.Sorted(maps.Keys(sessions.names)))
	}
}
