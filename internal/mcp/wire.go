package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxError bounds the text of every error, in bytes (SPEC §7).
const maxError = 400

// metaVersion marks a request of the protocol that has no handshake (2026-07-28).
const metaVersion = mcp.MetaKeyProtocolVersion

// envelope is what a message says of itself. Ids stay as they were sent: as a number they would lose digits.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// handle returns the answer to one line, nil where none is due: notifications (late cancellations among them, unknown
// ones too), answers to requests that we never send, empty lines.
func (s *server) handle(ctx context.Context, l line) []byte {
	if l.tooLong {
		return rpcError(nil, mcp.INVALID_REQUEST, fmt.Sprintf("the message is longer than %d bytes", maxLine))
	}
	data := trim(l.data)
	if len(data) == 0 {
		return nil
	}
	if !json.Valid(data) {
		return rpcError(nil, mcp.PARSE_ERROR, "the message is no valid JSON")
	}
	if data[0] == '[' {
		return rpcError(nil, mcp.INVALID_REQUEST, "batches are not supported; send one message a line")
	}
	var e envelope
	err := json.Unmarshal(data, &e)
	if !validID(e.ID) {
		return rpcError(nil, mcp.INVALID_REQUEST, "the id must be a string or a number")
	}
	switch {
	case err != nil:
		return rpcError(e.ID, mcp.INVALID_REQUEST, "the message is no JSON-RPC request")
	case e.Method == "" && (e.Result != nil || e.Error != nil):
		return nil
	case e.Method == "":
		return rpcError(e.ID, mcp.INVALID_REQUEST, "the message names no method")
	case e.ID == nil:
		return nil
	}
	if e.Params, err = s.normal(e.Method, e.Params); err != nil {
		return rpcError(e.ID, mcp.INVALID_PARAMS, err.Error())
	}
	request, err := json.Marshal(e)
	if err != nil {
		return rpcError(e.ID, mcp.INTERNAL_ERROR, err.Error())
	}
	switch r := s.rpc.HandleMessage(ctx, request).(type) {
	case mcp.JSONRPCResponse:
		return encode(struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Result  any             `json:"result"`
		}{mcp.JSONRPC_VERSION, e.ID, r.Result})
	case mcp.JSONRPCError:
		return rpcError(e.ID, r.Error.Code, r.Error.Message)
	default:
		return rpcError(e.ID, mcp.INTERNAL_ERROR, "the request was not answered")
	}
}

// normal rewrites the parameters of a request so that no client is refused for what it says beside its request. Every request is served by the rules of the handshake, the ones that
// claim the protocol without it too: server/discover is unknown here, and its sender falls back to initialize. A tool
// may be called by its dotted name.
func (s *server) normal(method string, params json.RawMessage) (json.RawMessage, error) {
	var p map[string]json.RawMessage
	if method == string(mcp.MethodInitialize) {
		return greeting(params)
	}
	if json.Unmarshal(params, &p) != nil || p == nil {
		return params, nil // the request's own decoder says what is wrong
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(p["_meta"], &meta) == nil && meta[metaVersion] != nil {
		delete(meta, metaVersion)
		b, err := json.Marshal(meta)
		if err != nil {
			return nil, err
		}
		p["_meta"] = b
	}
	if method == string(mcp.MethodToolsCall) {
		var name string
		if json.Unmarshal(p["name"], &name) != nil {
			return params, nil
		}
		plain := strings.Replace(name, ".", "_", 1)
		if !s.has(plain) {
			return nil, fmt.Errorf("there is no tool %s; the tools are %s", quote(clip(name, 40)), strings.Join(s.names, ", "))
		}
		b, err := json.Marshal(plain)
		if err != nil {
			return nil, err
		}
		p["name"] = b
	}
	return json.Marshal(p)
}

// greeting keeps of the parameters of initialize the version of the protocol, the one thing that the answer depends on:
// initialize always succeeds. Who names none, or none that we know, gets our newest.
func greeting(params json.RawMessage) (json.RawMessage, error) {
	var p map[string]any
	_ = json.Unmarshal(params, &p)
	version, _ := p["protocolVersion"].(string)
	if version == "" {
		version = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	}
	return json.Marshal(map[string]any{"protocolVersion": version, "capabilities": struct{}{}, "clientInfo": struct{}{}})
}

// validID reports whether id may be an id: absent, a string or a number.
func validID(id json.RawMessage) bool {
	return len(id) == 0 || id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9'
}

func rpcError(id json.RawMessage, code int, message string) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	return encode(struct {
		JSONRPC string                  `json:"jsonrpc"`
		ID      json.RawMessage         `json:"id"`
		Error   mcp.JSONRPCErrorDetails `json:"error"`
	}{mcp.JSONRPC_VERSION, id, mcp.JSONRPCErrorDetails{Code: code, Message: clip(message, maxError)}})
}

// encode writes v as one line of JSON. The answers are built by us, so a failure is a defect; the caller still gets
// valid JSON-RPC.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the answer could not be encoded"}}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
