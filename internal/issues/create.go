package issues

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"board/internal/fault"
)

// repeatWithin is how long a create, a comment or a note with the same content by the same run counts as a repeat: the
// answer to the first one was lost.
const repeatWithin = 10 * time.Minute

const defaultPriority = 2

func (c *CreateCmd) clean() (err error) {
	if c.Run == "" || !blank(c.Title) {
		if c.Title, err = cleanTitle(c.Title); err != nil {
			return err
		}
	}
	if c.Description, err = prose("description", c.Description, MaxDescriptionBytes); err != nil {
		return err
	}
	if c.Criteria, err = cleanCriteria(c.Criteria); err != nil {
		return err
	}
	if c.Labels, err = cleanLabels(c.Labels); err != nil {
		return err
	}
	if c.Links, err = cleanLinks(c.Links); err != nil {
		return err
	}
	if c.Type, err = phrase("type", c.Type, maxTypeRunes); err != nil {
		return err
	}
	if c.Priority == nil {
		p := defaultPriority
		c.Priority = &p
	}
	if err := checkPriority(*c.Priority); err != nil {
		return err
	}
	return checkDue(c.Due)
}

// hash tells one request from another.
func (c CreateCmd) hash() (string, error) {
	c.RunRevision = 0 // a repeat may know a newer one
	b, err := json.Marshal(c)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16]), err
}

// Create makes an Issue, and with Begin the caller's line holds it. The same request of the same run within ten minutes
// answers the first result.
func (s *Service) Create(ctx context.Context, a Actor, cmd CreateCmd) (Result, error) {
	if a.Undeclared && cmd.Begin {
		return Result{}, personOnlyFault()
	}
	if !a.Agent && cmd.Begin {
		return Result{}, fault.New(fault.Invalid, "create it, then start an agent", "only a run of an agent begins work")
	}
	if a.Agent && cmd.Hold != nil && !*cmd.Hold {
		return Result{}, fault.New(fault.PersonOnly, "leave hold out", "a person decides which Issues are handed out")
	}
	if a.Agent && cmd.Run != "" {
		return Result{}, personOnlyFault()
	}
	if err := cmd.clean(); err != nil {
		return Result{}, err
	}
	hash, err := cmd.hash()
	if err != nil {
		return Result{}, err
	}
	var out Result
	err = s.write(ctx, a, func(ctx context.Context, c *call) (err error) {
		out, err = c.create(ctx, cmd, hash)
		return err
	})
	return out, err
}

func (c *call) create(ctx context.Context, cmd CreateCmd, hash string) (Result, error) {
	tx, run := c.tx, c.caller.Run.ID
	if cmd.ProjectID == 0 {
		return Result{}, fault.New(fault.NoProject, "run board init in the repository", "this directory belongs to no project")
	}
	if run != 0 {
		row, ok, err := c.createdAs(ctx, tx, run, tx.Now-repeatWithin.Milliseconds(), hash)
		if err != nil {
			return Result{}, err
		}
		if ok {
			return c.result(ctx, row.ID, true)
		}
		if err := c.current(input{MoveCmd: MoveCmd{RunRevision: cmd.RunRevision}}); err != nil {
			return Result{}, err
		}
		n, err := c.createdBy(ctx, tx, run)
		if err != nil {
			return Result{}, err
		}
		if n >= MaxCreatesPerRun {
			return Result{}, fault.New(fault.Limit, "put the rest into the description or criteria of one Issue", "this run created %d Issues, and that is the most", n)
		}
	}
	var work bundle
	if cmd.Run != "" {
		var err error
		if work, err = c.workFor(ctx, cmd); err != nil {
			return Result{}, err
		}
		if blank(cmd.Title) {
			cmd.Title = work.title()
		}
	}
	row, err := c.newRow(ctx, cmd, hash)
	if err != nil {
		return Result{}, err
	}
	f := facts{event: Create, now: tx.Now, person: !c.actor.Agent, issue: row}
	if row.State, err = c.table.Fire(ctx, unborn, Create, f); err != nil {
		return Result{}, f.refusal(err)
	}
	if row.Number, err = c.nextNumber(ctx, tx, cmd.ProjectID); err != nil {
		return Result{}, err
	}
	if err := c.insert(ctx, tx, &row, cmd.Description); err != nil {
		return Result{}, err
	}
	if err := c.extend(ctx, &row, cmd.Criteria); err != nil {
		return Result{}, err
	}
	if err := c.update(ctx, tx, &row); err != nil { // the number of the next criterion
		return Result{}, err
	}
	if err := c.blockBy(ctx, row, cmd.BlockedBy); err != nil {
		return Result{}, err
	}
	if err := c.record(ctx, row, Create, unborn, map[string]string{"title": row.Title}); err != nil {
		return Result{}, err
	}
	if err := c.attach(ctx, row, work, work.runs); err != nil {
		return Result{}, err
	}
	if err := c.wrote(ctx, Create); err != nil {
		return Result{}, err
	}
	if !cmd.Begin {
		return c.result(ctx, row.ID, false)
	}
	fresh, _, err := c.byID(ctx, tx, row.ID)
	if err != nil {
		return Result{}, err
	}
	return c.make(ctx, fresh, BeginWork, input{MoveCmd: MoveCmd{RunRevision: cmd.RunRevision}})
}

func (c *call) newRow(ctx context.Context, cmd CreateCmd, hash string) (issueRow, error) {
	id, err := newUUID(c.tx.Now)
	if err != nil {
		return issueRow{}, err
	}
	row := issueRow{
		UUID: id, ProjectID: cmd.ProjectID, Title: cmd.Title, Priority: *cmd.Priority, Type: cmd.Type, Due: cmd.Due,
		Labels: list(cmd.Labels), Links: list(cmd.Links), Revision: 1, Version: 1, EvidenceFinal: unfinished, NextCriterion: 1,
		CreatedByRun: c.caller.Run.ID, Person: c.tx.Person, Machine: c.tx.Machine, CreatedAt: c.tx.Now, UpdatedAt: c.tx.Now,
	}
	if row.CreatedByRun != 0 {
		row.CreatedAs = hash
	}
	switch {
	case cmd.Hold != nil:
		row.Hold = *cmd.Hold
	case c.actor.Agent:
		cfg, err := c.settings(ctx, c.caller.Line.Host, cmd.ProjectID)
		if err != nil {
			return row, err
		}
		row.Hold = cfg.Triage
	}
	if cmd.Parent != "" {
		parent, err := c.find(ctx, c.tx, 0, cmd.Parent)
		if err != nil {
			return row, err
		}
		row.ParentID = parent.ID
	}
	return row, nil
}

// newUUID returns a UUIDv7 whose time is the transaction's.
func newUUID(ms int64) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	return id.String(), nil
}

// extend adds criteria to an Issue. One that it has already is not added again.
func (c *call) extend(ctx context.Context, row *issueRow, add []string) error {
	have, err := c.criteria(ctx, c.tx, row.ID)
	if err != nil {
		return err
	}
	var rows []criterionRow
	for _, t := range add {
		if slices.ContainsFunc(have, func(k criterionRow) bool { return k.Text == t }) {
			continue
		}
		rows = append(rows, criterionRow{IssueID: row.ID, N: row.NextCriterion, Text: t})
		row.NextCriterion++
	}
	if err := few("criterion", len(have)+len(rows), MaxCriteria); err != nil {
		return err
	}
	return c.addCriteria(ctx, c.tx, rows)
}

// blockBy adds blockers. The chain of blockers must not close to a ring: everything in it would wait for ever.
func (c *call) blockBy(ctx context.Context, row issueRow, keys []string) error {
	have, err := c.blockersOf(ctx, c.tx, row.ID)
	if err != nil {
		return err
	}
	n := len(have)
	for _, k := range keys {
		by, err := c.find(ctx, c.tx, 0, strings.TrimSpace(k))
		if err != nil {
			return err
		}
		if slices.ContainsFunc(have, func(l link) bool { return l.BlockedBy == by.ID }) {
			continue
		}
		ring, err := c.waitsFor(ctx, c.tx, by.ID, row.ID)
		if err != nil {
			return err
		}
		if ring {
			return fault.New(fault.Invalid, "leave it out", "%s waits for %s already: they would block each other for ever", c.keyOf(by), c.keyOf(row))
		}
		if n++; n > MaxBlockers {
			return few("blocker", n, MaxBlockers)
		}
		if err := c.block(ctx, c.tx, row.ID, by.ID); err != nil {
			return err
		}
		have = append(have, link{BlockedBy: by.ID})
	}
	return c.recount(ctx, c.tx, row.ID, false)
}
