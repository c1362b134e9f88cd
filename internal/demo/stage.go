package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"board/internal/lab"
)

// stage plays the steps of the demo. A step says what will change on the board; the stage looks at the whole board before
// and after it, and fails when anything else changed, or anything less.
type stage struct {
	world      *lab.World
	recordings string
	n          int
	last       map[string]string // what snapshot saw after the last step
}

// step plays one step. do returns what is worth saying of it; changes are all the changes that it may make.
func (s *stage) step(ctx context.Context, who, what string, do func() (string, error), changes ...string) error {
	s.n++
	note, err := do()
	if err != nil {
		return fmt.Errorf("step %d, %s: %s: %w", s.n, who, what, err)
	}
	now, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	got := diff(s.last, now)
	s.last = now
	shown := got
	if note != "" {
		shown = append(slices.Clone(got), note)
	}
	if len(shown) == 0 {
		shown = []string{"nothing changes"}
	}
	lead := fmt.Sprintf("%3d  %-11s  %-37s  ", s.n, who, what)
	for _, part := range shown {
		for _, l := range wrap(part, width-utf8.RuneCountInString(lead)) {
			fmt.Println(lead + l)
			lead = strings.Repeat(" ", utf8.RuneCountInString(lead))
		}
	}
	if want := slices.Sorted(slices.Values(changes)); !slices.Equal(got, want) {
		return fmt.Errorf("step %d, %s: %s:\n  expected %q\n  got      %q", s.n, who, what, want, got)
	}
	return nil
}

// width is what the demo prints on a line: a terminal beside something else.
const width = 100

func (s *stage) title(text string) { fmt.Printf("\n%s\n\n", strings.Join(wrap(text, width), "\n")) }

// wrap breaks a text into lines of at most n runes. A longer word is a line of its own.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > n {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + w)
	}
	return append(lines, line)
}

// snapshot reads the state of every Issue and every run, through the same command line that people use.
func (s *stage) snapshot(ctx context.Context) (map[string]string, error) {
	var list []struct {
		Key, State string
		Claim      struct{ Run, State string }
	}
	if err := s.json(ctx, &list, "list", "--all"); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, i := range list {
		seen[i.Key] = i.State
		if i.Claim.Run != "" {
			seen[i.Key] += " (" + i.Claim.Run + ")"
		}
	}
	var rows []struct{ Run, Kind, State, Outcome string }
	if err := s.json(ctx, &rows, "runs", "--limit", "1000"); err != nil {
		return nil, err
	}
	for _, r := range rows {
		seen[r.Run] = r.State
		if r.Outcome != "" {
			seen[r.Run] += "/" + r.Outcome
		}
	}
	return seen, nil
}

// json runs a command with --json and reads its data.
func (s *stage) json(ctx context.Context, data any, args ...string) error {
	out := s.world.Board(ctx, append(args, "--json")...)
	if out.Err != nil {
		return fmt.Errorf("board %s: %w: %s", strings.Join(args, " "), out.Err, out.Stderr)
	}
	doc := struct {
		Kind string
		Data any
	}{Data: data}
	if err := json.Unmarshal([]byte(out.Stdout), &doc); err != nil {
		return fmt.Errorf("board %s --json: %w: %.200s", strings.Join(args, " "), err, out.Stdout)
	}
	return nil
}

func diff(before, after map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(after)) {
		switch was, ok := before[k]; {
		case !ok:
			out = append(out, k+" new: "+after[k])
		case was != after[k]:
			out = append(out, k+" "+was+" → "+after[k])
		}
	}
	for k, v := range before {
		if _, ok := after[k]; !ok {
			out = append(out, k+" gone, was "+v)
		}
	}
	slices.Sort(out)
	return out
}

// show prints the board as a person sees it on a terminal.
func (s *stage) show(ctx context.Context) error {
	screen, err := s.world.Terminal(ctx, width-2, 40)
	if err != nil {
		return fmt.Errorf("board: %w: %s", err, screen)
	}
	fmt.Print("  " + strings.ReplaceAll(strings.TrimRight(screen, "\n"), "\n", "\n  ") + "\n")
	return nil
}

// person runs one command of a person, which must succeed.
func (s *stage) person(ctx context.Context, args ...string) func() (string, error) {
	return s.personSees(ctx, "", args...)
}

// personSees is person for a command whose effect no Issue and no run shows.
func (s *stage) personSees(ctx context.Context, note string, args ...string) func() (string, error) {
	return func() (string, error) {
		out := s.world.Board(ctx, args...)
		if out.Err != nil {
			return "", fmt.Errorf("%w: %s%s", out.Err, out.Stdout, out.Stderr)
		}
		return note, nil
	}
}

// session is a recorded session on its way through the hook.
type session struct {
	stage  *stage
	host   string
	agent  string // root, or subagent
	events []lab.Event
	// What the last answer of the hook said.
	run      string // the handle that the model was given
	revision string
	text     string
}

func (s *stage) session(host, recording string) (*session, error) {
	events, err := lab.Recording(filepath.Join(s.recordings, host, "sequence."+recording+".jsonl"))
	return &session{stage: s, host: host, agent: "root", events: events}, err
}

// next delivers the next recorded event, which must be one named event. Every answer of the hook exits 0 with an empty
// stderr; answer says what else it must be.
func (c *session) next(ctx context.Context, event string, answer answer, changes ...string) error {
	if len(c.events) == 0 || c.events[0].Event != event {
		return fmt.Errorf("%s: the recording does not go on with %s", c.host, event)
	}
	e := c.events[0]
	c.events = c.events[1:]
	return c.deliver(ctx, e, answer, changes...)
}

func (c *session) deliver(ctx context.Context, e lab.Event, answer answer, changes ...string) error {
	what := e.Event
	if agent := e.Field("agent_id"); agent != "" {
		what += " of subagent " + agent[:4]
	}
	if tool := e.Field("tool_name"); tool != "" {
		what += " (" + strings.TrimPrefix(tool, "mcp__board__") + ")"
	}
	return c.stage.step(ctx, c.host, what, func() (string, error) {
		out := c.stage.world.Deliver(ctx, c.host, e)
		if out.Err != nil || out.Stderr != "" {
			return "", fmt.Errorf("the hook exited %d, stderr %q", out.Code, out.Stderr)
		}
		return answer(c, e, out.Stdout)
	}, changes...)
}

type answer func(c *session, e lab.Event, stdout string) (string, error)

// quiet expects no answer.
func quiet(_ *session, e lab.Event, stdout string) (string, error) {
	if stdout != "" {
		return "", fmt.Errorf("the hook printed %q", stdout)
	}
	switch tool := e.Field("tool_name"); {
	case e.Event == "SessionStart":
		return "nothing yet: a prompt opens the session", nil
	case e.Event == "SessionEnd":
		return "session ended", nil
	case e.Event == "PreToolUse" && strings.HasPrefix(tool, "mcp__board__"):
		return "the call is noted as proof", nil
	case e.Event == "PostToolUse":
		return "sign of life", nil
	}
	return "", nil
}

// waits is quiet for a turn that ended while a task of it goes on in the background.
func waits(c *session, e lab.Event, stdout string) (string, error) {
	_, err := quiet(c, e, stdout)
	return "its subagent still works in the background: the run waits for it", err
}

var firstLine = regexp.MustCompile(`^board: run (run_[0-9a-f]{32}) revision (\d+) issue (\S+)\n`)

// told reads the first line of a text for the model, and returns the Issue that it names.
func (c *session) told(text string) (string, error) {
	m := firstLine.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("no first line in %.200q", text)
	}
	c.run, c.revision, c.text = m[1], m[2], text
	return m[3], nil
}

// context expects the host's own JSON with additionalContext for this event.
func contextFor(c *session, e lab.Event, stdout string) (string, error) {
	var o struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(stdout), &o); err != nil || o.HookSpecificOutput.HookEventName != e.Event {
		return "", fmt.Errorf("no context for %s: %.300q", e.Event, stdout)
	}
	_, err := c.told(o.HookSpecificOutput.AdditionalContext)
	return "the model is told which run it is", err
}

// probe expects the host to be asked to go on once.
func probe(c *session, e lab.Event, stdout string) (string, error) {
	var o struct {
		Decision, Reason   string
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(stdout), &o); err != nil {
		return "", fmt.Errorf("no probe: %.300q", stdout)
	}
	text := o.HookSpecificOutput.AdditionalContext
	if c.host == "codex" {
		text = o.Reason
		if o.Decision != "block" {
			return "", fmt.Errorf("no block: %.300q", stdout)
		}
	}
	issue, err := c.told(text)
	return "the turn may not end yet: the agent is asked, this once, how far " + issue + " is", err
}
