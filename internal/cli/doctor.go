package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"board/internal/doctor"
	"board/internal/fault"
	"board/internal/hooks"
	"board/internal/store"
	"board/internal/text"
)

func (a *app) doctorCmd() *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out what is wrong with hosts, store and project",
		Long: `Find out what is wrong: for each host what board host check says, in short; the store and its spool; the project around the
directory and all others (-P narrows); the programs that hosts are told to run. Each line has one safe next step.

Nothing is changed without --fix, and a broken store is looked at in a copy. --fix repairs what can be repaired without
losing anything: files that others can read, events that wait, a missing folder.

Exit status 1 if there is a problem. Through a pipe: level, subject, check, text, next.`,
		Args: exactly(),
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what is safe to repair")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context(), fix) }
	return cmd
}

func (a *app) doctor(ctx context.Context, fix bool) error {
	w, problem, err := a.world()
	if err != nil {
		return err
	}
	o := doctor.Options{Run: true, Ask: true, Health: true}
	var fixed []finding
	if fix {
		if err := a.hostGate(ctx, "doctor --fix"); err != nil {
			return err
		}
		before, err := a.examine(ctx, w, doctor.Options{Hosts: []string{}, Health: true})
		if err != nil {
			return err
		}
		fixed = repairs(w.Fix(ctx, before.Store, a.Person, a.Machine))
	}
	r, err := a.examine(ctx, w, o)
	if err != nil {
		return err
	}
	if err := a.narrow(&r); err != nil {
		return err
	}
	t := teller{app: a, w: w, problem: problem, blind: r.Store.Err != nil}
	list := append(fixed, t.store(r.Store)...)
	list = append(list, t.project(r)...)
	list = append(list, t.programs(r)...)
	for _, h := range r.Hosts {
		list = append(list, t.host(h)...)
	}
	for _, c := range r.Unknown {
		list = append(list, finding{levelNote, "hosts", "dropped", fmt.Sprintf("%d of no host that board knows: %s", c.N, c.Reason), "board host install writes the hooks of those it knows"})
	}
	if a.json {
		err = a.out.document("doctor", doctorJSON{t.storeJSON(r.Store), t.programsJSON(r.Programs), t.hosts(r.Hosts), list}, "")
	} else {
		a.printFindings(list)
	}
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Level == levelProblem {
			return &halfDone{}
		}
	}
	return nil
}

// narrow leaves the project that -P names, where the store can say which it is.
func (a *app) narrow(r *doctor.Report) error {
	if a.prefix == "" || r.Store.Err != nil {
		return nil
	}
	for _, p := range r.Projects {
		if strings.EqualFold(p.Prefix, a.prefix) {
			r.Here, r.Projects = &p.Project, []doctor.Project{p}
			return nil
		}
	}
	return fault.New(fault.NotFound, "board doctor without -P lists them", "there is no project with the prefix %q", text.Line(a.prefix, 10))
}

func repairs(list []doctor.Repair) []finding {
	var out []finding
	for _, r := range list {
		f := finding{Level: levelFixed, Subject: "store", Check: string(r.What), Text: r.Path}
		switch r.What {
		case doctor.MadeFolder:
			f.Text = "made the folder " + r.Path
		case doctor.Tightened:
			f.Text = r.Path + " is yours alone now"
		case doctor.StoredSpool:
			f.Text = fmt.Sprintf("%d waiting %s stored", r.N, plural(r.N, "event is", "events are"))
		}
		if r.Err != nil {
			v := fault.ViewOf(r.Err)
			f.Level, f.Text, f.Next = levelProblem, r.Path+" could not be repaired: "+v.Message, next(v.Hint, "look at the file as its owner: ls -l "+r.Path)
		}
		out = append(out, f)
	}
	return out
}

// longLog is the size of a write-ahead log that no hook folds back any more.
const longLog = 16 << 20

// store tells how the database is.
func (t teller) store(s doctor.Store) []finding {
	var out []finding
	add := func(l level, check, text, next string) { out = append(out, finding{l, "store", check, text, next}) }
	switch {
	case s.Empty:
		add(levelNote, "file", "there is no board yet: "+s.Path+" is empty", "board init")
	case !s.Exists && s.Err == nil:
		add(levelNote, "file", "there is no board yet: "+s.Path, "board init")
	case s.Err != nil:
		out = append(out, unreadableStore(s.Err))
	default:
		add(levelOK, "file", fmt.Sprintf("%s, %s, log %s, schema %d", s.Path, bytesOf(s.Size), bytesOf(s.LogSize), s.Schema), "")
		if len(s.Damage) > 0 {
			add(levelProblem, "integrity", "the database is damaged: "+s.Damage[0], "restore a copy if you have one, or move the file away and keep it")
		} else {
			add(levelOK, "integrity", "every page of it is sound", "")
		}
		if s.LogSize > longLog {
			add(levelNote, "log", "its log was not folded back for long: a program may hold the store open", "end programs that use board, then run board list")
		}
		if s.WriteErr != nil {
			v := fault.ViewOf(s.WriteErr)
			if v.Code == fault.StoreBusy {
				v.Message, v.Hint = "another program holds the lock of the store and does not give it back", "end that program; events wait in the spool meanwhile"
			}
			add(levelProblem, "writable", v.Message, next(v.Hint, "make the database and its folder writable"))
		} else {
			add(levelOK, "writable", "it can be written", "")
		}
	}
	for _, f := range s.Lax() {
		add(levelProblem, "mode", fmt.Sprintf("%s has mode %04o: others can get at it", f.Path, f.Mode), "board doctor --fix")
	}
	dir := store.SpoolAt(s.Path).Dir()
	spool := func(l level, check, text, next string) { out = append(out, finding{l, "spool", check, text, next}) }
	switch sp := s.Spool; {
	case sp.Broken != nil:
		v := fault.ViewOf(sp.Broken)
		spool(levelProblem, "folder", v.Message, next(v.Hint, "make the folder "+dir+" readable"))
	case sp.Waiting > 0:
		spool(levelNote, "waiting", fmt.Sprintf("%d %s to be stored", sp.Waiting, plural(sp.Waiting, "event waits", "events wait")), "board doctor --fix")
	default:
		spool(levelOK, "waiting", "no event waits", "")
	}
	if n := len(s.Spool.SetAside); n > 0 {
		spool(levelNote, "set_aside", fmt.Sprintf("%d %s set aside: %s", n, plural(n, "entry that could not be read is", "entries that could not be read are"),
			strings.Join(s.Spool.SetAside[:min(n, 3)], ", ")), "look at them in "+dir+"; nothing needs them any more")
	}
	return out
}

// unreadableStore says why nothing is known of what the store holds.
func unreadableStore(err error) finding {
	v := fault.ViewOf(err)
	return finding{levelProblem, "store", "file", v.Message, next(v.Hint, "set BOARD_DB to the path of another database")}
}

func bytesOf(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d kB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// project tells where the directory and the projects are.
func (t teller) project(r doctor.Report) []finding {
	var out []finding
	switch {
	case r.Here != nil:
		out = append(out, finding{levelOK, "project", "binding", fmt.Sprintf("%s, %s", r.Here.Prefix, r.Here.Root), ""})
	case !r.Store.Exists || r.Store.Err != nil:
	case len(r.Joinable) > 0:
		var join []string
		for _, p := range r.Joinable[:min(len(r.Joinable), maxRelated)] {
			join = append(join, "board init --join "+p.Prefix)
		}
		out = append(out, finding{levelNote, "project", "binding", "this directory belongs to no project, and may be another clone of one", strings.Join(join, " or ")})
	default:
		out = append(out, finding{levelOK, "project", "binding", "this directory belongs to no project: agents in it report nothing", "board init"})
	}
	for _, p := range r.Projects {
		if p.Gone {
			out = append(out, finding{levelNote, "project", "root", fmt.Sprintf("%s: %s is not there", p.Prefix, p.Root), "in its new place: board init --join " + p.Prefix})
		}
	}
	return out
}

// programs tells which builds meet each other.
func (t teller) programs(r doctor.Report) []finding {
	out := []finding{{levelOK, "programs", "this", "board " + t.w.Version, ""}}
	if t.problem != nil {
		v := fault.ViewOf(t.problem)
		out = append(out, finding{levelNote, "programs", "launcher", "this board cannot be written into hosts: " + v.Message, v.Hint})
	}
	for _, p := range r.Programs {
		who := " (" + strings.Join(p.Hosts, ", ") + ")"
		f := finding{levelOK, "programs", "build", p.Path + who + " is of the same build", ""}
		mended := together(p.Path)
		switch {
		case p.Err != "":
			f.Level, f.Text, f.Next = levelNote, p.Path+who+": "+p.Err, mended
		case p.Mismatch():
			f.Level, f.Next = levelProblem, mended
			f.Text = fmt.Sprintf("%s%s speaks protocol %s and schema %d, this board %s and %d: it drops every event", p.Path, who, p.Protocol, p.Schema, hooks.Protocol, store.SchemaVersion)
		case p.Drift(t.w.Version):
			f.Level, f.Text, f.Next = levelNote, fmt.Sprintf("%s%s is %s, this board is %s; its events are stored", p.Path, who, p.Version, t.w.Version), mended
		}
		out = append(out, f)
	}
	return out
}

// printFindings prints the table: for people by subject, with colour for what is not as it should be.
func (a *app) printFindings(list []finding) {
	o := a.out
	if !o.tty {
		for _, f := range list {
			o.fields(string(f.Level), f.Subject, f.Check, f.Text, f.Next)
		}
		return
	}
	wide := 0
	for _, f := range list {
		wide = max(wide, ansi.StringWidth(f.Check))
	}
	subject := ""
	for _, f := range list {
		if f.Subject != subject {
			subject = f.Subject
			o.line(o.style.bold(one(subject)))
		}
		mark := map[level]string{levelOK: "ok", levelNote: "note", levelProblem: "!!", levelFixed: "done"}[f.Level]
		st := map[level]func(string) string{levelOK: o.style.dim, levelNote: o.style.person, levelProblem: o.style.bad, levelFixed: plain}[f.Level]
		lead := "  " + st(fit(mark, 4, false)) + "  " + fit(f.Check, wide, false) + "  "
		rest := strings.Repeat(" ", ansi.StringWidth(lead))
		o.wrapped(lead, rest, one(f.Text))
		if f.Next != "" {
			o.wrapped(rest+"→ ", rest+"  ", one(f.Next))
		}
	}
}
