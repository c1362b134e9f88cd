package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

var rewrite = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a board with one project, and what a server needs to serve it.
type desk struct {
	t       *testing.T
	path    string
	dir     string
	now     time.Time
	project projects.Project
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, path: filepath.Join(t.TempDir(), "board.db"), dir: t.TempDir(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	d.write(func(ctx context.Context, tx *store.Tx) error {
		var err error
		d.project, _, err = projects.Register(ctx, tx, d.dir, "PRE", "desk")
		return err
	})
	return d
}

func (d *desk) open(ctx context.Context) (*store.DB, error) {
	return store.Open(ctx, store.Options{Path: d.path, Now: func() time.Time { return d.now }, Person: "pat", Machine: "test"})
}

// with runs do on the board as another process would.
func (d *desk) with(do func(ctx context.Context, db *store.DB) error) {
	d.t.Helper()
	db, err := d.open(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	if err := errors.Join(do(d.t.Context(), db), db.Close()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) write(do func(ctx context.Context, tx *store.Tx) error) {
	d.t.Helper()
	d.with(func(ctx context.Context, db *store.DB) error { return db.Write(ctx, do) })
}

// prompt is a user's prompt in a session, as a hook reports it. It returns the handle of the run.
func (d *desk) prompt(host, session, turn string) string {
	d.t.Helper()
	return d.observe(runs.Observation{Kind: runs.OnPrompt, Name: "UserPromptSubmit", Key: runs.Key{Host: host, Session: session, Turn: turn}})
}

func (d *desk) observe(o runs.Observation) string {
	d.t.Helper()
	var run runs.Run
	d.write(func(ctx context.Context, tx *store.Tx) error {
		o.RawTurn, o.ProjectID, o.ReceivedAt = o.Key.Turn, d.project.ID, tx.Now
		r, err := runs.Observe(ctx, tx, o, nil)
		if err == nil && r.Run.ID == 0 {
			err = fmt.Errorf("%s registered no run", o.Name)
		}
		if err == nil {
			run = r.Run
		}
		return err
	})
	return run.Handle
}

func (d *desk) options() Options {
	return Options{
		Cwd: d.dir, Version: "test", Err: io.Discard, Open: d.open,
		Drain: func(context.Context, *store.DB) error { return nil },
	}
}

// session is a client of a running server.
type session struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
	id   int
}

func (d *desk) connect() *session { return connect(d.t, d.options()) }

func connect(t *testing.T, o Options) *session {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &session{t: t, in: inW, out: bufio.NewReaderSize(outR, 1<<20), done: make(chan error, 1)}
	o.In, o.Out = inR, outW
	go func() {
		err := serve(t.Context(), o)
		_ = outW.Close()
		s.done <- err
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		if err := <-s.done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = outR.Close()
	})
	return s
}

// message is what a server sends.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (s *session) send(raw string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, raw+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) receive() message {
	s.t.Helper()
	l, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatal(err)
	}
	return parse(s.t, l)
}

func parse(t *testing.T, l string) message {
	t.Helper()
	var m message
	d := json.NewDecoder(strings.NewReader(l))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
		t.Fatalf("not a JSON-RPC answer (%v): %s", err, l)
	}
	return m
}

// answer is the result of a tool call.
type answer struct {
	text    string
	isError bool
	data    map[string]any
	raw     string
}

// code is the code of an error.
func (a answer) code() string {
	l := strings.Split(a.text, "\n")
	c, _, _ := strings.Cut(l[len(l)-1], ":")
	return c
}

// at walks into the structured form.
func (a answer) at(path ...string) any {
	var v any = a.data
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

func (a answer) revision() int64 {
	f, _ := a.at("issue", "revision").(float64)
	return int64(f)
}

func (s *session) call(tool string, args, meta map[string]any) answer {
	s.t.Helper()
	s.id++
	b, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": s.id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args, "_meta": meta},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.send(string(b))
	m := s.receive()
	if m.Error != nil {
		s.t.Fatalf("%s: %+v", tool, m.Error)
	}
	return toAnswer(s.t, m)
}

// toAnswer checks what holds for every answer of a tool.
func toAnswer(t *testing.T, m message) answer {
	t.Helper()
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent map[string]any
		IsError           bool
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("not a tool result (%v): %s", err, m.Result)
	}
	a := answer{r.Content[0].Text, r.IsError, r.StructuredContent, string(m.Result)}
	if a.isError {
		if a.data != nil || len(a.text) > maxError || !strings.Contains(a.text, ". Next: ") {
			t.Errorf("not an error as SPEC wants it (%d bytes): %s", len(a.text), m.Result)
		}
		return a
	}
	var v any
	if err := json.Unmarshal(m.Result, &v); err != nil {
		t.Fatal(err)
	}
	if where := findNull("", v); where != "" {
		t.Errorf("null at %s: %s", where, m.Result)
	}
	if a.data == nil {
		t.Errorf("no structuredContent: %s", m.Result)
	}
	if c, ok := a.data["caller"].(map[string]any); ok {
		key := c["issue_key"]
		if key == nil {
			key = "none"
		}
		want := fmt.Sprintf("board: run %v revision %v issue %v\n", c["run_id"], c["run_revision"], key)
		if !strings.HasPrefix(a.text, want) {
			t.Errorf("first line: want %q in %q", want, a.text)
		}
	} else if strings.HasPrefix(a.text, "board: run") {
		t.Errorf("the caller is in the text only: %s", m.Result)
	}
	return a
}

func findNull(at string, v any) string {
	switch v := v.(type) {
	case nil:
		return at
	case map[string]any:
		for k, e := range v {
			if w := findNull(at+"."+k, e); w != "" {
				return w
			}
		}
	case []any:
		for i, e := range v {
			if w := findNull(fmt.Sprintf("%s[%d]", at, i), e); w != "" {
				return w
			}
		}
	}
	return ""
}

// codex is what Codex says of a call.
func codex(session, thread, turn string) map[string]any {
	return map[string]any{metaCodex: map[string]any{"session_id": session, "thread_id": thread, "turn_id": turn}}
}

// talk sends lines to a server, ends the input at once, and returns the answers. In the bubble the time that a server
// has left to answer does not depend on how busy the machine is: its clock stands still while anything is done.
func talk(t *testing.T, o Options, lines ...string) []message {
	t.Helper()
	var out strings.Builder
	o.In, o.Out = strings.NewReader(strings.Join(lines, "\n")), &out
	synctest.Test(t, func(t *testing.T) {
		if err := serve(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	})
	var all []message
	for l := range strings.Lines(out.String()) {
		all = append(all, parse(t, l))
	}
	return all
}

// noBoard is a server without a store.
func noBoard() Options {
	return Options{
		Version: "test", Err: io.Discard,
		Open:  func(context.Context) (*store.DB, error) { return nil, errors.New("there is no board here") },
		Drain: func(context.Context, *store.DB) error { return nil },
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if string(want) != string(got) {
		t.Errorf("%s differs from what is served; if that is meant, write it with -update\ngot:\n%s", file, got)
	}
}
