package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"

	"board/internal/fault"
	"board/internal/projects"
	"board/internal/runs"
	"board/internal/store"
)

// The keys under which hosts say whose call it is, as recorded (Codex 0.171, Claude Code 2.1.332). Environment variables
// are not asked: Claude Code's CLAUDE_CODE_SESSION_ID in a server is wrong after /clear and --continue.
const (
	metaCodex  = "x-codex-turn-metadata"
	metaClaude = "claudecode/toolUseId"
)

// proofOf reads what the host says of the caller, nil if it says nothing that names a run.
func proofOf(meta *mcp.Meta) *runs.Proof {
	if meta == nil {
		return nil
	}
	if raw, ok := meta.AdditionalFields[metaCodex]; ok {
		return codexProof(raw)
	}
	if id, ok := meta.AdditionalFields[metaClaude].(string); ok && id != "" {
		return &runs.Proof{Host: runs.ClaudeCode, CallID: runs.FitKey(id)}
	}
	return nil
}

func codexProof(raw any) *runs.Proof {
	m, ok := raw.(map[string]any)
	if !ok {
		return nil
	}
	field := func(name string) string {
		s, _ := m[name].(string)
		return runs.FitKey(s)
	}
	session, thread, turn := field("session_id"), field("thread_id"), field("turn_id")
	key := runs.Key{Host: runs.Codex, Session: session}
	switch {
	case session == "" || thread == "":
		return nil
	case thread != session:
		key.Agent = thread // turn ids change under a living subagent, so they are no part of its key
	case turn == "":
		return nil
	default:
		key.Turn = turn
	}
	return &runs.Proof{Host: runs.Codex, Key: key}
}

// place finds who calls and in which project: that of the proven run, else that of the directory the server runs in.
// A caller that is not known yet is no failure here, the use case says what it needs; but a run_id that is wrong is told
// to readers too, before they rely on it.
func (s *server) place(ctx context.Context, c *call, e effect) error {
	return c.db.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		p, err := projects.Find(ctx, tx, s.cwd)
		if err != nil && fault.CodeOf(err) != fault.NoProject {
			return err
		}
		c.project = p.ID
		c.actor.Who.ProjectID = p.ID
		if who := c.actor.Who; who.Proof != nil || who.Handle != "" {
			caller, wrong := runs.Peek(ctx, tx, tx.Now, who)
			switch fault.CodeOf(wrong) {
			case fault.NotYourRun, fault.RunUnknown:
				if e == reads && who.Handle != "" {
					return wrong
				}
			case "":
				if caller.Proven && caller.Run.ProjectID != 0 {
					c.project = caller.Run.ProjectID
				}
			}
		}
		if c.project == 0 {
			return err
		}
		return nil
	})
}

// touch tells the store of a proven call that only reads: like an event of the run it registers it, renews its lease
// and continues it. What a caller reads does not depend on that, so a store that cannot be written now is no failure.
func (s *server) touch(ctx context.Context, c *call) {
	if c.actor.Who.Proof == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, touchTime)
	defer cancel()
	err := s.drain(ctx, c.db)
	if err == nil {
		err = c.db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := runs.Resolve(ctx, tx, c.actor.Who)
			return err
		})
	}
	if err != nil && fault.CodeOf(err) == fault.Internal {
		s.log("a proven call could not be recorded", err)
	}
}
