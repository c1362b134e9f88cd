package projects_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"board/internal/fault"
	"board/internal/projects"
	"board/internal/store"
)

// used makes a project one that had an Issue.
func (w *world) used(p projects.Project) {
	w.t.Helper()
	must(w.t, w.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE projects SET next_number = 2 WHERE id = ?", p.ID)
		return err
	}))
}

func (w *world) related(rel string) string {
	w.t.Helper()
	list, err := projects.Related(context.Background(), w.db.SQL(), w.path(rel))
	must(w.t, err)
	var prefixes []string
	for _, p := range list {
		prefixes = append(prefixes, p.Prefix)
	}
	return strings.Join(prefixes, " ")
}

func TestWhatADirectoryMayBelongToIsHintedAt(t *testing.T) {
	w := newWorld(t)
	w.repo("a/web")
	w.repo("api")
	w.repo("other")
	w.git("", "clone", "-q", w.path("api"), w.path("api-2"))
	w.git("", "clone", "-q", w.path("api"), w.path("api-3"))
	w.repo("b/web")
	w.mkdir("plain")
	w.register("a/web", "WEB")
	w.register("api", "API")

	for dir, want := range map[string]string{
		"a/web": "",    // it belongs to it
		"b/web": "WEB", // the name
		"api-2": "API", // the remote
		"other": "", "plain": "", "gone": "",
	} {
		if got := w.related(dir); got != want {
			t.Errorf("%s is related to %q, want %q", dir, got, want)
		}
	}
	w.register("api-2", "TWO")
	if got := w.related("api-3"); got != "API TWO" {
		t.Errorf("clones of one remote: %q", got)
	}
	must(t, os.Rename(w.path("a/web"), w.path("moved")))
	if got := w.related("moved"); got != "WEB" {
		t.Errorf("a repository that was moved, and renamed, is related to %q", got)
	}
	if got := w.related("api-3"); got != "API TWO WEB" {
		t.Errorf("what is alike comes before what is only gone: %q", got)
	}
	if got := w.related("plain"); got != "" {
		t.Errorf("a directory without git is related to %q", got)
	}
}

func TestARepositoryLeavesAProjectThatWasMadeByMistake(t *testing.T) {
	w := newWorld(t)
	w.repo("web")
	w.git("", "clone", "-q", w.path("web"), w.path("clone"))
	web := w.register("web", "WEB")
	mistake := w.register("clone", "CLO")
	if got, err := w.join("clone", "WEB"); err != nil || got.ID != web.ID || w.find(w.path("clone")) != "WEB" {
		t.Fatalf("join: %+v, %v; the clone belongs to %s", got, err, w.find(w.path("clone")))
	}
	if _, err := projects.ByPrefix(context.Background(), w.db.SQL(), "CLO"); !errors.Is(err, fault.Of(fault.NotFound)) {
		t.Errorf("the mistaken project is still there: %v", err)
	}
	if w.history("unregister") != 1 || w.history("join") != 1 {
		t.Errorf("history has %d and %d rows", w.history("unregister"), w.history("join"))
	}
	w.repo("next")
	if p := w.register("next", "CLO"); p.ID == mistake.ID {
		t.Error("a new project inherits the history of one that was removed")
	}
}

func TestAProjectThatIsUsedIsNotLeft(t *testing.T) {
	for name, use := range map[string]string{
		"it had an Issue":      "UPDATE projects SET next_number = 2 WHERE id = ?",
		"it has a note":        "INSERT INTO notes (project_id, id, run_id, actor, person, machine, text, at) VALUES (?, 1, 0, 'a', 'p', 'm', 't', 1)",
		"another clone joined": "INSERT INTO project_paths (path, project_id) VALUES ('/elsewhere', ?)",
		"a run began in it": "INSERT INTO runs (handle, line_id, stretch, turn_key, project_id, kind, origin, state, outcome, end_basis, reason, " +
			"revision, version, issue_id, parent_id, host_process, direct, n_events, facts, started_at, last_seen_at, lease_until, deadline, ended_at, " +
			"person, machine) VALUES ('h', 1, 1, 't', ?, 'root', 'user', 'ended', 'lost', 'inferred', '', 1, 1, 0, 0, '', 1, 1, '{}', 1, 1, 1, 0, 1, 'p', 'm')",
		"a run changed files in it": "INSERT INTO evidence (run_id, project_id, path, n, first_at, last_at) VALUES (1, ?, 'a.go', 1, 1, 1)",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.repo("web")
			w.repo("clone")
			w.register("web", "WEB")
			mine := w.register("clone", "CLO")
			must(t, w.db.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.ExecContext(ctx, use, mine.ID)
				return err
			}))
			if _, err := w.join("clone", "WEB"); !errors.Is(err, fault.Of(fault.Conflict)) || w.find(w.path("clone")) != "CLO" {
				t.Errorf("%v; the clone belongs to %s", err, w.find(w.path("clone")))
			}
		})
	}
}

func TestADirectoryWithoutGitInAProjectDoesNotTakeItAway(t *testing.T) {
	w := newWorld(t)
	w.mkdir("plain/sub")
	w.repo("web")
	w.register("web", "WEB")
	w.register("plain", "PLA")
	if _, err := w.join("plain/sub", "WEB"); !errors.Is(err, fault.Of(fault.Conflict)) || w.find(w.path("plain")) != "PLA" {
		t.Errorf("%v; the directory belongs to %s", err, w.find(w.path("plain")))
	}
}
