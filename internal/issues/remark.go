package issues

import (
	"context"

	"board/internal/fault"
	"board/internal/store"
)

// Comment adds a remark to an Issue. It bumps no revision and needs no claim: whoever lost an Issue may still say what
// they know.
func (s *Service) Comment(ctx context.Context, a Actor, projectID int64, key, text string) (Result, error) {
	text, err := prose("comment", text, MaxCommentBytes)
	if err != nil {
		return Result{}, err
	}
	if blank(text) {
		return Result{}, fault.New(fault.Invalid, "say something", "the comment is empty")
	}
	var out Result
	err = s.write(ctx, a, func(ctx context.Context, c *call) error {
		row, err := c.find(ctx, c.tx, projectID, key)
		if err != nil {
			return err
		}
		_, repeat, err := c.remark(ctx, comments(), row.ID, text)
		if err != nil {
			return err
		}
		if !repeat {
			row.UpdatedAt = c.tx.Now
			if err := c.update(ctx, c.tx, &row); err != nil {
				return err
			}
			if err := c.record(ctx, row, CommentAdded, row.State, nil); err != nil {
				return err
			}
			if err := c.wrote(ctx, CommentAdded); err != nil {
				return err
			}
		}
		out, err = c.result(ctx, row.ID, repeat)
		return err
	})
	return out, err
}

// Note adds a short learning to a project. Exact duplicates are refused.
func (s *Service) Note(ctx context.Context, a Actor, projectID int64, text string) (Note, error) {
	text, err := required("note", text, MaxNoteRunes)
	if err != nil {
		return Note{}, err
	}
	var out Note
	err = s.write(ctx, a, func(ctx context.Context, c *call) error {
		if c.prefix[projectID] == "" {
			return fault.New(fault.NoProject, "run board init in the repository", "this directory belongs to no project")
		}
		r, repeat, err := c.remark(ctx, notes(), projectID, text)
		if err != nil {
			return err
		}
		out = Note{ID: r.ID, ProjectID: projectID, At: r.At, Actor: actorName(r.Actor, r.Person, r.RunID), Text: r.Text, Repeat: repeat}
		if repeat {
			return nil
		}
		actor, identity := c.kind()
		err = c.tx.Append(ctx, store.Entry{
			Entity: "project", EntityID: projectID, ProjectID: projectID, Event: "note", Actor: actor, RunID: c.caller.Run.ID, Identity: identity,
		})
		if err != nil {
			return err
		}
		return c.wrote(ctx, CommentAdded)
	})
	return out, err
}

// remark stores a comment or a note, unless the same run said the same a moment ago.
func (c *call) remark(ctx context.Context, at shelf, owner int64, text string) (remarkRow, bool, error) {
	run := c.caller.Run.ID
	if run != 0 {
		old, ok, err := c.sameRemark(ctx, c.tx, at, owner, run, c.tx.Now-repeatWithin.Milliseconds(), text)
		if err != nil || ok {
			return old, ok, err
		}
	}
	if at == notes() {
		old, ok, err := c.sameRemark(ctx, c.tx, at, owner, 0, 0, text)
		if err != nil {
			return remarkRow{}, false, err
		}
		if ok {
			return remarkRow{}, false, fault.New(fault.Invalid, "nothing more to do: it is kept", "the project has this note already (note %d)", old.ID)
		}
	}
	actor, _ := c.kind()
	r, err := c.addRemark(ctx, c.tx, at, owner, remarkRow{
		RunID: run, Actor: actor, Person: c.tx.Person, Machine: c.tx.Machine, Text: text, At: c.tx.Now,
	})
	return r, false, err
}
