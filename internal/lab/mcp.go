package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Client is an MCP client of one `board mcp` process.
type Client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	id    int
	stop  context.CancelFunc
	Tools []string // names, as tools/list gave them
}

// Answer is the result of a tool.
type Answer struct {
	Text       string
	Structured json.RawMessage
	IsError    bool
}

// Serve starts `board mcp` in the repository and says hello.
func (w *World) Serve(ctx context.Context, env ...string) (*Client, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &Client{cmd: exec.CommandContext(ctx, w.Program("board"), "mcp"), stop: cancel}
	c.cmd.Dir, c.cmd.Env = w.Repo, w.Env(env...)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewScanner(out)
	c.out.Buffer(nil, 4<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.hello(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Client) hello() error {
	if _, err := c.Request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "lab", "version": "1"},
	}); err != nil {
		return err
	}
	if err := c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	raw, err := c.Request("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, t := range list.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
	return nil
}

// Pid is the process id of the server.
func (c *Client) Pid() int { return c.cmd.Process.Pid }

// Request sends one request and returns its result.
func (c *Client) Request(method string, params any) (json.RawMessage, error) {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for c.out.Scan() {
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			return nil, fmt.Errorf("board mcp wrote what is no JSON: %.200q", c.out.Text())
		}
		switch {
		case m.ID == nil || *m.ID != c.id:
			continue // a notification
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		default:
			return m.Result, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s: board mcp closed its output", method), c.out.Err())
}

// Tool calls a tool. meta is what the host adds to prove its caller, nil for none.
func (c *Client) Tool(name string, args, meta map[string]any) (Answer, error) {
	if args == nil {
		args = map[string]any{}
	}
	params := map[string]any{"name": name, "arguments": args}
	if meta != nil {
		params["_meta"] = meta
	}
	raw, err := c.Request("tools/call", params)
	if err != nil {
		return Answer{}, err
	}
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Answer{}, err
	}
	a := Answer{Structured: r.StructuredContent, IsError: r.IsError}
	for _, p := range r.Content {
		a.Text += p.Text
	}
	return a, nil
}

func (c *Client) send(m any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(b, '\n'))
	return err
}

// Close ends the server as a host does, by closing its input, and reports how it exited.
func (c *Client) Close() error {
	defer c.stop()
	return errors.Join(c.in.Close(), c.cmd.Wait())
}

// Kill ends the server with no warning.
func (c *Client) Kill() error {
	err := c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it says "killed"
	c.stop()
	return err
}
