package modelserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func start(t *testing.T, rules ...Rule) *Server {
	t.Helper()
	s, err := Start(rules...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func post(t *testing.T, s *Server, path, body string) (status int, answer string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	data, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data), errors.Join(err, resp.Body.Close())
}

// events reads the JSON of a stream of events, without its end mark.
func events(t *testing.T, stream string) (out []map[string]any) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(stream))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var e map[string]any
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		out = append(out, e)
	}
	return out
}

// dialects are one conversation in the words of each API: a system text, a task, a call, its result, with one tool loaded.
func dialects() map[Wire]struct{ path, body, plain string } {
	return map[Wire]struct{ path, body, plain string }{
		Anthropic: {
			"/v1/messages",
			`{"model":"m","stream":true,"system":[{"type":"text","text":"SYS"}],"tools":[{"name":"mcp__board__kanban_list"}],"messages":[
			{"role":"user","content":[{"type":"text","text":"hint"},{"type":"text","text":"TASK"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"mcp__board__kanban_list","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"RESULT"}]}]}]}`,
			`{"model":"m","messages":[{"role":"user","content":"TASK"}]}`,
		},
		Responses: {
			"/v1/responses",
			`{"model":"m","stream":true,"instructions":"SYS","tools":[{"type":"namespace","name":"mcp__board","tools":[{"name":"kanban_list"}]}],"input":[
			{"type":"message","role":"user","content":[{"type":"input_text","text":"TASK"}]},
			{"type":"function_call","call_id":"a","name":"kanban_list","arguments":"{}"},
			{"type":"function_call_output","call_id":"a","output":"RESULT"}]}`,
			`{"model":"m","input":"TASK"}`,
		},
		Chat: {
			"/v1/chat/completions",
			`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"board_kanban_list"}}],"messages":[
			{"role":"system","content":"SYS"},{"role":"user","content":[{"type":"text","text":"TASK"}]},
			{"role":"assistant","content":"","tool_calls":[{"id":"a","function":{"name":"board_kanban_list","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"a","content":"RESULT"}]}`,
			`{"model":"m","messages":[{"role":"user","content":"TASK"}]}`,
		},
		Gemini: {
			"/v1beta/models/m:streamGenerateContent?alt=sse",
			`{"systemInstruction":{"parts":[{"text":"SYS"}]},"tools":[{"functionDeclarations":[{"name":"mcp_board_kanban_list"}]}],"contents":[
			{"role":"user","parts":[{"text":"TASK"}]},
			{"role":"model","parts":[{"functionCall":{"name":"mcp_board_kanban_list","args":{}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"mcp_board_kanban_list","response":{"output":"RESULT"}}}]}]}`,
			`{"contents":[{"role":"user","parts":[{"text":"TASK"}]}]}`,
		},
	}
}

func TestEveryAPIIsReadAlike(t *testing.T) {
	for wire, d := range dialects() {
		t.Run(string(wire), func(t *testing.T) {
			s := start(t)
			if status, _, err := post(t, s, d.path, d.body); status != http.StatusOK || err != nil {
				t.Fatal(status, err)
			}
			got := s.Requests()
			if len(got) != 1 {
				t.Fatalf("requests: %+v", got)
			}
			r := got[0]
			if r.Wire != wire || r.Model != "m" || !r.HasTool("kanban_list") || strings.TrimSpace(r.System) != "SYS" {
				t.Errorf("read: %+v", r)
			}
			if !strings.Contains(r.First(), "TASK") || r.Last() != "RESULT" || r.Count("RESULT") != 1 || !r.Contains("kanban_list") {
				t.Errorf("first %q, last %q, all %q", r.First(), r.Last(), r.Texts())
			}
		})
	}
}

func TestEveryAPIStreamsTextAndCalls(t *testing.T) {
	reply := func(*Request) Reply {
		return Reply{Text: "two words", Calls: []Call{{Name: "look", Namespace: "mcp__board", Args: map[string]any{"key": "SHOP-1"}}}}
	}
	for wire, d := range dialects() {
		t.Run(string(wire), func(t *testing.T) {
			s := start(t, Rule{Steps: []Step{reply}})
			status, answer, err := post(t, s, d.path, d.body)
			if status != http.StatusOK || err != nil {
				t.Fatal(status, err)
			}
			list := events(t, answer)
			if len(list) < 3 {
				t.Fatalf("a stream of %d events: %s", len(list), answer)
			}
			for _, part := range []string{`"two `, `"words"`, `look`, `SHOP-1`} {
				if !strings.Contains(answer, part) {
					t.Errorf("no %s in %s", part, answer)
				}
			}
			whole := map[Wire]string{
				Anthropic: "message_stop", Responses: "response.completed", Chat: "[DONE]", Gemini: `"finishReason":"STOP"`,
			}[wire]
			if !strings.Contains(answer, whole) {
				t.Errorf("the stream does not end: %s", answer)
			}
		})
	}
}

func TestEveryAPIFailsInItsOwnWords(t *testing.T) {
	for wire, d := range dialects() {
		t.Run(string(wire), func(t *testing.T) {
			s := start(t, Rule{Then: Fail(http.StatusForbidden)})
			status, answer, err := post(t, s, d.path, d.body)
			if status != http.StatusForbidden || err != nil || !strings.Contains(answer, "scripted status 403") {
				t.Errorf("%d %q %v", status, answer, err)
			}
		})
	}
}

func TestEveryAPICanBeCut(t *testing.T) {
	for wire, d := range dialects() {
		t.Run(string(wire), func(t *testing.T) {
			s := start(t, Rule{Then: func(*Request) Reply { return Reply{Text: "two words", Cut: true} }})
			if _, answer, err := post(t, s, d.path, d.body); err == nil {
				t.Errorf("a whole answer: %q", answer)
			}
		})
	}
}

func TestEveryAPIAnswersWithoutAStream(t *testing.T) {
	for wire, d := range dialects() {
		t.Run(string(wire), func(t *testing.T) {
			s := start(t, Rule{When: LastSays("TASK"), Then: Say("plain")})
			status, answer, err := post(t, s, strings.Replace(d.path, "stream", "", 1), d.plain)
			if wire == Gemini {
				status, answer, err = post(t, s, "/v1beta/models/m:generateContent", d.plain)
			}
			var doc map[string]any
			if jerr := json.Unmarshal([]byte(answer), &doc); status != http.StatusOK || err != nil || jerr != nil || !strings.Contains(answer, "plain") {
				t.Errorf("%d %q %v %v", status, answer, err, jerr)
			}
		})
	}
}

func TestTheFirstRuleThatFitsAnswersStepByStep(t *testing.T) {
	d := dialects()[Chat]
	s := start(t,
		Rule{Lane: "sub", When: TaskSays("TASK"), Steps: []Step{Say("one"), Say("two")}, Then: Say("more")},
		Rule{Lane: "main", Then: Say("never")},
	)
	for _, want := range []string{"one", "two", "more", "more"} {
		if _, answer, err := post(t, s, d.path, d.body); err != nil || !strings.Contains(answer, `"`+want+`"`) {
			t.Errorf("want %s: %s, %v", want, answer, err)
		}
	}
	if _, answer, err := post(t, s, d.path, d.plain); err != nil || !strings.Contains(answer, `"ok"`) {
		t.Errorf("a request without tools: %s, %v", answer, err)
	}
	var lanes []string
	for _, r := range s.Requests() {
		lanes = append(lanes, fmt.Sprint(r.N, r.Lane))
	}
	if want := []string{"1sub", "2sub", "3sub", "4sub", "5"}; !reflect.DeepEqual(lanes, want) {
		t.Errorf("lanes %q, want %q", lanes, want)
	}
	s.Script(Rule{Lane: "main", Then: Say("anew")})
	if _, answer, err := post(t, s, d.path, d.body); err != nil || !strings.Contains(answer, `"anew"`) {
		t.Errorf("another script: %s, %v", answer, err)
	}
}

func TestAStepSeesWhatReachedTheModel(t *testing.T) {
	pattern := regexp.MustCompile(`RES(\w+)`)
	s := start(t, Rule{Then: func(r *Request) Reply { return Reply{Text: "seen:" + r.Newest(pattern)[1]} }})
	for wire, d := range dialects() {
		if _, answer, err := post(t, s, d.path, d.body); err != nil || !strings.Contains(answer, "seen:ULT") {
			t.Errorf("%s: %s, %v", wire, answer, err)
		}
	}
}

func TestAnAnswerIsHeldUntilItsGateOpens(t *testing.T) {
	gate := make(chan struct{})
	arrived := make(chan struct{})
	s := start(t, Rule{Then: func(r *Request) Reply {
		close(arrived)
		return After(gate, Say("late"))(r)
	}})
	d := dialects()[Anthropic]
	answers := make(chan string)
	go func() {
		_, answer, err := post(t, s, d.path, d.body)
		answers <- fmt.Sprint(answer, err)
	}()
	<-arrived
	select {
	case a := <-answers:
		t.Fatal("answered before the gate opened:", a)
	default:
	}
	close(gate)
	if a := <-answers; !strings.Contains(a, "late") {
		t.Error(a)
	}
}

func TestASlowAnswerEndsWithItsReader(t *testing.T) {
	s, err := Start(Rule{Then: Slowly()})
	if err != nil {
		t.Fatal(err)
	}
	d := dialects()[Gemini]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+d.path, strings.NewReader(d.body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(resp.Body.Close(), s.Close()); err != nil { // Close would wait for a handler that goes on
		t.Error(err)
	}
}

func TestWhatNoModelHasIsKept(t *testing.T) {
	s := start(t)
	if status, _, err := post(t, s, "/telemetry", "{}"); status != http.StatusNotFound || err != nil {
		t.Error(status, err)
	}
	if status, answer, err := post(t, s, "/v1/messages/count_tokens", "{}"); status != http.StatusOK || err != nil || !strings.Contains(answer, "input_tokens") {
		t.Error(status, answer, err)
	}
	if status, _, err := post(t, s, "/v1/messages", "no JSON"); status != http.StatusBadRequest || err != nil {
		t.Error(status, err)
	}
	strays := s.Strays()
	if len(strays) != 2 || strays[0] != "POST /telemetry" || !strings.HasPrefix(strays[1], "POST /v1/messages: ") {
		t.Errorf("strays %q", strays)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests to the model", n)
	}
}

func TestToolsThatTheConversationBringsAreLoadedToo(t *testing.T) {
	s := start(t)
	body := `{"model":"m","stream":true,"input":[{"type":"additional_tools","tools":[{"type":"custom","name":"exec"}]},{"type":"message","role":"user","content":"TASK"}]}`
	if status, _, err := post(t, s, "/v1/responses", body); status != http.StatusOK || err != nil {
		t.Fatal(status, err)
	}
	if r := s.Requests()[0]; !r.HasTool("exec") || len(r.Messages) != 1 || r.Last() != "TASK" {
		t.Errorf("read: %+v", r)
	}
}
