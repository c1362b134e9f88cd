package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"board/internal/modelserver"
)

// openCodeWitness is a plugin that makes a file when the host tells that it asks.
const openCodeWitness = `import { writeFileSync } from "node:fs"
export const Witness = async () => ({
  event: async ({ event }: any) => {
    if (event.type === "permission.asked" || event.type === "question.asked") writeFileSync(%s, event.type)
  },
})
`

// presentOverAPI is present for a host whose person answers over its API, as its own terminal does: a command that is
// allowed, one that is refused, and a question of the model.
func presentOverAPI(ctx context.Context, w *world) error {
	told := w.path("told")
	err := errors.Join(
		w.write(w.inRepo("opencode.json"), `{"permission":{"bash":"ask"}}`),
		w.write(filepath.Join(w.Home, ".config", "opencode", "plugin", "witness.ts"), fmt.Sprintf(openCodeWitness, strconv.Quote(told))),
	)
	if err != nil {
		return err
	}
	s, err := w.serve(ctx, "OPENCODE_ENABLE_QUESTION_TOOL=1")
	if err != nil {
		return err
	}
	id, err := s.session(ctx)
	if err != nil {
		return err
	}
	question := modelserver.Call{Name: "question", Args: args{"questions": []args{{
		"question": "Which way?", "header": "Way", "options": []args{{"label": "left", "description": "there"}, {"label": "right", "description": "here"}},
	}}}}
	for _, a := range []struct {
		call        modelserver.Call
		state, list string // how it is shown, and where the API lists what is asked
		answer      args
		refused     bool
	}{
		{openCode{}.shell("touch yes.txt"), "needs_approval", "/permission", args{"reply": "once"}, false},
		{openCode{}.shell("touch no.txt"), "needs_approval", "/permission", args{"reply": "reject"}, true},
		{question, "needs_answer", "/question", args{"answers": [][]string{{"left"}}}, false},
	} {
		gate := make(chan struct{})
		w.script(mainLane(use(a.call), modelserver.After(gate, say("I see."))))
		wait := s.meanwhile(ctx, id, "do it")
		if err := w.expectNoticed(ctx, told, a.state); err != nil {
			return err
		}
		var asked []struct{ ID string }
		if err := s.call(ctx, "GET", a.list, nil, &asked); err != nil || len(asked) != 1 {
			return errors.Join(err, fmt.Errorf("one request at %s, got %v", a.list, asked))
		}
		if err := s.call(ctx, "POST", a.list+"/"+asked[0].ID+"/reply", a.answer, nil); err != nil {
			return err
		}
		if a.refused { // the turn is over
			err = w.expectRefused(ctx)
		} else {
			err = w.expectCleared(ctx, "working")
		}
		close(gate)
		if err := errors.Join(err, wait()); err != nil {
			return err
		}
		if _, err := w.untilShown(ctx, "idle"); err != nil {
			return err
		}
		if err := os.Remove(told); err != nil {
			return err
		}
	}
	err = errors.Join(
		want("what was allowed has happened", exists(w.inRepo("yes.txt")), true),
		want("what was refused has happened", exists(w.inRepo("no.txt")), false),
	)
	s.p.kill()
	return errors.Join(err, w.expectLeft(ctx))
}
