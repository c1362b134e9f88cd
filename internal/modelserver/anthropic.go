package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// anthropic speaks the Messages API.
type anthropic struct{}

func (anthropic) parse(body []byte, req *Request) error {
	var in struct {
		Model    string
		System   json.RawMessage
		Tools    []struct{ Name string }
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	req.Model, req.System = in.Model, readable(in.System)
	for _, t := range in.Tools {
		req.Tools = append(req.Tools, t.Name)
	}
	for _, m := range in.Messages {
		req.Messages = append(req.Messages, Message{m.Role, readable(m.Content)})
	}
	return nil
}

func (anthropic) failure(status int) object {
	kind := map[int]string{
		http.StatusBadRequest: "invalid_request_error", http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
		http.StatusNotFound: "not_found_error", http.StatusTooManyRequests: "rate_limit_error", 529: "overloaded_error",
	}[status]
	if kind == "" {
		kind = "api_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": fmt.Sprintf("scripted status %d", status)}}
}

func (anthropic) write(out *stream, req *Request, r Reply) {
	var blocks []object
	if r.Text != "" || len(r.Calls) == 0 {
		blocks = append(blocks, object{"type": "text", "text": r.Text})
	}
	for i, c := range r.Calls {
		blocks = append(blocks, object{"type": "tool_use", "id": fmt.Sprintf("toolu_scripted%05d%02d", req.N, i), "name": c.Name, "input": arguments(c)})
	}
	stop := "end_turn"
	switch {
	case r.Refused:
		stop = "refusal"
	case len(r.Calls) > 0:
		stop = "tool_use"
	}
	usage := object{"input_tokens": tokens(r), "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := object{
		"id": fmt.Sprintf("msg_scripted%05d", req.N), "type": "message", "role": "assistant", "model": req.Model, "content": blocks,
		"stop_reason": stop, "stop_sequence": nil, "usage": usage,
	}
	if !out.streamed {
		reply(out.w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"] = []object{}, nil
	out.event("message_start", object{"type": "message_start", "message": message})
	for i, b := range blocks {
		if text, ok := b["text"].(string); ok {
			out.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": object{"type": "text", "text": ""}})
			out.words(text, func(piece string) {
				out.event("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": object{"type": "text_delta", "text": piece}})
			})
		} else {
			input := string(mustJSON(b["input"]))
			b["input"] = object{}
			out.event("content_block_start", object{"type": "content_block_start", "index": i, "content_block": b})
			out.event("content_block_delta", object{"type": "content_block_delta", "index": i, "delta": object{"type": "input_json_delta", "partial_json": input}})
		}
		if r.Cut {
			out.cut()
		}
		out.event("content_block_stop", object{"type": "content_block_stop", "index": i})
	}
	out.event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 10}})
	out.event("message_stop", object{"type": "message_stop"})
}

// arguments is the input of a call: an object, also when the script says nothing.
func arguments(c Call) any {
	if c.Args == nil {
		return object{}
	}
	return c.Args
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		return []byte(`{}`) // a script that cannot be written makes a call without arguments, which the host refuses
	}
	return data
}

func tokens(r Reply) int {
	if r.Tokens == 0 {
		return 100
	}
	return r.Tokens
}
