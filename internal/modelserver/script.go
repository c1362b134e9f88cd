package modelserver

import (
	"regexp"
	"strings"
	"time"
)

// Wire is the API that a request was written for.
type Wire string

// The APIs.
const (
	Anthropic Wire = "anthropic messages"
	Responses Wire = "openai responses"
	Chat      Wire = "openai chat completions"
	Gemini    Wire = "gemini generate content"
)

// Request is what one call asked of the model.
type Request struct {
	N        int    // order of arrival, from 1
	Wire     Wire   //
	Lane     string // the rule that answered, "" for none
	Model    string
	Tools    []string // names of the tools that the model was offered, "namespace/name" where the API has namespaces
	System   string
	Messages []Message // oldest first
	JSON     bool      // the answer must be JSON: a question of the host's own, in Gemini
	Agent    string    // what the host says of the agent that asks, in a header: "" for the root
}

// Message is one turn of the conversation as the model sees it.
type Message struct {
	Role string // system, user, assistant, tool
	Text string // everything readable in it, calls and their results included
}

// HasTools says whether any tool was loaded: a turn of an agent, and not a title or a summary.
func (r *Request) HasTools() bool { return len(r.Tools) > 0 }

// HasTool says whether a tool whose name ends so was loaded.
func (r *Request) HasTool(suffix string) bool {
	for _, t := range r.Tools {
		if strings.HasSuffix(t, suffix) {
			return true
		}
	}
	return false
}

// First is the first text of a user: where a subagent finds its task.
func (r *Request) First() string {
	for _, m := range r.Messages {
		if m.Role == "user" {
			return m.Text
		}
	}
	return ""
}

// Last is the newest text of a user or of a tool.
func (r *Request) Last() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if m := r.Messages[i]; m.Role == "user" || m.Role == "tool" {
			return m.Text
		}
	}
	return ""
}

// Texts is everything that reached the model, the system's part first, oldest first.
func (r *Request) Texts() []string {
	out := []string{r.System}
	for _, m := range r.Messages {
		out = append(out, m.Text)
	}
	return out
}

// Contains says whether a text reached the model.
func (r *Request) Contains(text string) bool {
	for _, t := range r.Texts() {
		if strings.Contains(t, text) {
			return true
		}
	}
	return false
}

// Count counts how often a text reached the model.
func (r *Request) Count(text string) (n int) {
	for _, t := range r.Texts() {
		n += strings.Count(t, text)
	}
	return n
}

// Newest returns the newest match of a pattern in what reached the model, with its groups; nil for none.
func (r *Request) Newest(pattern *regexp.Regexp) []string {
	texts := r.Texts()
	for i := len(texts) - 1; i >= 0; i-- {
		if all := pattern.FindAllStringSubmatch(texts[i], -1); all != nil {
			return all[len(all)-1]
		}
	}
	return nil
}

// Reply is what the model answers.
type Reply struct {
	Text    string
	Calls   []Call
	Until   <-chan struct{} // the answer waits for its end, when it is not nil
	Pace    time.Duration   // waits so long between the words of Text
	Cut     bool            // the connection breaks in the middle of Text
	Status  int             // an HTTP error instead of an answer, when it is not 0
	Tokens  int             // how many tokens the request is said to have had; 0 for a few
	Refused bool            // the model refuses: a stop reason of its own
}

// Call is a call of a tool.
type Call struct {
	Name      string
	Namespace string // Responses only
	Args      any    // an object
	Freeform  string // Responses only: the input of a tool that takes text, instead of Args
}

// Step answers one request. What it answers may follow from what the request holds.
type Step func(*Request) Reply

// Rule answers the requests that it fits. The first rule of a script that fits takes the request.
type Rule struct {
	Lane  string              // a name for the log
	When  func(*Request) bool // nil fits every request that loads tools
	Steps []Step              // one per request that fits
	Then  Step                // when Steps are used up; nil says "done"
}

// Say answers with a text.
func Say(text string) Step { return func(*Request) Reply { return Reply{Text: text} } }

// Use answers with calls of tools.
func Use(calls ...Call) Step { return func(*Request) Reply { return Reply{Calls: calls} } }

// Fail answers with an HTTP error.
func Fail(status int) Step { return func(*Request) Reply { return Reply{Status: status} } }

// Slowly answers with more words than anybody waits for.
func Slowly() Step {
	return func(*Request) Reply {
		return Reply{Text: strings.Repeat("Many words follow one another, and none of them is the last. ", 200), Pace: 50 * time.Millisecond}
	}
}

// After holds an answer back until ready is closed.
func After(ready <-chan struct{}, then Step) Step {
	return func(r *Request) Reply {
		reply := then(r)
		reply.Until = ready
		return reply
	}
}

// TaskSays fits the requests of a subagent whose task has a text: its conversation opens with it, or the host says in a
// header that a subagent asks.
func TaskSays(text string) func(*Request) bool {
	return func(r *Request) bool {
		if !r.HasTools() {
			return false
		}
		for _, m := range r.Messages {
			if m.Role == "user" && strings.Contains(m.Text, text) {
				return true
			}
			if m.Role == "user" && r.Agent == "" {
				return false
			}
		}
		return false
	}
}

// LastSays fits a request whose newest text of a user or tool has a text, with tools loaded or without.
func LastSays(text string) func(*Request) bool {
	return func(r *Request) bool { return strings.Contains(r.Last(), text) }
}
