package issues

import (
	"testing"
)

func TestSmoke(t *testing.T) {
	s := newStage(t)
	s.prompt(ann, false)
	k := s.create("first", "it works")
	r := s.ok(ann, BeginWork, k)
	t.Logf("%+v", r)
	r = s.ok(ann, RequestClosure, k)
	r = s.ok(person, Approve, k)
	t.Logf("%+v %+v", r.Issue, r.Issue.Closure)
}
