package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"board/internal/adapters"
	"board/internal/doctor"
	"board/internal/fault"
	"board/internal/text"
)

// hostVerb is install or remove.
type hostVerb struct {
	name string
	plan func(adapters.Target) (adapters.Plan, error)
}

func installing() hostVerb { return hostVerb{"install", adapters.PlanInstall} }
func removing() hostVerb   { return hostVerb{"remove", adapters.PlanRemove} }

type hostFileJSON struct {
	Path   string   `json:"path"`
	Action string   `json:"action"` // create, change or delete
	What   []string `json:"what"`
}

type refusedJSON struct {
	Path    string   `json:"path"`
	What    []string `json:"what"`
	Reason  string   `json:"reason"`
	Snippet string   `json:"snippet,omitempty"`
}

// writtenJSON is what became of one host.
type writtenJSON struct {
	Host    string         `json:"host"`
	Scope   string         `json:"scope"`
	Written bool           `json:"written"` // something changed on the disk
	Files   []hostFileJSON `json:"files"`
	Refused []refusedJSON  `json:"refused"`
	Backup  string         `json:"backup,omitempty"`
	Hints   []string       `json:"hints"`
	Diff    string         `json:"diff,omitempty"`
	Error   string         `json:"error,omitempty"`

	next string // of the error
}

// hostWrite installs or removes.
func (a *app) hostWrite(ctx context.Context, args []string, o hostOptions, verb hostVerb) error {
	scope := adapters.Scope(o.scope)
	if scope != adapters.ScopeUser && scope != adapters.ScopeProject {
		return usage("--scope user or --scope project", "there is no scope %q", text.Line(o.scope, 20))
	}
	w, problem, err := a.world()
	switch {
	case err != nil:
		return err
	case problem != nil && verb.name == "install":
		return problem
	case scope == adapters.ScopeProject && w.Project == "":
		return fault.New(fault.NoProject, "go to a work tree, or leave --scope project away", "%s is in no work tree whose settings could be shared", one(a.dir()))
	}
	if !o.dryRun {
		if err := a.hostGate(ctx, "host "+verb.name); err != nil {
			return err
		}
	}
	var left []doctor.Left
	if verb.name == "remove" && scope == adapters.ScopeUser {
		left = w.LeftInProjects(ctx)
	}
	names, err := a.hostsFor(w, args, scope, verb, left)
	if err != nil {
		return err
	}
	var out []writtenJSON
	for _, name := range names {
		r := a.writeHost(w, name, scope, verb, o.dryRun)
		r.Hints = append(r.Hints, leftIn(left, name)...)
		out = append(out, r)
	}
	return a.printWritten(out, verb, o.dryRun)
}

// hostsFor is the hosts that are named, else those that are found (to install) or written for (to remove). Those that are
// left in projects are among them, to be spoken of.
func (a *app) hostsFor(w doctor.World, args []string, scope adapters.Scope, verb hostVerb, left []doctor.Left) ([]string, error) {
	if len(args) > 0 {
		var names []string
		for _, h := range args {
			if !slices.Contains(names, h) {
				names = append(names, h)
			}
		}
		return names, nil
	}
	if verb.name == "install" {
		names := adapters.Detect(w.Home, w.Getenv, w.LookPath)
		if len(names) == 0 {
			return nil, fault.New(fault.NothingToDo, "name one: board host install codex", "no host is found on this machine")
		}
		return names, nil
	}
	var names []string
	for _, h := range configHosts() {
		found, err := adapters.Inspect(w.Target(h, scope))
		if err != nil || doctor.Written(found) != doctor.NotInstalled || leftIn(left, h) != nil {
			names = append(names, h)
		}
	}
	if len(names) == 0 {
		return nil, fault.New(fault.NothingToDo, "", "board is not written into the settings of any host here")
	}
	return names, nil
}

// writeHost plans, and carries the plan out unless it is dry.
func (a *app) writeHost(w doctor.World, name string, scope adapters.Scope, verb hostVerb, dry bool) writtenJSON {
	r := writtenJSON{Host: name, Scope: string(scope), Files: []hostFileJSON{}, Refused: []refusedJSON{}, Hints: []string{}}
	var plan adapters.Plan
	var err error
	if dry {
		plan, err = verb.plan(w.Target(name, scope))
	} else {
		plan, err = adapters.Carry(w.Target(name, scope), verb.plan, w.Backups())
	}
	if err != nil {
		v := fault.ViewOf(err)
		r.Error, r.next = v.Message, v.Hint
	}
	kept := false // there is something to keep a copy of
	for _, c := range plan.Changes {
		action := "change"
		switch {
		case !c.Existed:
			action = "create"
		case c.After == nil:
			action = "delete"
		}
		kept = kept || c.Existed
		r.Files = append(r.Files, hostFileJSON{c.Path, action, whats(c.What)})
	}
	for _, f := range plan.Refused {
		r.Refused = append(r.Refused, refusedJSON{f.Path, whats(f.What), f.Reason, f.Snippet})
	}
	if len(plan.Changes) > 0 || len(plan.Refused) > 0 {
		r.Hints = append(r.Hints, plan.Hints...)
		if both := bothScopes(w, name, scope); both != "" && verb.name == "install" {
			r.Hints = append(r.Hints, both)
		}
	}
	if dry {
		r.Diff = plan.Diff()
		return r
	}
	r.Written = len(plan.Changes) > 0
	if kept {
		r.Backup = w.Backups()
	}
	if verb.name == "install" && plan.Hooked() {
		// Without the note an event of before counts too: what is written works all the same.
		_ = adapters.MarkInstalled(w.Backups(), plan.Target, a.Now())
	}
	return r
}

func whats(list []adapters.What) []string {
	out := []string{}
	for _, w := range list {
		out = append(out, string(w))
	}
	return out
}

// printWritten says what was written where, and what a person has to do now.
func (a *app) printWritten(list []writtenJSON, verb hostVerb, dry bool) error {
	if a.json {
		if err := a.out.document("host_"+verb.name, list, ""); err != nil {
			return err
		}
		return a.unwritten(list)
	}
	written, said := false, map[string]bool{}
	for _, r := range list {
		written = written || r.Written
		switch {
		case dry:
			a.out.buf.WriteString(text.Visible(strings.TrimRight(r.Diff, "\n"), true))
			if r.Diff != "" {
				a.out.buf.WriteByte('\n')
			} else if len(r.Refused) == 0 && r.Error == "" {
				a.warn("%s: nothing would change", r.Host)
			}
		case a.out.tty:
			a.printHost(r)
		default:
			for _, f := range r.Files {
				backup := r.Backup
				if f.Action == "create" {
					backup = ""
				}
				a.out.fields(r.Host, r.Scope, f.Action, f.Path, strings.Join(f.What, ", "), backup)
			}
			if len(r.Files)+len(r.Refused) == 0 && r.Error == "" {
				a.out.fields(r.Host, r.Scope, "unchanged", "", "", "")
			}
		}
		for _, f := range r.Refused {
			a.warn("%s stays as it is: %s", f.Path, f.Reason)
			if f.Snippet != "" {
				a.warn("to do it by hand (%s):", strings.Join(f.What, ", "))
				_, _ = fmt.Fprintln(a.Stderr, text.Visible(strings.TrimRight(f.Snippet, "\n"), true))
			}
		}
		if !a.out.tty && !dry {
			for _, h := range fresh(r.Hints, said) {
				a.warn("%s", h)
			}
		}
	}
	if written && verb.name == "install" {
		a.talk("See whether events arrive: board host check")
	}
	return a.unwritten(list)
}

func (a *app) printHost(r writtenJSON) {
	o := a.out
	head := o.style.bold(r.Host) + " " + o.style.dim("("+r.Scope+")")
	if len(r.Files)+len(r.Refused) == 0 && r.Error == "" {
		head += "  nothing to change"
	}
	o.line(head)
	for _, f := range r.Files {
		done := map[string]string{"create": "created", "change": "changed", "delete": "deleted"}[f.Action]
		o.wrapped("  "+done+"  ", "           ", one(f.Path)+"  ("+strings.Join(f.What, ", ")+")")
	}
	if r.Backup != "" {
		o.wrapped("  "+o.style.dim("backup")+"   ", "           ", o.style.dim(one(r.Backup)))
	}
	for _, h := range r.Hints {
		o.wrapped("  → ", "    ", one(h))
	}
}

// unwritten is the failure of a plan that could not be carried out everywhere.
func (a *app) unwritten(list []writtenJSON) error {
	var what []string
	hint := "the reasons stand above"
	for _, r := range list {
		if r.Error != "" {
			what = append(what, r.Host+": "+r.Error)
			hint = next(r.next, "run the command again")
		}
		if n := len(r.Refused); n > 0 {
			what = append(what, fmt.Sprintf("%s: %d %s as before", r.Host, n, plural(n, "file stays", "files stay")))
		}
	}
	if len(what) == 0 {
		return nil
	}
	return &halfDone{fault.New(fault.NotWritten, hint, "not everything was written: %s", strings.Join(what, "; "))}
}

func plural(n int, single, many string) string {
	if n == 1 {
		return single
	}
	return many
}
