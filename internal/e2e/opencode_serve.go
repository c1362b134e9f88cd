package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// service is an opencode that serves its API, as it does for its own terminal: a person's prompts come over it.
type service struct {
	w    *world
	p    *process
	base string
}

var listensOn = regexp.MustCompile(`listening on (http://[0-9.]+:\d+)`)

// serve starts it, with more in its environment. Requests that arrive while it boots are never answered: each attempt has little time.
func (w *world) serve(ctx context.Context, env ...string) (*service, error) {
	p, err := w.start(w.Repo, append(w.hostEnv(), env...), w.program, "serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs", "--log-level", "ERROR")
	if err != nil {
		return nil, err
	}
	s := &service{w: w, p: p}
	return s, w.until(ctx, "opencode serves", func() (bool, error) {
		select {
		case <-p.ended:
			return false, errors.New("it ended: " + p.tail())
		default:
		}
		m := listensOn.FindStringSubmatch(p.stdout() + p.stderr())
		if m == nil {
			return false, nil
		}
		s.base = m[1]
		brief, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		return s.call(brief, "GET", "/path", nil, nil) == nil, nil
	})
}

// call does one request of the API.
func (s *service) call(ctx context.Context, method, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		data = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

// session starts a session.
func (s *service) session(ctx context.Context) (string, error) {
	var made struct{ ID string }
	err := s.call(ctx, "POST", "/session", args{}, &made)
	return made.ID, err
}

// prompt sends a prompt, and waits for the last message of its turn.
func (s *service) prompt(ctx context.Context, session, text string) error {
	ctx, cancel := context.WithTimeout(ctx, processLimit)
	defer cancel()
	return s.call(ctx, "POST", "/session/"+session+"/message", args{"parts": []args{{"type": "text", "text": text}}}, nil)
}

// meanwhile sends a prompt, and returns what waits for its end.
func (s *service) meanwhile(ctx context.Context, session, text string) func() error {
	done := make(chan error, 1)
	go func() { done <- s.prompt(ctx, session, text) }()
	return func() error { return <-done }
}

func (s *service) abort(ctx context.Context, session string) error {
	return s.call(ctx, "POST", "/session/"+session+"/abort", args{}, nil)
}

// compact summarises a session, as a person asks for with /compact.
func (s *service) compact(ctx context.Context, session string) error {
	return s.call(ctx, "POST", "/session/"+session+"/summarize", args{"providerID": "scripted", "modelID": "scripted"}, nil)
}

// bang runs a command that a person types, which is no turn.
func (s *service) bang(ctx context.Context, session, command string) error {
	return s.call(ctx, "POST", "/session/"+session+"/shell", args{"agent": "build", "command": command}, nil)
}
