package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

type object = map[string]any

// reply writes one JSON document. Its reader may be gone, which is no failure of the script.
func reply(w http.ResponseWriter, status int, value object) {
	data, err := json.Marshal(value)
	if err != nil {
		data = []byte(`{}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// stream is an answer of server-sent events.
type stream struct {
	w        http.ResponseWriter
	gone     <-chan struct{}
	pace     time.Duration
	streamed bool
	started  bool
}

// event sends one event, with its name where the API names them.
func (s *stream) event(name string, value any) {
	if !s.started {
		s.started = true
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.w.Header().Set("Cache-Control", "no-cache")
		s.w.WriteHeader(http.StatusOK)
	}
	line, raw := value.(string)
	if !raw {
		data, err := json.Marshal(value)
		if err != nil {
			data = []byte(`{}`)
		}
		line = string(data)
	}
	if name != "" {
		line = "event: " + name + "\ndata: " + line
	} else {
		line = "data: " + line
	}
	_, _ = s.w.Write([]byte(line + "\r\n\r\n"))
	_ = http.NewResponseController(s.w).Flush()
}

// words sends a text piece by piece at the pace of the reply. It stops when the reader is gone.
func (s *stream) words(text string, send func(piece string)) {
	for _, piece := range pieces(text) {
		send(piece)
		if s.pace == 0 {
			continue
		}
		select {
		case <-time.After(s.pace):
		case <-s.gone:
			return
		}
	}
}

// pieces cuts a text after its words. A text without any is one piece.
func pieces(text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{text}
	}
	return strings.SplitAfter(text, " ")
}

// cut breaks the connection.
func (s *stream) cut() {
	panic(http.ErrAbortHandler) // how net/http wants to be told
}

// readable is everything that a model would read in a value of JSON: texts by their usual names, and the rest as it is.
func readable(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	return plain(v)
}

func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var out []string
		for _, e := range v {
			if t := plain(e); t != "" {
				out = append(out, t)
			}
		}
		return strings.Join(out, "\n")
	case map[string]any:
		for _, name := range []string{"text", "content", "output"} {
			if inner, ok := v[name]; ok {
				return plain(inner)
			}
		}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
