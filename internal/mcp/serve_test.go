package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"board/internal/store"
)

func TestTheVersionOfTheProtocolIsOurs(t *testing.T) {
	for _, tc := range []struct{ asked, want string }{
		{`"protocolVersion":"2024-11-05"`, "2024-11-05"},
		{`"protocolVersion":"2025-03-26"`, "2025-03-26"},
		{`"protocolVersion":"2025-06-18"`, "2025-06-18"},
		{`"protocolVersion":"2025-11-25"`, "2025-11-25"},
		{`"protocolVersion":"2026-07-28"`, "2025-11-25"}, // has no handshake; who sends one speaks an older version
		{`"protocolVersion":"2099-01-01"`, "2025-11-25"},
		{`"protocolVersion":"1.0"`, "2025-11-25"},
		{`"protocolVersion":""`, "2025-11-25"},
		{`"protocolVersion":20251125`, "2025-11-25"},
		{`"capabilities":[],"clientInfo":7`, "2025-11-25"},
		{`"protocolVersion":"2025-11-25","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, "2025-11-25"},
	} {
		m := talk(t, noBoard(), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+tc.asked+`}}`)[0]
		var r struct {
			ProtocolVersion string
			ServerInfo      struct{ Name, Version string }
			Capabilities    struct{ Tools map[string]any }
		}
		if m.Error != nil {
			t.Errorf("%s: %+v", tc.asked, m.Error)
			continue
		}
		if err := json.Unmarshal(m.Result, &r); err != nil || r.ProtocolVersion != tc.want || r.ServerInfo.Name != "board" || r.Capabilities.Tools == nil {
			t.Errorf("%s: want %s, got %s", tc.asked, tc.want, m.Result)
		}
	}
}

func TestEveryLineGetsTheAnswerThatIsDue(t *testing.T) {
	const none = 0
	for _, tc := range []struct {
		name, line string
		code       int // 0: a result
		id         string
		silent     bool
	}{
		{name: "ping before initialize", line: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, id: "1"},
		{name: "list before initialize", line: `{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, id: `"a"`},
		{name: "an id keeps its digits", line: `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, id: "9007199254740993"},
		{name: "byte order mark and CR", line: "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r", id: "1"},
		{name: "initialize without parameters", line: `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, id: "1"},
		{name: "initialize with a list", line: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[1]}`, id: "1"},
		{name: "initialize again", line: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`, id: "1"},
		{name: "server/discover", line: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "server/discover of the protocol without handshake", line: `{"jsonrpc":"2.0","id":"p","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, code: mcp.METHOD_NOT_FOUND, id: `"p"`},
		{name: "ping of a future protocol", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, id: "1"},
		{name: "unknown method", line: `{"jsonrpc":"2.0","id":1,"method":"nonsense"}`, code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "roots/list", line: `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "prompts/list", line: `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "resources/list", line: `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "unknown tool", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kanban_approve"}}`, code: mcp.INVALID_PARAMS, id: "1"},
		{name: "unknown tool with dots", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kanban.begin.work"}}`, code: mcp.INVALID_PARAMS, id: "1"},
		{name: "a tool without a name", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, code: mcp.INVALID_REQUEST, id: "1"},
		{name: "parameters that are a list", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, code: mcp.INVALID_REQUEST, id: "1"},
		{name: "a call without parameters", line: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, code: mcp.INVALID_PARAMS, id: "1"},
		{name: "malformed", line: `{"jsonrpc":"2.0","id":1,`, code: mcp.PARSE_ERROR, id: "null"},
		{name: "no JSON", line: `hello`, code: mcp.PARSE_ERROR, id: "null"},
		{name: "invalid UTF-8", line: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", code: mcp.METHOD_NOT_FOUND, id: "1"},
		{name: "a batch", line: `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, code: mcp.INVALID_REQUEST, id: "null"},
		{name: "a number", line: `7`, code: mcp.INVALID_REQUEST, id: "null"},
		{name: "no method", line: `{"jsonrpc":"2.0","id":1}`, code: mcp.INVALID_REQUEST, id: "1"},
		{name: "method of a wrong type", line: `{"jsonrpc":"2.0","id":1,"method":7}`, code: mcp.INVALID_REQUEST, id: "1"},
		{name: "an id that is none", line: `{"jsonrpc":"2.0","id":{},"method":"ping"}`, code: mcp.INVALID_REQUEST, id: "null"},
		{name: "id null", line: `{"jsonrpc":"2.0","id":null,"method":"ping"}`, code: mcp.INVALID_REQUEST, id: "null"},
		{name: "no version", line: `{"id":1,"method":"ping"}`, code: mcp.INVALID_REQUEST, id: "1"},
		{name: "too long", line: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", maxLine) + `"}}`, code: mcp.INVALID_REQUEST, id: "null"},
		{name: "deep", line: strings.Repeat("[", 100000), code: mcp.PARSE_ERROR, id: "null"},

		{name: "empty line", line: "  ", silent: true},
		{name: "initialized", line: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, silent: true},
		{name: "unknown notification", line: `{"jsonrpc":"2.0","method":"notifications/nonsense","params":{"a":[]}}`, silent: true},
		{name: "cancellation of a finished call", line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"done"}}`, silent: true},
		{name: "cancellation of an unknown call", line: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"x":1}}}`, silent: true},
		{name: "cancellation of nothing", line: `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, silent: true},
		{name: "a call as a notification", line: `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"kanban_create","arguments":{"title":"x"}}}`, silent: true},
		{name: "answer to a request that we never sent", line: `{"jsonrpc":"2.0","id":"roots-1","result":{"roots":[]}}`, silent: true},
		{name: "error to a request that we never sent", line: `{"jsonrpc":"2.0","id":"roots-1","error":{"code":-32601,"message":"no"}}`, silent: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// The ping after it shows that the server lives, and that nothing else came in between.
			all := talk(t, noBoard(), tc.line, `{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			if last := all[len(all)-1]; string(last.ID) != `"after"` || last.Error != nil {
				t.Errorf("after it: %+v", last)
			}
			if tc.silent {
				if len(all) != 1 {
					t.Errorf("answered: %+v", all[0])
				}
				return
			}
			if len(all) != 2 {
				t.Fatalf("%d answers", len(all))
			}
			code := none
			if e := all[0].Error; e != nil {
				code = e.Code
				if len(e.Message) == 0 || len(e.Message) > maxError {
					t.Errorf("message of %d bytes", len(e.Message))
				}
			}
			if code != tc.code || string(all[0].ID) != tc.id {
				t.Errorf("code %d id %s, want %d %s: %+v", code, all[0].ID, tc.code, tc.id, all[0].Error)
			}
		})
	}
}

func TestAtTheEndOfTheInputEveryQueuedCallIsAnsweredInOrder(t *testing.T) {
	d := newDesk(t)
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"kanban_list","arguments":{}}}`, i))
	}
	all := talk(t, d.options(), lines...)
	if len(all) != 30 {
		t.Fatalf("%d answers", len(all))
	}
	for i, m := range all {
		if string(m.ID) != fmt.Sprint(i) || m.Error != nil {
			t.Errorf("answer %d: %+v", i, m)
		}
	}
}

// blocked is a server whose store opens when free is closed, if the call is not cancelled before.
func blocked(free <-chan struct{}, cancelled *atomic.Bool) Options {
	o := noBoard()
	o.Open = func(ctx context.Context) (*store.DB, error) {
		select {
		case <-free:
			return nil, errors.New("opened")
		case <-ctx.Done():
			cancelled.Store(true)
			return nil, ctx.Err()
		}
	}
	return o
}

const slowCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"kanban_list"}}`

func TestTheEndOfTheInputDuringACall(t *testing.T) {
	for _, tc := range []struct {
		name      string
		takes     time.Duration
		cancelled bool
	}{
		{"that ends soon: it is answered", grace - time.Millisecond, false},
		{"that does not: it is cancelled", time.Hour, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				free := make(chan struct{})
				timer := time.AfterFunc(tc.takes, func() { close(free) })
				defer timer.Stop()
				var cancelled atomic.Bool
				o := blocked(free, &cancelled)
				var out bytes.Buffer
				o.In, o.Out = strings.NewReader(slowCall+"\n"), &out
				start := time.Now()
				if err := serve(t.Context(), o); err != nil {
					t.Error(err)
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("took %v", took)
				}
				if cancelled.Load() != tc.cancelled {
					t.Errorf("cancelled: %v", cancelled.Load())
				}
				if a := toAnswer(t, parse(t, out.String())); !a.isError {
					t.Errorf("answer %s", a.raw)
				}
			})
		})
	}
}

func TestAServerIsGoneWithinASecondWhateverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := noBoard()
		o.Open = func(context.Context) (*store.DB, error) { <-release; return nil, errors.New("late") } // deaf to its context
		o.In, o.Out = strings.NewReader(slowCall+"\n"), io.Discard
		start := time.Now()
		if serve(t.Context(), o) == nil {
			t.Error("a call that hangs is not told")
		}
		if took := time.Since(start); took >= time.Second {
			t.Errorf("took %v", took)
		}
		close(release)
		synctest.Wait()
	})
}

func TestAClientThatReadsNothingDoesNotKeepAServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outR, outW := io.Pipe()
		o := noBoard()
		o.In, o.Out = strings.NewReader(strings.Repeat(slowCall+"\n", 3)), outW
		start := time.Now()
		if serve(t.Context(), o) == nil {
			t.Error("an answer that nobody took is not told")
		}
		if took := time.Since(start); took >= time.Second {
			t.Errorf("took %v", took)
		}
		_ = outR.Close()
		synctest.Wait()
	})
}

func TestASignalEndsAnIdleServerAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer func() { _ = inW.Close() }()
	o := noBoard()
	o.In, o.Out = inR, io.Discard
	cancel()
	if err := serve(ctx, o); err != nil {
		t.Error(err)
	}
}

func TestABrokenOutputEndsTheServer(t *testing.T) {
	outR, outW := io.Pipe()
	_ = outR.Close()
	inR, inW := io.Pipe()
	defer func() { _ = inW.Close() }()
	o := noBoard()
	o.In, o.Out = inR, outW
	done := make(chan error, 1)
	go func() { done <- serve(t.Context(), o) }()
	if _, err := io.WriteString(inW, slowCall+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestAnIdleServerHoldsNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		var db *store.DB
		opened := 0
		o := d.options()
		o.Open = func(ctx context.Context) (*store.DB, error) {
			opened++
			var err error
			db, err = d.open(ctx)
			return db, err
		}
		s := connect(t, o)
		s.call("kanban_list", nil, nil)
		s.call("kanban_list", nil, nil)
		if opened != 1 || db.SQL().Ping() != nil {
			t.Errorf("opened %d times for two calls in a row", opened)
		}
		time.Sleep(idleTime) // of the bubble: no time passes
		synctest.Wait()
		if db.SQL().Ping() == nil {
			t.Error("the store is open after the idle time")
		}
		if s.call("kanban_list", nil, nil); opened != 2 {
			t.Errorf("opened %d times", opened)
		}
		_ = s.in.Close()
		synctest.Wait()
	})
}

func TestAPanicInAToolIsAnAnswer(t *testing.T) {
	var log bytes.Buffer
	o := noBoard()
	o.Err = &log
	o.Open = func(context.Context) (*store.DB, error) { panic("a defect") }
	all := talk(t, o, slowCall, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if a := toAnswer(t, all[0]); a.code() != "internal" || strings.Contains(a.text, "a defect\n") {
		t.Errorf("got %s", a.raw)
	}
	if all[1].Error != nil || !strings.Contains(log.String(), "a defect") {
		t.Errorf("after it %+v, log %q", all[1], log.String())
	}
}

func TestLinesAreReadWhateverTheirLength(t *testing.T) {
	long := strings.Repeat("x", 3*64<<10)
	out, quit := make(chan line), make(chan struct{})
	defer close(quit)
	go readLines(strings.NewReader("a\n\n"+long+"\n"+strings.Repeat("y", maxLine+1)+"\nlast"), out, quit)
	var got []string
	for l := range out {
		if l.tooLong {
			got = append(got, "too long")
			continue
		}
		got = append(got, strings.TrimSpace(string(l.data)))
	}
	want := []string{"a", "", long, "too long", "last"}
	if len(got) != len(want) {
		t.Fatalf("%d lines", len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d has %d bytes, want %d", i, len(got[i]), len(want[i]))
		}
	}
}
