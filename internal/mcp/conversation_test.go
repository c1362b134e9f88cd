package mcp

import (
	"strings"
	"testing"

	"board/internal/runs"
)

// ok is a call that must succeed.
func (s *session) ok(tool string, args, meta map[string]any) answer {
	s.t.Helper()
	a := s.call(tool, args, meta)
	if a.isError {
		s.t.Fatalf("%s %v: %s", tool, args, a.text)
	}
	return a
}

// refused is a call that must be refused with a code. It returns what the model is told.
func (s *session) refused(code, tool string, args, meta map[string]any) string {
	s.t.Helper()
	a := s.call(tool, args, meta)
	if a.code() != code || !a.isError {
		s.t.Errorf("%s %v: want %s, got %s", tool, args, code, a.text)
	}
	return a.text
}

type m = map[string]any

func TestAProvenCallerNeedsNeitherRunNorRevision(t *testing.T) {
	d := newDesk(t)
	run := d.prompt(runs.Codex, "s", "t1")
	s := d.connect()
	me := codex("s", "s", "t1")
	a := s.ok("kanban_create", m{"title": "Sort", "criteria": []string{"it sorts"}, "begin": true}, me)
	if a.at("caller", "run_id") != run || a.at("caller", "issue_key") != "PRE-1" || a.at("issue", "state") != "in_progress" {
		t.Errorf("create: %s", a.raw)
	}
	a = s.ok("kanban_update", m{"issue_key": "PRE-1", "issue_revision": a.revision(), "title": "Sort well", "labels": []string{"a"}}, me)
	if a.at("issue", "title") != "Sort well" {
		t.Errorf("update: %s", a.raw)
	}
	if text := s.refused("issue_stale", "kanban_update", m{"issue_key": "PRE-1", "issue_revision": 1, "title": "Sort ill"}, me); !strings.Contains(text, "revision 2") && !strings.Contains(text, "revision 3") {
		t.Errorf("the current revision is not told: %s", text)
	}
	s.ok("kanban_note", m{"issue_key": "PRE-1", "text": "quicksort"}, me)
	if a = s.ok("kanban_pause", m{"issue_key": "PRE-1", "reason": "question", "text": "Stable?"}, me); a.at("issue", "state") != "paused" || a.at("caller", "issue_key") != nil {
		t.Errorf("pause: %s", a.raw)
	}
	a = s.ok("kanban_resume", m{"issue_key": "PRE-1"}, me)
	for _, want := range []string{"issue PRE-1\n", "criterion 1", "| it sorts", "| quicksort", "| Stable?"} {
		if !strings.Contains(a.text, want) {
			t.Errorf("resume does not say %q: %s", want, a.text)
		}
	}
	s.refused("criteria_unjudged", "kanban_request_closure", m{"issue_key": "PRE-1", "issue_revision": a.revision()}, me)
	judged := func(v string) m {
		return m{"issue_key": "PRE-1", "issue_revision": a.revision(), "summary": "sorted", "verdicts": []m{{"n": 1, "verdict": v, "how": "go test"}}}
	}
	s.refused("criteria_unmet", "kanban_request_closure", judged("unmet"), me)
	if a = s.ok("kanban_request_closure", judged("met"), me); a.at("issue", "state") != "in_review" {
		t.Errorf("request_closure: %s", a.raw)
	}
	a = s.ok("kanban_begin_work", m{"issue_key": "PRE-1"}, me)
	if a = s.ok("kanban_unclaim", m{"issue_key": "PRE-1"}, me); a.at("issue", "state") != "todo" {
		t.Errorf("unclaim: %s", a.raw)
	}
}

func TestACallerThatIsNotProvenSaysItsRunAndItsRevision(t *testing.T) {
	d := newDesk(t)
	s := d.connect()
	if text := s.refused("run_unknown", "kanban_begin_work", nil, nil); !strings.Contains(text, "no hook event of any session was ever seen") {
		t.Errorf("nothing says that no hook was ever seen: %s", text)
	}
	run := d.prompt(runs.ClaudeCode, "s", "t1")
	s.refused("run_unknown", "kanban_begin_work", nil, nil)
	s.refused("run_unknown", "kanban_begin_work", m{"run_id": "r1"}, nil)
	s.refused("run_unknown", "kanban_begin_work", m{"run_id": "run_" + strings.Repeat("0", 32)}, nil)
	s.refused("run_unknown", "kanban_list", m{"run_id": "r1"}, nil)
	s.refused("invalid", "kanban_create", m{"title": "x", "begin": true, "run_id": run}, nil)
	a := s.ok("kanban_create", m{"title": "x", "begin": true, "run_id": run, "run_revision": 1}, nil)
	rev, _ := a.at("caller", "run_revision").(float64)
	if rev != 2 {
		t.Errorf("binding does not raise the revision: %s", a.text)
	}
	text := s.refused("run_stale", "kanban_pause", m{"issue_key": "PRE-1", "reason": "handoff", "text": "x", "run_id": run, "run_revision": 1}, nil)
	if !strings.Contains(text, "revision 2") {
		t.Errorf("the current revision is not told: %s", text)
	}
	s.ok("kanban_pause", m{"issue_key": "PRE-1", "reason": "handoff", "text": "x", "run_id": run, "run_revision": rev}, nil)
}

func TestTwoSessionsOfOneServerAreNeverMixedUp(t *testing.T) {
	d := newDesk(t)
	s := d.connect()
	a, b := d.prompt("opencode", "a", "1"), d.prompt("opencode", "b", "1")
	s.ok("kanban_create", m{"title": "A", "begin": true, "run_id": a, "run_revision": 1}, nil)
	s.ok("kanban_create", m{"title": "B", "begin": true, "run_id": b, "run_revision": 1}, nil)
	text := s.refused("held_by_other", "kanban_begin_work", m{"issue_key": "PRE-1", "run_id": d.prompt("opencode", "c", "1"), "run_revision": 1}, nil)
	if !strings.Contains(text, "r1 (opencode)") || strings.Contains(text, a) {
		t.Errorf("the holder is told by its short handle: %s", text)
	}
	for run, key := range map[string]string{a: "PRE-1", b: "PRE-2"} {
		if got := s.ok("kanban_list", m{"run_id": run, "mine": true}, nil); got.at("caller", "issue_key") != key || strings.Count(got.text, "PRE-") != 2 {
			t.Errorf("want %s alone: %s", key, got.text)
		}
	}
	s.refused("run_unknown", "kanban_list", m{"mine": true}, nil)
	if got := s.ok("kanban_list", nil, nil); strings.Contains(got.raw, "run_") && strings.Contains(got.raw, a[4:]) {
		t.Errorf("a handle is shown to somebody else: %s", got.raw)
	}
}

func TestClaudeCodeIsProvenByTheCallThatItsHookAnnounced(t *testing.T) {
	d := newDesk(t)
	run := d.prompt(runs.ClaudeCode, "s", "t1")
	other := d.prompt(runs.ClaudeCode, "s2", "t1")
	d.observe(runs.Observation{
		Kind: runs.OnTool, Name: "PreToolUse", Key: runs.Key{Host: runs.ClaudeCode, Session: "s", Turn: "t1"},
		CallID: "toolu_1", Tool: "mcp__board__kanban_create", OwnTool: true, Announces: true,
	})
	s := d.connect()
	me := m{metaClaude: "toolu_1", "progressToken": 4}
	if a := s.ok("kanban_create", m{"title": "x", "begin": true}, me); a.at("caller", "run_id") != run {
		t.Errorf("caller %v, want %s", a.at("caller"), run)
	}
	s.refused("not_your_run", "kanban_unclaim", m{"issue_key": "PRE-1", "run_id": other}, me)
	s.refused("not_your_run", "kanban_list", m{"run_id": other}, me)
	// A call that no hook announced proves nothing, and nothing is guessed.
	s.refused("run_unknown", "kanban_unclaim", m{"issue_key": "PRE-1"}, m{metaClaude: "toolu_2"})
	s.ok("kanban_list", nil, m{metaClaude: "toolu_2"})
	s.refused("invalid", "kanban_unclaim", m{"issue_key": "PRE-1", "run_id": run}, m{metaClaude: "toolu_2"})
	s.ok("kanban_unclaim", m{"issue_key": "PRE-1", "run_id": run, "run_revision": 2}, m{metaClaude: "toolu_2"})
}

func TestACallOfCodexIsASignOfItsRun(t *testing.T) {
	d := newDesk(t)
	s := d.connect()
	a := s.ok("kanban_list", nil, codex("s", "s", "t1")) // no hook was ever seen
	if a.at("caller", "run_id") == nil {
		t.Errorf("the call did not register its run: %s", a.text)
	}
	b := s.ok("kanban_list", nil, codex("s", "s", "t1"))
	if b.at("caller", "run_id") != a.at("caller", "run_id") {
		t.Errorf("one key, two runs: %s %s", a.text, b.text)
	}
	child := s.ok("kanban_list", nil, codex("s", "child", "t9"))
	same := s.ok("kanban_list", nil, codex("s", "child", "t10"))
	if child.at("caller", "run_id") == a.at("caller", "run_id") || child.at("caller", "run_id") != same.at("caller", "run_id") {
		t.Errorf("a subagent is one run over its turns: %s %s", child.text, same.text)
	}
}

func TestASubagentMayWorkButNotAskForClosure(t *testing.T) {
	d := newDesk(t)
	d.prompt(runs.Codex, "s", "t1")
	s := d.connect()
	child := codex("s", "child", "t2")
	a := s.ok("kanban_create", m{"title": "x", "begin": true}, child)
	s.refused("root_only", "kanban_request_closure", m{"issue_key": "PRE-1", "issue_revision": a.revision()}, child)
	a = s.ok("kanban_request_closure", m{"issue_key": "PRE-1", "issue_revision": a.revision()}, codex("s", "s", "t1"))
	if l, _ := a.at("children").([]any); len(l) != 1 || !strings.Contains(a.text, "closure requested, a person decides now; your subagent r2 no longer holds it; your subagents r2 still run.") {
		t.Errorf("the child that lost its hold is not named: %s", a.raw)
	}
}

// A model that got no answer calls again: the second call must find what the first one did.
func TestEveryToolMayBeCalledTwice(t *testing.T) {
	d := newDesk(t)
	d.prompt(runs.Codex, "s", "t1")
	me := codex("s", "s", "t1")
	first := int64(0)
	for _, step := range []struct {
		tool string
		args m
	}{
		{"kanban_create", m{"title": "x"}},
		{"kanban_begin_work", m{"issue_key": "PRE-1"}},
		{"kanban_note", m{"issue_key": "PRE-1", "text": "n"}},
		{"kanban_note", m{"text": "n"}},
		{"kanban_pause", m{"issue_key": "PRE-1", "reason": "handoff", "text": "x"}},
		{"kanban_resume", m{"issue_key": "PRE-1"}},
		{"kanban_unclaim", m{"issue_key": "PRE-1"}},
		{"kanban_begin_work", m{"issue_key": "PRE-1"}},
		{"kanban_request_closure", m{"issue_key": "PRE-1"}},
	} {
		s := d.connect()
		if step.tool == "kanban_request_closure" {
			step.args["issue_revision"] = first
		}
		a := s.ok(step.tool, step.args, me)
		if a.at("repeat") != nil {
			t.Errorf("%s: the first call is a repeat: %s", step.tool, a.text)
		}
		// The answer is lost with the server.
		b := d.connect().ok(step.tool, step.args, me)
		if b.at("repeat") != true || b.revision() != a.revision() || b.at("note", "id") != a.at("note", "id") || b.at("issue", "key") != a.at("issue", "key") {
			t.Errorf("%s: the second call is no repeat:\n%s\n%s", step.tool, a.raw, b.raw)
		}
		if a.revision() != 0 {
			first = a.revision()
		}
	}
}

func TestNotesBetweenCallsAndLateCancellations(t *testing.T) {
	d := newDesk(t)
	s := d.connect()
	for range 3 {
		s.ok("kanban_list", nil, nil)
		s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		s.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4,"progress":1}}`)
	}
	s.ok("kanban_list", nil, nil)
}

func TestDottedNamesAreAcceptedAndNeverListed(t *testing.T) {
	d := newDesk(t)
	d.prompt(runs.Codex, "s", "t1")
	s := d.connect()
	s.ok("kanban.create", m{"title": "x", "begin": true}, codex("s", "s", "t1"))
	s.ok("kanban.get", m{"issue_key": "PRE-1"}, nil)
	raw, _ := listing(t, d.options())
	if strings.Contains(string(raw), "kanban.") {
		t.Errorf("%s", raw)
	}
}
