package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// gemini speaks generateContent and streamGenerateContent.
type gemini struct{}

type geminiContent struct {
	Role  string
	Parts []struct {
		Text             string
		FunctionCall     json.RawMessage
		FunctionResponse *struct{ Response json.RawMessage }
	}
}

// message is what the model reads of a content. The results of tools have their own role here.
func (c geminiContent) message() Message {
	m := Message{Role: c.Role}
	switch c.Role {
	case "model":
		m.Role = "assistant"
	case "":
		m.Role = "user"
	}
	for i, p := range c.Parts {
		if i > 0 {
			m.Text += "\n"
		}
		m.Text += p.Text + readable(p.FunctionCall)
		if p.FunctionResponse != nil {
			m.Role = "tool"
			m.Text += readable(p.FunctionResponse.Response)
		}
	}
	return m
}

func (gemini) parse(body []byte, req *Request) error {
	var in struct {
		SystemInstruction geminiContent
		Contents          []geminiContent
		Tools             []struct {
			FunctionDeclarations []struct{ Name string }
		}
		GenerationConfig struct{ ResponseMimeType string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	req.System, req.JSON = in.SystemInstruction.message().Text, in.GenerationConfig.ResponseMimeType == "application/json"
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			req.Tools = append(req.Tools, f.Name)
		}
	}
	for _, c := range in.Contents {
		req.Messages = append(req.Messages, c.message())
	}
	return nil
}

func (gemini) failure(status int) object {
	return object{"error": object{"code": status, "message": fmt.Sprintf("scripted status %d", status), "status": "SCRIPTED"}}
}

func (gemini) write(out *stream, req *Request, r Reply) {
	chunk := func(finish string, parts ...object) object {
		candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return object{
			"candidates": []object{candidate}, "modelVersion": req.Model, "responseId": fmt.Sprintf("scripted-%d", req.N),
			"usageMetadata": object{"promptTokenCount": tokens(r), "candidatesTokenCount": 10, "totalTokenCount": tokens(r) + 10},
		}
	}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"functionCall": object{"name": c.Name, "args": arguments(c)}})
	}
	if !out.streamed {
		parts := calls
		if r.Text != "" || len(calls) == 0 {
			parts = append([]object{{"text": r.Text}}, calls...)
		}
		reply(out.w, http.StatusOK, chunk("STOP", parts...))
		return
	}
	if r.Text != "" || len(calls) == 0 {
		out.words(r.Text, func(piece string) { out.event("", chunk("", object{"text": piece})) })
	}
	if r.Cut {
		out.cut()
	}
	if calls == nil {
		calls = []object{{"text": ""}}
	}
	out.event("", chunk("STOP", calls...))
}
