package main

import (
	"context"
	"time"

	"board/internal/modelserver"
)

// host is one of the real programs: how it is started offline, and how its model is made to act. A scenario that is the
// same for every host is written once, in terms of it.
type host interface {
	name() string
	pkg() npm
	// program is what is started, in the folder that npm installed to.
	program(installed string) string
	// prepare writes what the host needs to run offline against the model of w, before board is installed.
	prepare(w *world) error
	// env is what its process needs beside the environment of every program of w.
	env(w *world) []string
	// headless is the arguments of one turn without a terminal. With resume the last session goes on.
	headless(w *world, prompt string, resume bool) []string
	// resumes is the arguments of one turn without a terminal that goes on with a session.
	resumes(w *world, session, prompt string) []string
	// session is the id of the session of a headless run that ended, as the host itself says it.
	session(w *world, p *process) string
	// said is the last message of the agent, as the caller of a headless run reads it from its standard output.
	said(stdout string) string

	// tool calls a tool of board, by its name there.
	tool(name string, args args) modelserver.Call
	// edit makes the agent write a file of its work tree.
	edit(w *world, file, content string) modelserver.Call
	// shell makes the agent run a command.
	shell(command string) modelserver.Call

	// side are the rules for what the host asks the model for itself, such as titles. Their lanes start with "side".
	side() []modelserver.Rule
	// complaints are the words in which the host says that an answer of a hook was bad, in what it left behind in the world.
	complaints(w *world) []string
	// hookTimes are how long the host waited for each hook of board, as it says itself.
	hookTimes(w *world) []time.Duration
	// expects says whether a request that no model answers is one that the host is known to make, such as "HEAD /".
	expects(stray string) bool
	// knows is what the host can tell board.
	knows() knows
	// cells are the scenarios of the host, by name.
	cells() map[string]cell
}

// delegating is a host that has subagents.
type delegating interface {
	// agent starts a subagent whose task is known by its text, awaited by waits.
	agent(task string, background bool) modelserver.Step
	// waits are the steps that wait for a subagent in the foreground, when starting it does not.
	waits() []modelserver.Step
}

// seated is a host that has a person at a terminal.
type seated interface {
	host
	// seat is the arguments of a session in a terminal.
	seat(w *world) []string
	// ready is what the screen shows when a person may type.
	ready() string
	// busy is what the screen shows while a turn runs.
	busy() string
}

// sandboxing is a host whose commands cannot commit, unless it is told that they may.
type sandboxing interface {
	// free is the arguments that let them.
	free() []string
}

// complete is a host that can do everything that the suite knows.
type complete interface {
	seated
	delegating
	// badHook registers a hook of somebody else that answers badly.
	badHook(w *world) error
	// server starts a program that goes on after the turn.
	server(command string) modelserver.Call
}

// knows is what differs between the hosts in the outcomes of shared scenarios.
type knows struct {
	identity   string // how a call over MCP is recorded: proven, or declared
	asksEdits  bool   // a headless turn that edited files is asked once
	failed     string // state and outcome of a turn whose model failed, once the session goes on
	interrupts string // those of a turn that a person interrupted, once the session goes on
	signalled  string // those of a turn that a signal ended, without a terminal
	clearEnds  bool   // /clear ends the session
	refusals   bool   // it tells of a dialog that was refused
	silentEnds bool   // it does not tell of the end of a session
	process    bool   // its process is proven: where it runs is known, and its end as soon as it is gone
	missing    string // what is missing to judge its runs, nothing where they can be judged
}

// cell is one scenario on one host.
type cell struct {
	run   func(ctx context.Context, w *world) error
	never string // why the host cannot do it; a run then shows what it can do instead
	alone bool   // it runs after the others, while nothing else does: it measures
	bare  bool   // board is not installed, and the repository not registered: run does that
}

type args = map[string]any

// hosts are the columns, in their order.
func hosts() []host { return []host{claude{}, codex{}, openCode{}, gemini{}} }

// scenario is a row: its name, and what it shows.
type scenario struct{ name, shows string }

// costly is the scenario that is measured.
const costly = "cost"

// scenarios are the rows, in their order. A host has a cell for each of them, except for those that are about other hosts alone.
func scenarios() []scenario {
	return []scenario{
		{"plain", "a plain turn"},
		{"edit", "a turn that edits a file and commits it"},
		{"probe", "the Stop probe: the model reads it, calls tools, the next Stop ends the run"},
		{"proven", "begin_work and request_closure over the real connection, recorded proven"},
		{"subagent", "a subagent has its own run; it may not close"},
		{"background", "a background subagent with another prompt in between: one run, the right Issue, proven"},
		{"devserver", "a server in the background: turns end completed"},
		{"resume", "two prompts, the second in the session that its resume line names"},
		{"interrupt", "a person interrupts a turn"},
		{"failure", "the model fails"},
		{"kill", "kill -9 in the middle of a turn: known at once; and resume"},
		{"compaction", "the context is told again after a compaction"},
		{"clear", "/clear: another session, nothing acts for the old run"},
		{"two sessions", "two sessions at once in one repository"},
		{"worktrees", "two sessions at once in two work trees"},
		{"gone", "hooks whose program was removed: the host works on"},
		{"probe off", "no probe where the policy says so"},
		{"requests", "model requests that board adds, counted with tools loaded"},
		{"output", "the caller of a headless run reads the same last message with and without board"},
		{"attribution", "after clear and resume, and in subagents, no call acts for the wrong run"},
		{"answers", "the host accepts every answer that board gives"},
		{"trust", "foreign hooks stay trusted beside ours; check tells trusted from untrusted"},
		{"notify", "a notify program alone creates no run"},
		{"permission", "a hook that answers with nothing decides nothing"},
		{"presence", "a dialog shows needs_approval within 2 s after the host told of it, and the answer clears it"},
		{costly, "what the host waits for a hook, measured alone"},
		{"broken", "board throws, hangs or is missing: the session goes on"},
		{"plugin", "recorded sessions through the plugin, against a table written by hand"},
	}
}
