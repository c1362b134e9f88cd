// Package modelserver is a scripted model on loopback: it speaks the APIs that the hosts speak, and keeps what it was asked.
package modelserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// maxBody bounds a request. Hosts send their whole history each time.
const maxBody = 64 << 20

// Server answers by a script.
type Server struct {
	http *http.Server
	url  string
	done chan error

	mu       sync.Mutex
	rules    []Rule
	used     []int
	requests []Request
	strays   []string
}

// Start listens on a free port of loopback.
func Start(rules ...Rule) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{url: "http://" + l.Addr().String(), done: make(chan error, 1)}
	s.Script(rules...)
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// URL is where it listens, without a slash at the end.
func (s *Server) URL() string { return s.url }

// Close ends every answer at once.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.done; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}

// Script replaces the rules, and counts their steps from the first. Requests are kept.
func (s *Server) Script(rules ...Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.used = rules, make([]int, len(rules))
}

// Requests returns what the model was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Strays returns the requests for something that no model has, such as "GET /telemetry".
func (s *Server) Strays() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

// answer keeps a request and finds its reply. Steps run outside of the lock: they may look at the server.
func (s *Server) answer(req *Request) Reply {
	step := Say("ok")
	s.mu.Lock()
	for i, r := range s.rules {
		fits := r.When
		if fits == nil {
			fits = (*Request).HasTools
		}
		if !fits(req) {
			continue
		}
		req.Lane = r.Lane
		switch n := s.used[i]; {
		case n < len(r.Steps):
			step = r.Steps[n]
		case r.Then != nil:
			step = r.Then
		default:
			step = Say("done")
		}
		s.used[i]++
		break
	}
	req.N = len(s.requests) + 1
	s.requests = append(s.requests, *req)
	s.mu.Unlock()
	return step(req)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	switch path := r.URL.Path; {
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/count_tokens"):
		reply(w, http.StatusOK, object{"input_tokens": 1 + len(body)/4})
	case r.Method == http.MethodPost && strings.HasSuffix(path, ":countTokens"):
		reply(w, http.StatusOK, object{"totalTokens": 1 + len(body)/4})
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		reply(w, http.StatusOK, object{"object": "list", "data": []object{{"id": "scripted", "object": "model"}}})
	case r.Method == http.MethodPost:
		if !s.model(w, r, path, body) {
			s.stray(w, r)
		}
	default:
		s.stray(w, r)
	}
}

// model answers a question to the model; false says that the path is none.
func (s *Server) model(w http.ResponseWriter, r *http.Request, path string, body []byte) bool {
	var speaker interface {
		parse(body []byte, req *Request) error
		write(out *stream, req *Request, reply Reply)
		failure(status int) object
	}
	req := &Request{Agent: agentOf(r.Header)}
	streamed := true
	switch model, verb, _ := strings.Cut(path[strings.LastIndex(path, "/")+1:], ":"); {
	case strings.HasSuffix(path, "/v1/messages"):
		req.Wire, speaker = Anthropic, anthropic{}
	case strings.HasSuffix(path, "/responses"):
		req.Wire, speaker = Responses, responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		req.Wire, speaker = Chat, chat{}
	case verb == "streamGenerateContent" || verb == "generateContent":
		req.Wire, speaker, req.Model = Gemini, gemini{}, model
		streamed = verb == "streamGenerateContent"
	default:
		return false
	}
	var asks struct{ Stream *bool }
	if err := json.Unmarshal(body, &asks); err == nil && req.Wire != Gemini {
		streamed = asks.Stream != nil && *asks.Stream
	}
	if err := speaker.parse(body, req); err != nil {
		s.mu.Lock()
		s.strays = append(s.strays, fmt.Sprintf("%s %s: %v", r.Method, path, err))
		s.mu.Unlock()
		reply(w, http.StatusBadRequest, speaker.failure(http.StatusBadRequest))
		return true
	}
	answer := s.answer(req)
	if answer.Until != nil {
		select {
		case <-answer.Until:
		case <-r.Context().Done():
			return true
		}
	}
	if answer.Status != 0 {
		w.Header().Set("X-Should-Retry", "false") // one failure is what the script says, not six
		reply(w, answer.Status, speaker.failure(answer.Status))
		return true
	}
	out := &stream{w: w, gone: r.Context().Done(), pace: answer.Pace, streamed: streamed}
	speaker.write(out, req, answer)
	return true
}

func (s *Server) stray(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.strays = append(s.strays, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	reply(w, http.StatusNotFound, object{"error": object{"type": "not_found_error", "message": "the scripted model has no such path"}})
}

// agentOf reads what hosts say of a subagent in a header.
func agentOf(h http.Header) string {
	for _, name := range []string{"X-Openai-Subagent", "X-Claude-Code-Agent-Id"} {
		if v := h.Get(name); v != "" {
			return v
		}
	}
	return ""
}
