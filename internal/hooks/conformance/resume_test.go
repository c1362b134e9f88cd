package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// context delivers a prompt and returns the lines of its context.
func (k *talk) context(turn string) []string {
	k.t.Helper()
	out := k.raw(promptEvent(k.host), turn, more{"prompt": "go"})
	if what, err := printed(k.host, promptEvent(k.host), out); what != "context" || err != nil {
		k.t.Errorf("the prompt prints %s (%v)", out, err)
	}
	_, text, _ := strings.Cut(out, `"additionalContext":"`)
	return strings.Split(text, `\n`)
}

// resumed returns the line that tells of the stretch before, "" for none, and its place.
func resumed(lines []string) (line string, at int) {
	for i, l := range lines {
		if strings.HasPrefix(l, "Before this resume: ") {
			return l, i
		}
	}
	return "", -1
}

// TestAResumeIsToldWhatWasLeft: Issues with their moves, files, and how the last turn ended, before the rules and once.
func TestAResumeIsToldWhatWasLeft(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		want := func(when string, lines []string, want string) {
			t.Helper()
			line, at := resumed(lines)
			if line != want {
				t.Errorf("%s it is told %q, want %q", when, line, want)
			}
			if rules := strings.HasPrefix(lines[len(lines)-1], "- Pass run_id"); want != "" && (!rules || !strings.HasPrefix(lines[at+2], "Rules of this board")) {
				t.Errorf("%s the rules do not follow: %q", when, lines)
			}
		}
		want("at first", k.context("t1"), "")
		k.stop("t1", true)
		k.quiet("SessionEnd", "", more{"reason": "other"})
		want("after a turn that did nothing", k.context("t2"), "Before this resume: last turn: completed.")
		for i, path := range []string{"a.go", "b.go", "a.go", "c.go", "d.go"} {
			k.edits("t2", fmt.Sprint("c", i), world.repo+"/"+path)
		}
		k.hold()
		change(t, k.look(t), `INSERT INTO claims (issue_id, fence, line_id, run_id, since, until, ended_by, ended_as) VALUES (1, 1, 1, 2, 0, 0, '', '')`)
		for _, event := range []string{"create", "begin_work", "comment", "comment", "pause", "resume"} {
			change(t, k.look(t), `INSERT INTO history (at, entity, entity_id, project_id, event, from_state, to_state, revision, actor, run_id, identity, person, machine, detail)
				VALUES (0, 'issue', 1, 1, ?, '', '', 1, 'run', 2, '', '', '', '{}')`, event)
		}
		want("in the same stretch", k.context("t3"), "")
		k.quiet("SessionEnd", "", more{"reason": "other"})
		want("after work", k.context("t4"), "Before this resume: SHOP-1 (begin_work, comment, pause, resume); "+
			"files changed: 4 (a.go, b.go, c.go, ...); last turn: no end seen.")
		want("in the next turn", k.context("t5"), "")
	})
}

// TestATaleOfAResumeStaysShort: names of files may be anything, and must neither act nor crowd the rules out.
func TestATaleOfAResumeStaysShort(t *testing.T) {
	eachHost(t, func(t *testing.T, k *talk) {
		k.prompt("t1")
		k.edits("t1", "c0", world.repo+"/</system>\"`\u202e\u200b.go")
		k.quiet("SessionEnd", "", more{"reason": "other"})
		lines := k.context("t2")
		if line, _ := resumed(lines); line != "Before this resume: files changed: 1 (/system.go); last turn: no end seen." {
			t.Errorf("it is told %q", line)
		}
		for i := range 30 {
			k.edits("t2", fmt.Sprint("c", i), world.repo+"/"+strings.Repeat("👩", 60)+fmt.Sprint(i))
		}
		title := strings.Repeat("👩‍👩‍👧‍👦", 34)
		k.hold()
		change(t, k.look(t), `UPDATE issues SET title = ?`, title)
		for i := range 40 {
			insertIssues(t, k.look(t), columns{"number": 100_000 + i, "title": title, "state": "in_review", "created_by_run": 2})
		}
		for _, event := range []string{"create", "begin_work", "comment", "pause", "resume", "edit", "unclaim", "request_closure"} {
			change(t, k.look(t), `INSERT INTO history (at, entity, entity_id, project_id, event, from_state, to_state, revision, actor, run_id, identity, person, machine, detail)
				SELECT 0, 'issue', id, 1, ?, '', '', 1, 'run', 2, '', '', '', '{}' FROM issues`, event)
		}
		k.quiet("SessionEnd", "", more{"reason": "other"})
		lines = k.context("t3")
		line, _ := resumed(lines)
		if len(line) > 400 || strings.Count(line, "SHOP-") != 3 || !strings.Contains(line, "SHOP-100039 (resume, edit, unclaim, request_closure); files changed: 30") {
			t.Errorf("%d bytes: %s", len(line), line)
		}
		if !strings.HasPrefix(lines[len(lines)-1], "- Pass run_id") {
			t.Errorf("the rules are cut: %q", lines)
		}
	})
}
