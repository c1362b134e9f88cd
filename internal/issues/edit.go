package issues

import (
	"context"
	"maps"
	"slices"
	"strings"

	"board/internal/fault"
	"board/internal/text"
)

// agentsMay refuses what people alone may edit.
func (e EditCmd) agentsMay() error {
	for name, used := range map[string]bool{
		"rank": e.Rank != nil, "type": e.Type != nil, "due": e.Due != nil, "parent": e.Parent != nil,
		"removing criteria": len(e.RemoveCriteria) > 0, "changing criteria": len(e.ChangeCriteria) > 0,
		"removing blockers": len(e.RemoveBlockedBy) > 0, "putting runs to an Issue": e.Run != "",
	} {
		if used {
			return fault.New(fault.PersonOnly, "leave it out, or say in a comment what you would change", "%s belongs to people", name)
		}
	}
	return nil
}

// replaces reports whether the edit overwrites something. Such an edit must say which revision it saw, so that no
// change of somebody else is lost; additions never collide.
func (e EditCmd) replaces() bool { return e.Title != nil || e.Description != nil || e.Priority != nil }

func (e *EditCmd) clean() (err error) {
	if e.Title != nil {
		t, err := cleanTitle(*e.Title)
		if err != nil {
			return err
		}
		e.Title = &t
	}
	if e.Description != nil {
		t, err := prose("description", *e.Description, MaxDescriptionBytes)
		if err != nil {
			return err
		}
		e.Description = &t
	}
	if e.Type != nil {
		t, err := phrase("type", *e.Type, maxTypeRunes)
		if err != nil {
			return err
		}
		e.Type = &t
	}
	if e.Priority != nil {
		if err := checkPriority(*e.Priority); err != nil {
			return err
		}
	}
	if e.Due != nil {
		if err := checkDue(*e.Due); err != nil {
			return err
		}
	}
	changed := map[int]string{}
	for n, t := range e.ChangeCriteria {
		if changed[n], err = required("criterion", t, MaxCriterionRunes); err != nil {
			return err
		}
	}
	e.ChangeCriteria = changed
	if e.AddLabels, err = cleanLabels(e.AddLabels); err != nil {
		return err
	}
	if e.AddCriteria, err = cleanCriteria(e.AddCriteria); err != nil {
		return err
	}
	e.AddLinks, err = cleanLinks(e.AddLinks)
	return err
}

// Edit changes the content of an Issue. An agent edits what it holds, or what nobody holds; an edit of its that replaces
// something says IssueRevision. An edit that changes nothing succeeds and writes nothing.
func (s *Service) Edit(ctx context.Context, a Actor, e EditCmd) (Result, error) {
	if err := gate(a, Edit); err != nil {
		return Result{}, err
	}
	if a.Agent {
		if err := e.agentsMay(); err != nil {
			return Result{}, err
		}
	}
	if err := e.clean(); err != nil {
		return Result{}, err
	}
	var out Result
	err := s.write(ctx, a, func(ctx context.Context, c *call) error {
		row, err := c.find(ctx, c.tx, e.ProjectID, e.Key)
		if err != nil {
			return err
		}
		p := edit{call: c, cmd: e, row: row}
		if err := p.plan(ctx); err != nil {
			return err
		}
		if len(p.fields)+len(p.attached) == 0 {
			out, err = c.result(ctx, row.ID, true)
			return err
		}
		if err := p.allowed(ctx); err != nil {
			return err
		}
		if err := p.apply(ctx); err != nil {
			return err
		}
		out, err = c.result(ctx, row.ID, false)
		return err
	})
	return out, err
}

// edit is one edit on its way through a transaction.
type edit struct {
	*call
	cmd    EditCmd
	row    issueRow
	fields []string                      // what changes
	before []func(context.Context) error // what else to write, before the row
	after  []func(context.Context) error // and after it: counting blockers raises its version

	bundle   bundle
	attached []int64 // runs of it that are put to the Issue
}

// allowed makes the checks in the order of a move: fence, revision, hold.
func (p *edit) allowed(ctx context.Context) error {
	f, err := p.facts(ctx, p.row, Edit)
	if err != nil {
		return err
	}
	f.runRevision, f.issueRevision = p.cmd.RunRevision, p.cmd.IssueRevision
	if err := p.prepare(ctx, &f, input{}); err != nil {
		return err
	}
	if err := f.precede(Edit); err != nil {
		return err
	}
	if !f.person && f.issueRevision == 0 && p.cmd.replaces() {
		return f.issueRevisionMissing()
	}
	if !f.entitled(Edit) {
		return f.notHolder()
	}
	return nil
}

// put sets a field if it differs.
func put[T comparable](p *edit, name string, field *T, to *T) {
	if to != nil && *field != *to {
		*field = *to
		p.fields = append(p.fields, name)
	}
}

// plan compares what is asked for with what is there: an edit that already took effect has nothing left to do.
func (p *edit) plan(ctx context.Context) error {
	e := p.cmd
	put(p, "title", &p.row.Title, e.Title)
	put(p, "priority", &p.row.Priority, e.Priority)
	put(p, "rank", &p.row.Rank, e.Rank)
	put(p, "type", &p.row.Type, e.Type)
	put(p, "due", &p.row.Due, e.Due)
	labels := merged(unlist(p.row.Labels), e.AddLabels, e.RemoveLabels)
	links := merged(unlist(p.row.Links), e.AddLinks, e.RemoveLinks)
	if err := few("label", len(labels), MaxLabels); err != nil {
		return err
	}
	if err := few("link", len(links), MaxLinks); err != nil {
		return err
	}
	labelList, linkList := list(labels), list(links)
	put(p, "labels", &p.row.Labels, &labelList)
	put(p, "links", &p.row.Links, &linkList)
	for _, step := range []func(context.Context) error{p.planDescription, p.planParent, p.planCriteria, p.planBlockers, p.planRuns} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func merged(have, add, remove []string) []string {
	for _, s := range add {
		if !slices.Contains(have, s) {
			have = append(have, s)
		}
	}
	return slices.DeleteFunc(have, func(s string) bool {
		return slices.ContainsFunc(remove, func(r string) bool { return strings.TrimSpace(text.Clean(r)) == s })
	})
}

func (p *edit) planDescription(ctx context.Context) error {
	if p.cmd.Description == nil {
		return nil
	}
	now, err := p.description(ctx, p.tx, p.row.ID)
	if err != nil || now == *p.cmd.Description {
		return err
	}
	p.fields = append(p.fields, "description")
	p.before = append(p.before, func(ctx context.Context) error {
		return p.saveDescription(ctx, p.tx, p.row.ID, *p.cmd.Description)
	})
	return nil
}

func (p *edit) planParent(ctx context.Context) error {
	if p.cmd.Parent == nil {
		return nil
	}
	var id int64
	if key := strings.TrimSpace(*p.cmd.Parent); key != "" {
		parent, err := p.find(ctx, p.tx, 0, key)
		if err != nil {
			return err
		}
		ring, err := p.isUnder(ctx, p.tx, parent.ID, p.row.ID)
		if err != nil {
			return err
		}
		if ring {
			return fault.New(fault.Invalid, "choose another parent", "%s is %s or lies beneath it", p.keyOf(parent), p.keyOf(p.row))
		}
		id = parent.ID
	}
	put(p, "parent", &p.row.ParentID, &id)
	return nil
}

func (p *edit) planCriteria(ctx context.Context) error {
	e := p.cmd
	if len(e.AddCriteria)+len(e.RemoveCriteria)+len(e.ChangeCriteria) == 0 {
		return nil
	}
	have, err := p.criteria(ctx, p.tx, p.row.ID)
	if err != nil {
		return err
	}
	at := func(n int) (criterionRow, error) {
		i := slices.IndexFunc(have, func(k criterionRow) bool { return k.N == int64(n) })
		if i < 0 {
			return criterionRow{}, fault.New(fault.NotFound, "show the Issue to see its criteria", "%s has no criterion %d", p.keyOf(p.row), n)
		}
		return have[i], nil
	}
	changed := false
	for _, n := range slices.Sorted(maps.Keys(e.ChangeCriteria)) {
		k, err := at(n)
		if err != nil {
			return err
		}
		if k.Text == e.ChangeCriteria[n] {
			continue
		}
		k.Text, k.Verdict, k.How = e.ChangeCriteria[n], "", "" // a verdict on other words is none
		changed = true
		p.before = append(p.before, func(ctx context.Context) error { return p.saveCriterion(ctx, p.tx, k) })
	}
	for _, n := range e.RemoveCriteria {
		k, err := at(n)
		if err != nil {
			return err
		}
		changed = true
		p.before = append(p.before, func(ctx context.Context) error { return p.removeCriterion(ctx, p.tx, k) })
	}
	fresh := slices.DeleteFunc(slices.Clone(e.AddCriteria), func(t string) bool {
		return slices.ContainsFunc(have, func(k criterionRow) bool { return k.Text == t })
	})
	if len(fresh) > 0 {
		changed = true
		p.before = append(p.before, func(ctx context.Context) error { return p.extend(ctx, &p.row, fresh) })
	}
	if changed {
		p.fields = append(p.fields, "criteria")
	}
	return nil
}

func (p *edit) planBlockers(ctx context.Context) error {
	e := p.cmd
	if len(e.AddBlockedBy)+len(e.RemoveBlockedBy) == 0 {
		return nil
	}
	have, err := p.blockersOf(ctx, p.tx, p.row.ID)
	if err != nil {
		return err
	}
	changed := false
	for _, key := range e.RemoveBlockedBy {
		by, err := p.find(ctx, p.tx, 0, strings.TrimSpace(key))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(have, func(l link) bool { return l.BlockedBy == by.ID }) {
			continue
		}
		changed = true
		p.after = append(p.after, func(ctx context.Context) error { return p.unblock(ctx, p.tx, p.row.ID, by.ID) })
	}
	var add []string
	for _, key := range e.AddBlockedBy {
		by, err := p.find(ctx, p.tx, 0, strings.TrimSpace(key))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(have, func(l link) bool { return l.BlockedBy == by.ID }) {
			add = append(add, key)
		}
	}
	if changed || len(add) > 0 {
		p.fields = append(p.fields, "blockers")
		p.after = append(p.after, func(ctx context.Context) error { return p.blockBy(ctx, p.row, add) })
	}
	return nil
}

// apply writes the edit down.
func (p *edit) apply(ctx context.Context) error {
	steps := slices.Clone(p.before)
	steps = append(steps, func(ctx context.Context) error {
		p.row.Revision++
		p.row.UpdatedAt = p.tx.Now
		return p.update(ctx, p.tx, &p.row)
	})
	for _, step := range append(steps, p.after...) {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if err := p.attach(ctx, p.row, p.bundle, p.attached); err != nil {
		return err
	}
	if len(p.fields) == 0 {
		return nil // people alone put runs to an Issue
	}
	detail := map[string]string{"fields": strings.Join(p.fields, ", ")}
	if slices.Contains(p.fields, "title") {
		detail["title"] = p.row.Title
	}
	if err := p.record(ctx, p.row, Edit, p.row.State, detail); err != nil {
		return err
	}
	return p.wrote(ctx, Edit)
}
