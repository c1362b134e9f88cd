package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// responses speaks the Responses API.
type responses struct{}

func (responses) parse(body []byte, req *Request) error {
	var in struct {
		Model, Instructions string
		Input               json.RawMessage
		Tools               []struct {
			Type, Name string
			Tools      []struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	req.Model, req.System = in.Model, in.Instructions
	for _, t := range in.Tools {
		switch {
		case t.Name == "":
			req.Tools = append(req.Tools, t.Type)
		case t.Tools == nil:
			req.Tools = append(req.Tools, t.Name)
		}
		for _, inner := range t.Tools {
			req.Tools = append(req.Tools, t.Name+"/"+inner.Name)
		}
	}
	var text string
	if json.Unmarshal(in.Input, &text) == nil {
		req.Messages = []Message{{"user", text}}
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(in.Input, &items); err != nil {
		return err
	}
	for _, raw := range items {
		if extra, err := additionalTools(raw); err == nil && extra != nil {
			req.Tools = append(req.Tools, extra...)
			continue
		}
		req.Messages = append(req.Messages, responseItem(raw))
	}
	return nil
}

// additionalTools reads the tools that Codex offers in the conversation itself, to models that write programs.
func additionalTools(raw json.RawMessage) (names []string, err error) {
	var i struct {
		Type  string
		Tools []struct{ Type, Name string }
	}
	if err := json.Unmarshal(raw, &i); err != nil || i.Type != "additional_tools" {
		return nil, err
	}
	for _, t := range i.Tools {
		names = append(names, t.Name)
	}
	return names, nil
}

func responseItem(raw json.RawMessage) Message {
	var i struct {
		Type, Role, Name, Arguments, Input string
		Content, Output                    json.RawMessage
	}
	if json.Unmarshal(raw, &i) != nil {
		return Message{"system", readable(raw)}
	}
	switch i.Type {
	case "function_call", "custom_tool_call":
		return Message{"assistant", i.Name + " " + i.Arguments + i.Input}
	case "function_call_output", "custom_tool_call_output":
		return Message{"tool", readable(i.Output)}
	case "message", "":
		if i.Role == "developer" {
			i.Role = "system"
		}
		return Message{i.Role, readable(i.Content)}
	}
	return Message{"system", readable(raw)}
}

func (responses) failure(status int) object { return openAIFailure(status) }

func (responses) write(out *stream, req *Request, r Reply) {
	id := fmt.Sprintf("resp_scripted%05d", req.N)
	items := responseItems(req, r)
	usage := object{
		"input_tokens": tokens(r), "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 10,
		"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": tokens(r) + 10,
	}
	whole := object{"id": id, "object": "response", "status": "completed", "model": req.Model, "output": items, "usage": usage}
	if !out.streamed {
		reply(out.w, http.StatusOK, whole)
		return
	}
	n := 0
	send := func(kind string, more object) {
		more["type"], more["sequence_number"] = kind, n
		n++
		out.event(kind, more)
	}
	send("response.created", object{"response": object{"id": id, "object": "response", "status": "in_progress", "output": []object{}}})
	for i, item := range items {
		if item["type"] == "message" {
			send("response.output_item.added", object{"output_index": i, "item": object{
				"type": "message", "id": item["id"], "role": "assistant", "status": "in_progress", "content": []object{},
			}})
			at := func(more object) object {
				more["item_id"], more["output_index"], more["content_index"] = item["id"], i, 0
				return more
			}
			send("response.content_part.added", at(object{"part": object{"type": "output_text", "text": "", "annotations": []object{}}}))
			out.words(r.Text, func(piece string) { send("response.output_text.delta", at(object{"delta": piece})) })
			if r.Cut {
				out.cut()
			}
			send("response.output_text.done", at(object{"text": r.Text}))
		} else {
			send("response.output_item.added", object{"output_index": i, "item": item})
		}
		send("response.output_item.done", object{"output_index": i, "item": item})
	}
	send("response.completed", object{"response": whole})
}

func responseItems(req *Request, r Reply) []object {
	var items []object
	if r.Text != "" || len(r.Calls) == 0 {
		items = append(items, object{
			"type": "message", "id": fmt.Sprintf("msg_scripted%05d", req.N), "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": r.Text, "annotations": []object{}}},
		})
	}
	for i, c := range r.Calls {
		item := object{
			"type": "function_call", "id": fmt.Sprintf("fc_scripted%05d%02d", req.N, i), "call_id": fmt.Sprintf("call_scripted%05d%02d", req.N, i),
			"name": c.Name, "status": "completed",
		}
		if c.Freeform != "" {
			item["type"], item["input"] = "custom_tool_call", c.Freeform
		} else {
			item["arguments"] = string(mustJSON(arguments(c)))
		}
		if c.Namespace != "" {
			item["namespace"] = c.Namespace
		}
		items = append(items, item)
	}
	return items
}
