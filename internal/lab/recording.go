package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Event is one delivery of a recorded session.
type Event struct {
	Event   string            `json:"event"`
	At      float64           `json:"at"`
	Env     map[string]string `json:"env"`
	Payload json.RawMessage   `json:"payload"`
}

// Field returns a string field of the payload, "" where there is none.
func (e Event) Field(name string) string {
	var m map[string]any
	if json.Unmarshal(e.Payload, &m) != nil {
		return ""
	}
	s, _ := m[name].(string)
	return s
}

// RecordedRepo is the directory that the recordings name.
const RecordedRepo = "/work/project"

// Recording reads a recorded session.
func Recording(path string) ([]Event, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Event
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// Deliver gives a recorded event to the hook as the host did, from this world's repository.
func (w *World) Deliver(ctx context.Context, host string, e Event) Output {
	quoted, err := json.Marshal(w.Repo)
	if err != nil {
		return Output{Err: err, Code: -1}
	}
	payload := bytes.ReplaceAll(e.Payload, []byte(RecordedRepo), bytes.Trim(quoted, `"`))
	var env []string
	for k, v := range e.Env {
		if strings.HasSuffix(k, "_PID") {
			v = NoProcess
		}
		if k == "HOME" || k == "PATH" || k == "PWD" { // the world's own
			continue
		}
		env = append(env, k+"="+strings.ReplaceAll(v, RecordedRepo, w.Repo))
	}
	slices.Sort(env)
	return w.Hook(ctx, host, env, payload)
}
