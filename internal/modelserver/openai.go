package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat speaks Chat Completions.
type chat struct{}

func (chat) parse(body []byte, req *Request) error {
	var in struct {
		Model    string
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls json.RawMessage `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	req.Model = in.Model
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Function.Name)
	}
	for _, m := range in.Messages {
		if text := readable(m.Content) + readable(m.ToolCalls); m.Role == "system" || m.Role == "developer" {
			req.System += text + "\n"
		} else {
			req.Messages = append(req.Messages, Message{m.Role, text})
		}
	}
	return nil
}

func (chat) failure(status int) object { return openAIFailure(status) }

func openAIFailure(status int) object {
	return object{"error": object{"message": fmt.Sprintf("scripted status %d", status), "type": "scripted", "code": nil}}
}

func (chat) write(out *stream, req *Request, r Reply) {
	finish := "stop"
	if len(r.Calls) > 0 {
		finish = "tool_calls"
	}
	usage := object{"prompt_tokens": tokens(r), "completion_tokens": 10, "total_tokens": tokens(r) + 10}
	var calls []object
	for i, c := range r.Calls {
		calls = append(calls, object{
			"index": i, "id": fmt.Sprintf("call_scripted%05d%02d", req.N, i), "type": "function",
			"function": object{"name": c.Name, "arguments": string(mustJSON(arguments(c)))},
		})
	}
	base := func(kind string, choices ...object) object {
		return object{"id": fmt.Sprintf("chatcmpl-%d", req.N), "object": kind, "created": 1, "model": req.Model, "choices": choices}
	}
	if !out.streamed {
		message := object{"role": "assistant", "content": r.Text}
		if calls != nil {
			message["tool_calls"] = calls
		}
		whole := base("chat.completion", object{"index": 0, "message": message, "finish_reason": finish})
		whole["usage"] = usage
		reply(out.w, http.StatusOK, whole)
		return
	}
	send := func(delta object, finish any) {
		out.event("", base("chat.completion.chunk", object{"index": 0, "delta": delta, "finish_reason": finish}))
	}
	send(object{"role": "assistant", "content": ""}, nil)
	out.words(r.Text, func(piece string) { send(object{"content": piece}, nil) })
	if r.Cut {
		out.cut()
	}
	if calls != nil {
		send(object{"tool_calls": calls}, nil)
	}
	send(object{}, finish)
	last := base("chat.completion.chunk")
	last["choices"], last["usage"] = []object{}, usage
	out.event("", last)
	out.event("", "[DONE]")
}
