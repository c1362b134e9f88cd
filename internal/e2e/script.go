package main

import (
	"fmt"
	"regexp"
	"strconv"

	"board/internal/modelserver"
)

// firstLine is how every text of board for a model begins: in a context, in the probe, in the answer of a tool. In the
// structured answer of a tool, which some hosts show instead, it is an object.
var firstLine = regexp.MustCompile(`(?:board: run |"run_id":\s*")(run_[0-9a-f]{32})(?: revision |",\s*"run_revision":\s*)(\d+)(?: issue ([A-Z0-9-]+))?`)

// told is what a model was told last: its run, and the revision of it.
type told struct {
	run      string
	revision int
}

// readLine reads the newest first line that reached the model. A model that was told nothing has the zero value.
func readLine(r *modelserver.Request) (t told) {
	if m := r.Newest(firstLine); m != nil {
		t.run = m[1]
		t.revision, _ = strconv.Atoi(m[2]) // digits, by the pattern
	}
	return t
}

// call is a step that calls a tool of board as the model was told to: with the run and the revision of its newest line.
func (w *world) call(name string, more args) modelserver.Step {
	return func(r *modelserver.Request) modelserver.Reply {
		t := readLine(r)
		a := args{"run_id": t.run, "run_revision": t.revision}
		for k, v := range more {
			a[k] = v
		}
		return modelserver.Reply{Calls: []modelserver.Call{w.host.tool(name, a)}}
	}
}

// issueRevision reads the newest revision that a tool of board told of an Issue, structured or as text.
var issueRevision = regexp.MustCompile(`(?:"revision":\s*|" revision )(\d+)(?:,\s*"created_at"|\b)`)

// closes is a step that requests the closure of an Issue with one criterion.
func (w *world) closes(key string) modelserver.Step {
	return func(r *modelserver.Request) modelserver.Reply {
		revision := 0
		if m := r.Newest(issueRevision); m != nil {
			revision, _ = strconv.Atoi(m[1]) // digits, by the pattern
		}
		return w.call("kanban_request_closure", args{
			"issue_key": key, "issue_revision": revision, "summary": "Empty carts are refused.",
			"verdicts": []args{{"n": 1, "verdict": "met", "how": "tried it"}},
		})(r)
	}
}

// use is a step that calls tools of the host.
func use(calls ...modelserver.Call) modelserver.Step { return modelserver.Use(calls...) }

// say is a step that answers.
func say(text string) modelserver.Step { return modelserver.Say(text) }

// mainLane is the rule of the root agent. Rules of subagents stand before it.
func mainLane(steps ...modelserver.Step) modelserver.Rule {
	return modelserver.Rule{Lane: "main", Steps: steps}
}

// issueKey is the Issue that addArgs make, when it is the first one.
const issueKey = prefix + "-1"

// addArgs are the words in which a person adds an Issue with one criterion.
func addArgs() []string {
	return []string{"add", "Refuse empty carts", "-c", "an empty cart gives a clear error"}
}

// probeText is a sentence of the Stop probe, by which the suite knows it.
const probeText = "Before you end:"

// rulesText is a sentence of the rules for root agents, and childText one of those for subagents.
const (
	rulesText = "Rules of this board (it records"
	childText = "Rules of this board for subagents"
)

// expectReached counts how often a text reached the model in the newest request of a lane.
func (w *world) expectReached(lane, text string, times int) error {
	requests := w.requests(lane)
	if len(requests) == 0 {
		return fmt.Errorf("the model was never asked in the lane %q", lane)
	}
	newest := requests[len(requests)-1]
	return want(fmt.Sprintf("times that %q reached the model", text), newest.Count(text), times)
}

// expectNoStrays fails when a host asked for something that no model has.
func (w *world) expectNoStrays() error {
	for _, s := range w.model.Strays() {
		if !w.host.expects(s) {
			return fmt.Errorf("the host asked for something that no model has: %s", s)
		}
	}
	return nil
}

// expectNoComplaints fails when the host did not like an answer of a hook.
func (w *world) expectNoComplaints() error {
	if list := w.host.complaints(w); len(list) > 0 && !w.quiet {
		return fmt.Errorf("the host complains about a hook: %q", list)
	}
	return nil
}
