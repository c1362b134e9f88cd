package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"board/internal/codexhost"
	"board/internal/modelserver"
)

// listHooks asks the real host which hooks it sees, and whether it trusts them.
func (w *world) listHooks(ctx context.Context) ([]codexhost.Hook, error) {
	list, err := codexhost.List(ctx, codexhost.Query{Program: w.program, Home: filepath.Join(w.Home, ".codex"), Cwd: w.Repo, Env: w.hostEnv()})
	if err == nil && len(list.Errors) > 0 {
		err = fmt.Errorf("codex: %q", list.Errors)
	}
	return list.Hooks, err
}

// trust does what a person does in /hooks, for the hooks that are not trusted yet.
func (w *world) trust(ctx context.Context) error {
	list, err := w.listHooks(ctx)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(w.Home, ".codex", "config.toml"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, h := range list {
		if h.Trust != codexhost.Trusted {
			_, werr := fmt.Fprintf(f, "\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.Hash)
			err = errors.Join(err, werr)
		}
	}
	return errors.Join(err, f.Close())
}

// foreignHooks are hooks of somebody else, in a shape of their own.
const foreignHooks = `{ "hooks": {
  "UserPromptSubmit": [ {"hooks": [ {"type":"command","command":"true one"}, {"type":"command","command":"true two","timeout":7} ]} ],
  "Stop": [
    {"hooks": [{"type": "command", "command": "true three"}]},
    {"hooks": [{"type": "command", "command": "true four"}]}
  ]
}}
`

// trusted: what a person trusted before board came stays trusted beside it and after it, and check tells board's own
// hooks apart.
func trusted(ctx context.Context, w *world) error {
	file := filepath.Join(w.Home, ".codex", "hooks.json")
	if err := errors.Join(w.write(file, foreignHooks), os.Symlink(w.program, filepath.Join(w.Bin, "codex")), w.trust(ctx)); err != nil {
		return err
	}
	foreign, err := w.trustKeys(ctx)
	if err != nil || len(foreign) != 4 {
		return errors.Join(err, fmt.Errorf("four trusted hooks, got %q", foreign))
	}
	if err := w.join(ctx); err != nil {
		return err
	}
	beside, err := w.trustKeys(ctx)
	if err != nil {
		return err
	}
	if err := want("trusted keys with board beside them", fmt.Sprint(beside), fmt.Sprint(foreign)); err != nil {
		return err
	}
	w.script(mainLane(say("Hello.")))
	if err := errors.Join(w.expectTrust(ctx, "untrusted"), w.plainExec(ctx), w.expectRuns(ctx)); err != nil {
		return err
	}
	if err := errors.Join(w.trust(ctx), w.plainExec(ctx), w.untilRuns(ctx, "root ended/completed"), w.expectTrust(ctx, "trusted")); err != nil {
		return err
	}
	if err := w.person(ctx, "host", "remove", "codex"); err != nil {
		return err
	}
	after, err := w.trustKeys(ctx)
	return errors.Join(
		err,
		want("trusted keys after board", fmt.Sprint(after), fmt.Sprint(foreign)),
		want("the file after board", fileText(file), foreignHooks),
	)
}

// trustKeys are the keys of the hooks that the host trusts.
func (w *world) trustKeys(ctx context.Context) (keys []string, err error) {
	list, err := w.listHooks(ctx)
	for _, h := range list {
		if h.Trust == codexhost.Trusted {
			keys = append(keys, h.Key)
		}
	}
	slices.Sort(keys)
	return keys, err
}

// expectTrust looks at what host check says of the trust of board's hooks.
func (w *world) expectTrust(ctx context.Context, word string) error {
	d, err := w.diagnosis(ctx, "host", "check", "codex")
	if err != nil {
		return err
	}
	for _, f := range d.Findings {
		if f.Check == "trusted" {
			healthy := f.Level == "ok"
			return want(fmt.Sprintf("host check says that the hooks are trusted (%s: %s)", f.Level, f.Text), healthy, word == "trusted")
		}
	}
	return fmt.Errorf("host check says nothing of trust: %+v", d.Findings)
}

// plainExec runs a turn in which only trusted hooks run.
func (w *world) plainExec(ctx context.Context) error {
	p, err := w.start(w.Repo, w.hostEnv(), w.program, "exec", "hello")
	if err != nil {
		return err
	}
	return p.mustEnd(ctx)
}

// witnessed: a notify program tells of a turn, and nothing else does. There is no run of it, and the doctor says why.
func witnessed(ctx context.Context, w *world) error {
	config := filepath.Join(w.Home, ".codex", "config.toml")
	notify := fmt.Sprintf("notify = [%q, \"--host\", \"codex\", \"--protocol\", \"1\", \"--notify\"]\n", w.Program("board-hook"))
	if err := errors.Join(
		w.person(ctx, "init", "--prefix", prefix, "--no-input"),
		os.WriteFile(config, []byte(notify+fileText(config)), 0o600),
	); err != nil {
		return err
	}
	w.script(mainLane(say("Hello.")))
	if err := w.plainExec(ctx); err != nil {
		return err
	}
	err := w.until(ctx, "the doctor knows that hooks are silent", func() (bool, error) {
		d, err := w.diagnosis(ctx, "doctor")
		for _, h := range d.Hosts {
			if h.Host == "codex" && h.Silent {
				return true, err
			}
		}
		return false, err
	})
	return errors.Join(err, w.expectRuns(ctx))
}

// permitted: board's hook sees a permission request and prints nothing: the person is still asked, and what the person says
// is done.
func permitted(ctx context.Context, w *world) error {
	command := func(file string) modelserver.Step { return use(codex{}.risky("touch " + file)) }
	w.script(modelserver.Rule{Lane: "main", Steps: []modelserver.Step{command("yes.txt"), say("Did it."), say("Did it, as I said."), command("no.txt")}, Then: say("I see.")})
	t, h, err := w.sit(ctx, "-a", "on-request")
	if err != nil {
		return err
	}
	for _, answer := range []struct{ prompt, key string }{{"touch the first", "Enter"}, {"touch the second", "Escape"}} {
		if err := errors.Join(t.send(ctx, answer.prompt), t.see(ctx, codex{}.dialog())); err != nil {
			return err
		}
		for _, file := range []string{"yes.txt", "no.txt"} {
			if answer.key == "Enter" && exists(w.inRepo(file)) {
				return errors.New("the command ran before the person was asked")
			}
		}
		if err := errors.Join(t.answer(ctx, codex{}.dialog(), answer.key), t.idle(ctx, h)); err != nil {
			return err
		}
	}
	w.script(modelserver.Rule{Lane: "main", Steps: []modelserver.Step{command("never.txt")}, Then: say("I see.")})
	if err := t.close(); err != nil {
		return err
	}
	if _, err := w.turn(ctx, "touch the third", false); err != nil { // without a terminal nobody can allow it
		return err
	}
	d, err := w.diagnosis(ctx, "doctor")
	if err != nil {
		return err
	}
	seen := false
	for _, host := range d.Hosts {
		for _, e := range host.Seen {
			seen = seen || e.Event == "PermissionRequest"
		}
	}
	return errors.Join(
		want("board saw the request", seen, true),
		want("what was allowed has happened", exists(w.inRepo("yes.txt")), true),
		want("what was refused has happened", exists(w.inRepo("no.txt")), false),
		want("what nobody could allow has happened", exists(w.inRepo("never.txt")), false),
	)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// programming is the newest model of the catalogue. It has one tool for everything, which runs programs of its own, and
// subagents of another kind.
const programming = "gpt-6.2-sol"

// program is a step in which such a model calls a tool of board.
func program(tool string, a args) modelserver.Step {
	return func(*modelserver.Request) modelserver.Reply {
		data, err := json.Marshal(a)
		if err != nil {
			data = []byte("{}")
		}
		code := fmt.Sprintf("const r = await tools.mcp__board__%s(%s); text(JSON.stringify(r));", tool, data)
		return modelserver.Reply{Calls: []modelserver.Call{{Name: "exec", Freeform: code}}}
	}
}

// bothKinds: subagents of both kinds have runs of their own.
func bothKinds(ctx context.Context, w *world) error {
	if err := delegated(ctx, w); err != nil {
		return err
	}
	for _, title := range []string{"Show the tax", "Log in"} {
		if err := w.person(ctx, "add", title, "-c", "it works"); err != nil {
			return err
		}
	}
	closing := args{"issue_key": "SHOP-3", "issue_revision": 2, "summary": "Done.", "verdicts": []args{{"n": 1, "verdict": "met", "how": "tried it"}}}
	w.script(
		modelserver.Rule{Lane: "child", When: func(r *modelserver.Request) bool { return r.Agent != "" }, Steps: []modelserver.Step{
			program("kanban_begin_work", args{"issue_key": "SHOP-3"}), program("kanban_request_closure", closing), say("The task is done."),
		}},
		modelserver.Rule{Lane: "programs", Steps: []modelserver.Step{
			program("kanban_begin_work", args{"issue_key": "SHOP-2"}),
			use(modelserver.Call{Namespace: "collaboration", Name: "spawn_agent", Args: args{"task_name": "alpha", "message": "do it", "fork_turns": "none"}}),
			use(modelserver.Call{Namespace: "collaboration", Name: "wait_agent", Args: args{"timeout_ms": 30000}}),
		}, Then: say("All done.")},
	)
	p, err := w.start(w.Repo, w.hostEnv(), w.program, append(w.host.headless(w, "delegate more", false), "-m", programming)...)
	if err != nil {
		return err
	}
	if err := p.mustEnd(ctx); err != nil {
		return err
	}
	if err := w.untilRuns(ctx, "root ended/completed", "subagent ended/completed SHOP-1", "root ended/completed SHOP-2", "subagent ended/completed SHOP-3"); err != nil {
		return err
	}
	rows, err := w.runs(ctx)
	if err != nil {
		return err
	}
	child := w.requests("child")
	return errors.Join(
		w.expectActors(ctx, "SHOP-2", "begin_work "+rows[2].Run+" proven"),
		w.expectActors(ctx, "SHOP-3", "begin_work "+rows[3].Run+" proven"),
		want("the parent", rows[3].Parent, rows[2].Run),
		want("the refusal", child[len(child)-1].Contains("root_only"), true),
		w.expectReached("child", childText, 1),
	)
}
