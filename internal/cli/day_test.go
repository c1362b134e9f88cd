package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"board/internal/hooks"
	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// day is one day of six agents in four repositories, played through the hook and the command line with a clock that is
// moved by hand. It keeps its own record of what waits on the person.
type day struct {
	t      *testing.T
	rng    *rand.Rand
	root   string
	db     string
	now    time.Time
	events int
	waits  map[string]waiting // by what it is about: an Issue's key, or "session repo" for edits without one
	agents []*dayAgent
}

// waiting is a line that the inbox must have.
type waiting struct {
	Code, About string
	Since       int64
	command     string
}

// dayAgent is one session at work in one repository.
type dayAgent struct {
	host, session, prefix string
	turn                  int
	holds                 string // key
	over                  bool   // its newest turn has ended
	cardless              int64  // when a turn without an Issue first changed a file, 0 for none
}

func newDay(t *testing.T, seed uint64) *day {
	d := &day{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), root: t.TempDir(), waits: map[string]waiting{},
		now: time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC),
	}
	d.db = filepath.Join(d.root, "board.db")
	prefixes := []string{"API", "WEB", "OPS", "DOC"}
	for _, p := range prefixes {
		if err := os.Mkdir(d.repo(p), 0o700); err != nil {
			t.Fatal(err)
		}
		d.board("-C", d.repo(p), "init", "--no-input", "--prefix", p)
	}
	hosts := []string{runs.ClaudeCode, runs.Codex, runs.ClaudeCode, runs.Codex, runs.ClaudeCode, runs.Codex}
	for i, h := range hosts {
		d.agents = append(d.agents, &dayAgent{host: h, session: fmt.Sprintf("session-%d", i), prefix: prefixes[i%len(prefixes)]})
	}
	return d
}

func (d *day) repo(prefix string) string { return filepath.Join(d.root, strings.ToLower(prefix)) }

func (d *day) env(name string) string {
	switch name {
	case "BOARD_DB":
		return d.db
	case "HOME":
		return d.root
	case "USER":
		return "ada"
	}
	return ""
}

func (d *day) clock() time.Time { return d.now }

// board runs a command of the person, and returns what it prints.
func (d *day) board(args ...string) string {
	d.t.Helper()
	status, out := d.try(args...)
	if status != 0 {
		d.t.Fatalf("board %s: exit %d: %s", strings.Join(args, " "), status, out)
	}
	return out
}

func (d *day) try(args ...string) (status int, out string) {
	var data, talk bytes.Buffer
	status = Run(context.Background(), Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &data, Stderr: &talk, Getenv: d.env, Cwd: d.root, Now: d.clock, Person: "ada", Machine: "here",
	})
	if status != 0 {
		return status, data.String() + talk.String()
	}
	return status, data.String()
}

// event has the agent's host tell of something, a while after what was told last.
func (d *day) event(a *dayAgent, name string, fields map[string]any) {
	d.t.Helper()
	d.events++
	d.now = d.now.Add(time.Duration(20+d.rng.IntN(60)) * time.Second)
	turn := map[string]string{runs.ClaudeCode: "prompt_id", runs.Codex: "turn_id"}[a.host]
	m := map[string]any{
		"session_id": a.session, turn: fmt.Sprintf("%s-%d", a.session, a.turn), "cwd": d.repo(a.prefix), "hook_event_name": name,
		"transcript_path": nil, "permission_mode": "default",
	}
	if a.host == runs.ClaudeCode {
		m["transcript_path"] = "/home/ada/.claude/projects/x.jsonl"
	}
	for k, v := range fields {
		m[k] = v
	}
	body, err := json.Marshal(m)
	if err != nil {
		d.t.Fatal(err)
	}
	hooks.Main(hooks.Process{
		Args: []string{"--host", a.host, "--protocol", "1"}, Stdin: bytes.NewReader(body), Stdout: io.Discard, Getenv: d.env, Now: d.clock,
		Person: "ada", Machine: "here",
	})
}

func (d *day) prompt(a *dayAgent) {
	a.turn++
	a.over = false
	d.event(a, "UserPromptSubmit", map[string]any{"prompt": "go on"})
	delete(d.waits, "dialog "+a.session)
	if a.holds != "" {
		delete(d.waits, a.holds)
	}
}

func (d *day) edit(a *dayAgent) {
	file := filepath.Join(d.repo(a.prefix), a.session, fmt.Sprintf("f%d.go", d.rng.IntN(5))) // of its own: nobody collides
	if a.host == runs.Codex {
		d.event(a, "PostToolUse", map[string]any{
			"tool_name": "apply_patch", "tool_use_id": fmt.Sprint("c", d.events),
			"tool_input": map[string]any{"command": "*** Begin Patch\n*** Update File: " + file + "\n*** End Patch"},
		})
	} else {
		d.event(a, "PostToolUse", map[string]any{
			"tool_name": "Edit", "tool_use_id": fmt.Sprint("c", d.events), "tool_input": map[string]any{"file_path": file},
		})
	}
}

func (d *day) look(a *dayAgent) {
	d.event(a, "PostToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprint("c", d.events)})
}

// stop ends a turn: the first Stop may be answered with the reminder, the second one is the end.
func (d *day) stop(a *dayAgent) {
	d.event(a, "Stop", map[string]any{"stop_hook_active": false, "background_tasks": []any{}})
	d.event(a, "Stop", map[string]any{"stop_hook_active": true, "background_tasks": []any{}})
	a.over = true
	if a.holds != "" {
		d.waits[a.holds] = waiting{Code: "your_turn", About: a.holds, Since: d.now.UnixMilli(), command: "board show " + a.holds}
	}
}

// call has the agent call a tool of the board, as its newest run.
func (d *day) call(a *dayAgent, fn func(ctx context.Context, s *issues.Service, who issues.Actor, revision int64) error) {
	d.t.Helper()
	d.now = d.now.Add(5 * time.Second)
	ctx := context.Background()
	db, err := store.Open(ctx, store.Options{Path: d.db, Now: d.clock, Person: "ada", Machine: "here"})
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var handle string
	var revision int64
	err = db.SQL().QueryRow(`SELECT r.handle, r.revision FROM runs r JOIN lines l ON l.last_run = r.id WHERE l.session_key = ?`, a.session).Scan(&handle, &revision)
	if err == nil {
		err = fn(ctx, issues.New(db), issues.Actor{Person: "ada", Machine: "here", Agent: true, Who: runs.Who{Handle: handle}}, revision)
	}
	if err != nil {
		d.t.Fatalf("%s: %v", a.session, err)
	}
}

func (d *day) begin(a *dayAgent) {
	key := strings.TrimSpace(strings.Split(d.board("-P", a.prefix, "add", "Some work", "-c", "it is done"), "\t")[0])
	d.call(a, func(ctx context.Context, s *issues.Service, who issues.Actor, rev int64) error {
		_, err := s.BeginWork(ctx, who, issues.MoveCmd{Key: key, RunRevision: rev})
		return err
	})
	a.holds = key
}

// turns is what an agent does with a prompt. Each says what waits on the person afterwards.
func (d *day) turns() []func(a *dayAgent) {
	return []func(a *dayAgent){
		func(a *dayAgent) { // it only talks
			d.prompt(a)
			d.look(a)
			d.stop(a)
		},
		func(a *dayAgent) { // it works, on what it holds or on something new
			d.prompt(a)
			if a.holds == "" {
				d.begin(a)
			}
			d.edit(a)
			d.edit(a)
			d.stop(a)
		},
		func(a *dayAgent) { // it asks for closure
			d.prompt(a)
			if a.holds == "" {
				d.begin(a)
			}
			d.edit(a)
			d.call(a, func(ctx context.Context, s *issues.Service, who issues.Actor, rev int64) error {
				i, err := s.Get(ctx, 0, a.holds)
				if err != nil {
					return err
				}
				_, err = s.RequestClosure(ctx, who, issues.ClosureCmd{
					Key: a.holds, RunRevision: rev, IssueRevision: i.Revision, Summary: "done", Judgments: []issues.Judgment{{N: 1, Verdict: issues.Met, How: "looked"}},
				})
				return err
			})
			d.waits[a.holds] = waiting{Code: "closure_waiting", About: a.holds, Since: d.now.UnixMilli(), command: "board approve " + a.holds}
			a.holds = ""
			d.stop(a)
		},
		func(a *dayAgent) { // it has a question
			d.prompt(a)
			if a.holds == "" {
				d.begin(a)
			}
			d.call(a, func(ctx context.Context, s *issues.Service, who issues.Actor, rev int64) error {
				_, err := s.Pause(ctx, who, issues.MoveCmd{Key: a.holds, RunRevision: rev, PauseReason: issues.Question, Reason: "Which of the two?"})
				return err
			})
			d.waits[a.holds] = waiting{Code: "needs_answer", About: a.holds, Since: d.now.UnixMilli(), command: "board resume " + a.holds}
			a.holds = ""
			d.stop(a)
		},
		func(a *dayAgent) { // it edits, and made no card
			d.prompt(a)
			d.edit(a)
			if a.holds == "" && a.cardless == 0 {
				a.cardless = d.now.UnixMilli()
			}
			d.stop(a)
		},
	}
}

// finish leaves each of the agents in another situation.
func (d *day) finish() {
	ask, lose := d.agents[0], d.agents[1]
	d.prompt(lose)
	if lose.holds == "" {
		d.begin(lose)
	}
	d.look(lose)
	lost := d.now.Add(45 * time.Minute).UnixMilli()
	lose.over = true
	d.waits[lose.holds] = waiting{Code: "lost_with_issue", About: lose.holds, Since: lost, command: "board release " + lose.holds}
	d.now = d.now.Add(50 * time.Minute)
	d.prompt(ask)
	d.look(ask)
	d.event(ask, "Notification", map[string]any{"notification_type": "permission_prompt"})
	d.waits["dialog "+ask.session] = waiting{
		Code: "needs_approval", About: ask.session, Since: d.now.UnixMilli(), command: "board runs --session " + ask.session,
	}
	d.now = d.now.Add(time.Minute)
}

func (d *day) want() (list []waiting) {
	for _, w := range d.waits {
		list = append(list, w)
	}
	for _, a := range d.agents {
		if a.cardless != 0 && a.over {
			list = append(list, waiting{Code: "edits_without_issue", About: a.session, Since: a.cardless})
		}
	}
	slices.SortFunc(list, oldestFirst)
	return list
}

func oldestFirst(a, b waiting) int {
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.About, b.About), cmp.Compare(a.Code, b.Code))
}

// inbox is what the command says, in the words of the record.
func (d *day) inbox() (list []waiting) {
	d.t.Helper()
	var doc struct {
		Data []struct{ Code, Since, Issue, Session, Command string }
	}
	if err := json.Unmarshal([]byte(d.board("inbox", "--json")), &doc); err != nil {
		d.t.Fatal(err)
	}
	for _, r := range doc.Data {
		at, err := time.Parse(time.RFC3339, r.Since)
		if err != nil {
			d.t.Fatal(err)
		}
		if r.Code == "needs_approval" {
			r.Issue = "" // it is its agent that waits
		}
		list = append(list, waiting{Code: r.Code, About: cmp.Or(r.Issue, r.Session), Since: at.UnixMilli(), command: r.Command})
	}
	return list
}
