package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"board/internal/issues"
	"board/internal/runs"
)

// worked is an Issue in review with work of two sessions, in two work trees, and names that misbehave.
func worked() issues.Issue {
	commit := func(letter string) string { return strings.Repeat(letter, 40) }
	i := issues.Issue{Key: "WEB-9", Title: "Upload of large files", State: issues.InReview, Priority: 1, CreatedAt: before(4 * time.Hour), UpdatedAt: before(3 * time.Hour), Revision: 7}
	i.Work = []issues.Work{
		{Run: runs.Run{ID: 7, Host: runs.Codex, State: runs.Ended, Outcome: runs.Lost, StartedAt: before(30 * time.Hour), EndedAt: before(26 * time.Hour)}, Attached: true},
		{
			Run:   runs.Run{ID: 9, Host: runs.ClaudeCode, State: runs.Ended, Outcome: runs.Completed, StartedAt: before(4 * time.Hour), EndedAt: before(3 * time.Hour), HeadStart: commit("a"), HeadEnd: commit("b")},
			Files: []issues.WorkFile{{Path: "internal/upload/chunks_of_eight_megabytes_that_can_be_resumed_after_a_failure.go", Edits: 4}, {Path: "evil\x1b[2J\u202e.go", Edits: 1}},
		},
		{Run: runs.Run{ID: 12, Host: runs.ClaudeCode, State: runs.Running, StartedAt: before(5 * time.Minute), HeadStart: commit("b")}, Files: []issues.WorkFile{{Path: "a.go", Edits: 1}, {Path: "evil\x1b[2J\u202e.go", Edits: 1}}},
		{Run: runs.Run{ID: 13, Host: runs.ClaudeCode, Kind: runs.Subagent, State: runs.Ended, Outcome: runs.Completed, EndedAt: before(time.Minute), HeadStart: commit("b"), HeadEnd: commit("b")}},
	}
	i.Basis = &issues.Basis{
		Trees: []issues.Tree{
			{Worktree: "/home/ada/web", Branch: "upload", HeadStart: commit("a"), HeadEnd: commit("b"), Head: commit("c"), Diff: "git -C /home/ada/web diff aaaaaaaaaaaa..bbbbbbbbbbbb"},
			{Worktree: "/home/ada/quiet", Branch: "main", HeadStart: commit("a"), HeadEnd: commit("a"), Head: commit("a")},
			{Worktree: "/home/ada/a tree that is gone \x1b[2J", HeadStart: commit("d")},
		},
		Changed: "edit of title by eve; 2 more edits of files by its session",
		Resume:  "claude --resume 01234567-89ab-cdef-0123-456789abcdef",
	}
	return i
}

func TestWorkAndBasisFitTheTerminal(t *testing.T) {
	i := worked()
	for _, w := range []int{40, 80} {
		o := picture(w, 0, false)
		o.showWork(i)
		got := o.buf.String()
		if strings.ContainsFunc(strings.ReplaceAll(got, "\n", ""), hidden) {
			t.Errorf("a character that acts: %q", got)
		}
		golden(t, fmt.Sprintf("work-%d", w), got)
	}
	o := picture(0, 0, false)
	o.tty = false
	o.dumpWork(i)
	golden(t, "work-pipe", o.buf.String())
	i.Work, i.Basis = nil, nil
	o = picture(80, 0, false)
	o.showWork(i)
	o.dumpWork(i)
	if o.buf.Len() > 0 {
		t.Errorf("nobody worked, and it says %q", o.buf.String())
	}
}

func TestABasisOfManyFilesNamesTheFirst(t *testing.T) {
	i := worked()
	i.Work = i.Work[:1]
	for n := range shownFiles + 3 {
		i.Work[0].Files = append(i.Work[0].Files, issues.WorkFile{Path: fmt.Sprintf("%03d.go", n), Edits: 1})
	}
	o := picture(80, 0, false)
	o.showBasis(i)
	if got := o.buf.String(); !strings.Contains(got, "019.go  r7\n  and 3 files more\n") || strings.Contains(got, "020.go") {
		t.Error(got)
	}
	i.Work = nil
	o = picture(80, 0, false)
	o.showBasis(i)
	if got := o.buf.String(); !strings.Contains(got, "no file of which an event tells") {
		t.Error(got)
	}
}
