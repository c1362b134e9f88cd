package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"board/internal/fault"
	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// effect says what a tool may do to the board.
type effect int

const (
	reads effect = iota
	writes
)

// tool is one tool: what agents see of it, and what it does.
type tool struct {
	name   string
	effect effect
	about  string
	schema *jsonschema.Schema
	err    error // of the schema: a defect
	bind   func(raw json.RawMessage) (runID string, do action, err error)
}

// action is a call whose arguments are read.
type action func(ctx context.Context, c *call) (reply, error)

// call is what a tool works with: the open board, who calls, and in which project.
type call struct {
	db      *store.DB
	issues  *issues.Service
	actor   issues.Actor
	project int64
}

// declare makes a tool. Its arguments are the fields of In; without omitempty an argument is required.
func declare[In interface{ runID() string }](name string, e effect, about string, do func(context.Context, *call, In) (reply, error)) tool {
	schema, err := schemaOf[In]()
	return tool{
		name: name, effect: e, about: about, schema: schema, err: err,
		bind: func(raw json.RawMessage) (string, action, error) {
			var in In
			if err := decode(name, schema, raw, &in); err != nil {
				return "", nil, err
			}
			return in.runID(), func(ctx context.Context, c *call) (reply, error) { return do(ctx, c, in) }, nil
		},
	}
}

// listed is the tool as tools/list shows it. All four hints are said: hosts take an absent one for the worst.
func (t tool) listed() (mcp.Tool, error) {
	schema, err := json.Marshal(t.schema)
	if err = errors.Join(t.err, err); err != nil {
		return mcp.Tool{}, fmt.Errorf("%s: %w", t.name, err)
	}
	return mcp.Tool{
		Name:           t.name,
		Description:    t.about,
		RawInputSchema: schema,
		Annotations: mcp.ToolAnnotation{
			ReadOnlyHint:    mcp.ToBoolPtr(t.effect == reads),
			DestructiveHint: mcp.ToBoolPtr(false),
			IdempotentHint:  mcp.ToBoolPtr(true),
			OpenWorldHint:   mcp.ToBoolPtr(false),
		},
	}, nil
}

// server is one `board mcp`.
type server struct {
	out   io.Writer
	err   io.Writer
	cwd   string
	drain func(context.Context, *store.DB) error
	board board
	rpc   *mcpserver.MCPServer
	names []string // of the tools
}

func newServer(o Options) (*server, error) {
	s := &server{out: o.Out, err: o.Err, cwd: o.Cwd, drain: o.Drain, board: board{open: o.Open}}
	s.rpc = mcpserver.NewMCPServer("board", o.Version,
		mcpserver.WithToolCapabilities(false), mcpserver.WithInstructions(instructions))
	for _, t := range tools() {
		listed, err := t.listed()
		if err != nil {
			return nil, err
		}
		s.names = append(s.names, t.name)
		s.rpc.AddTool(listed, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r), nil
		})
	}
	return s, nil
}

func (s *server) has(name string) bool { return slices.Contains(s.names, name) }

// call answers one tool call. It never fails: every error is told as text, which is all that a model sees of one.
func (s *server) call(ctx context.Context, t tool, r mcp.CallToolRequest) *mcp.CallToolResult {
	work, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	c := &call{actor: issues.Actor{Agent: true, Who: runs.Who{Proof: proofOf(r.Params.Meta)}}}
	var answer reply
	err := s.guard(t.name, func() (err error) {
		answer, err = s.perform(work, c, t, r.Params.RawArguments)
		return err
	})
	var caller *caller
	_ = s.guard("the first line", func() error { caller = s.caller(ctx, c); return nil })
	if err != nil {
		s.board.after(err)
		return failure(caller, err)
	}
	return success(caller, answer)
}

// guard runs do and turns a panic into an error: a defect in one call must not end the server.
func (s *server) guard(name string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.Wrap(fmt.Errorf("%v\n%s", p, debug.Stack()), fault.Internal,
				"call again; if it persists tell the person: what this MCP server writes to stderr says more", "a defect in board")
		}
		if fault.CodeOf(err) == fault.Internal {
			f := fault.As(err)
			s.log(name, cmp.Or(f.Cause, error(f)))
		}
	}()
	return do()
}

func (s *server) perform(ctx context.Context, c *call, t tool, raw json.RawMessage) (reply, error) {
	runID, do, invalid := t.bind(raw)
	c.actor.Who.Handle = runID
	var err error
	if c.db, err = s.board.use(ctx); err != nil {
		return reply{}, errors.Join(invalid, err)
	}
	c.issues = issues.New(c.db)
	if invalid != nil {
		return reply{}, invalid
	}
	if t.effect == writes {
		// What events say happened before this call, so they come first: while they cannot be stored, neither can this.
		// One that cannot be read waits on; the call does not.
		switch err := s.drain(ctx, c.db); {
		case fault.CodeOf(err) == fault.StoreBusy:
			return reply{}, err
		case err != nil:
			s.log("the spool was not drained", err)
		}
	}
	if err := s.place(ctx, c, t.effect); err != nil {
		return reply{}, err
	}
	if t.effect == reads {
		s.touch(ctx, c)
	}
	return do(ctx, c)
}

// caller says which run called and what it holds, nil when that is not known.
func (s *server) caller(ctx context.Context, c *call) *caller {
	if c.issues == nil || c.actor.Who.Handle == "" && c.actor.Who.Proof == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, touchTime)
	defer cancel()
	run, held, err := c.issues.Acting(ctx, c.actor)
	if err != nil || run == nil {
		return nil
	}
	return &caller{RunID: run.Handle, RunRevision: run.Revision, IssueKey: held, line: runs.FirstLine(*run, held)}
}

// log tells people what a model need not know.
func (s *server) log(what string, err error) {
	_, _ = fmt.Fprintf(s.err, "board mcp: %s: %s\n", what, strings.TrimSpace(err.Error()))
}

// touchTime bounds what is done for a call beside the call itself.
const touchTime = 2 * time.Second
