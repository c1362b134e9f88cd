package hooks_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/hooks"
	"board/internal/lab"
	"board/internal/runs"
	"board/internal/store"
)

// vendorContract is what board must register for, written by hand beside the table: host, event, what it is taken for,
// and what may be answered. A row of the table that is dropped or renamed fails here by its name.
const vendorContract = `
claude-code  SessionStart        session_start   context
claude-code  UserPromptSubmit    prompt          context
claude-code  PreToolUse          tool            nothing
claude-code  PostToolUse         tool            nothing
claude-code  PostToolUseFailure  tool            nothing
claude-code  Stop                stop            reminder
claude-code  StopFailure         failure         nothing
claude-code  SubagentStart       subagent_start  context
claude-code  SubagentStop        subagent_stop   nothing
claude-code  SessionEnd          session_end     nothing
claude-code  Notification        notice          nothing
codex        SessionStart        session_start   context
codex        UserPromptSubmit    prompt          context
codex        PostToolUse         tool            nothing
codex        PermissionRequest   notice          nothing
codex        Stop                stop            reminder
codex        Interrupt           interrupt       nothing
codex        SubagentStart       subagent_start  context
codex        SubagentStop        subagent_stop   nothing
codex        SessionEnd          session_end     nothing
gemini       SessionStart        session_start   nothing
gemini       BeforeAgent         prompt          context
gemini       AfterTool           tool            nothing
gemini       AfterAgent          stop            reminder
gemini       Notification        notice          nothing
gemini       SessionEnd          session_end     nothing
opencode     prompt              prompt          context
opencode     stop                stop            nothing
opencode     failure             failure         nothing
opencode     interrupt           interrupt       nothing
opencode     subagent_start      subagent_start  context
opencode     subagent_stop       subagent_stop   nothing
opencode     tool                tool            nothing
opencode     notice              notice          nothing
opencode     compaction          compaction      context
opencode     session_end         session_end     nothing
cursor       sessionStart        session_start   nothing
cursor       beforeSubmitPrompt  prompt          nothing
cursor       afterFileEdit       edit            nothing
cursor       postToolUse         tool            nothing
cursor       stop                stop            reminder
cursor       sessionEnd          session_end     nothing
`

// understood are events that are taken though board does not register for them: a person may, and they harm nothing.
func understood() []string { return []string{"codex PreToolUse"} }

func TestVendorContract(t *testing.T) {
	table := map[string]hooks.Event{}
	for _, e := range hooks.Contract() {
		if _, twice := table[e.Host+" "+e.Name]; twice {
			t.Errorf("%s %s stands twice in the table", e.Host, e.Name)
		}
		table[e.Host+" "+e.Name] = e
		if e.Fact == "" || e.Lost == "" || e.Timeout <= 0 {
			t.Errorf("%s %s lacks a fact, a loss or a timeout", e.Host, e.Name)
		}
	}
	r := newRig(t)
	repo := filepath.Join(filepath.Dir(r.db.Path()), "project")
	for line := range strings.Lines(strings.TrimSpace(vendorContract)) {
		f := strings.Fields(line)
		name := f[0] + " " + f[1]
		e, ok := table[name]
		delete(table, name)
		if !ok {
			t.Errorf("%s is not in the table", name)
			continue
		}
		if string(e.Answer) != f[3] {
			t.Errorf("%s may be answered with %s, want %s", name, e.Answer, f[3])
		}
		payload, err := hooks.Sample(e, hooks.Place{Session: "s", Cwd: repo, At: time.UnixMilli(r.now)})
		if err != nil {
			t.Fatal(err)
		}
		o, ok := r.decode(f[0], payload, nil)
		if !ok || o.Kind.String() != f[2] || o.Name != f[1] || o.Key.Host != f[0] || o.Key.Session == "" {
			t.Errorf("%s is taken for %s of %+v (%v), want %s", name, o.Kind, o.Key, ok, f[2])
		}
	}
	for name := range table {
		t.Errorf("%s is in the table and not in the contract", name)
	}
}

// TestNothingElseIsTaken: of all that hosts were recorded to send, only what is registered, or known to be harmless, means
// anything.
func TestNothingElseIsTaken(t *testing.T) {
	known := map[string]bool{}
	for _, e := range hooks.Contract() {
		known[e.Host+" "+e.Name] = true
	}
	for _, name := range understood() {
		if known[name] {
			t.Errorf("%s is registered: take it off the list", name)
		}
		known[name] = true
	}
	r, taken := newRig(t), map[string]bool{}
	for _, host := range runs.Hosts() {
		for _, e := range recordedEvents(t, host) {
			o, ok := r.decode(host, e.Payload, e.Env)
			if !ok {
				continue
			}
			taken[host+" "+o.Name] = true
			if !known[host+" "+o.Name] {
				t.Errorf("%s %s is taken, and stands nowhere", host, o.Name)
				known[host+" "+o.Name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !taken[name] {
			t.Errorf("%s is in no recording", name)
		}
	}
}

// recordedEvents are all payloads that are kept of a host, alone and in sessions.
func recordedEvents(t *testing.T, host string) (all []lab.Event) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", host, "*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatal("no payloads", err)
	}
	for _, f := range files {
		switch {
		case filepath.Base(f) == "index.json":
		case filepath.Ext(f) == ".jsonl":
			events, err := lab.Recording(f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, events...)
		default:
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, lab.Event{Payload: data})
		}
	}
	return all
}

// decode decodes a payload as the program does.
func (r *rig) decode(host string, payload []byte, env map[string]string) (o runs.Observation, ok bool) {
	r.t.Helper()
	repo := filepath.Join(filepath.Dir(r.db.Path()), "project")
	payload = []byte(strings.ReplaceAll(string(payload), lab.RecordedRepo, repo))
	r.write(func(ctx context.Context, tx *store.Tx) (err error) {
		o, ok, err = hooks.Observe(ctx, tx, host, payload, func(k string) string { return env[k] })
		return err
	})
	return o, ok
}
