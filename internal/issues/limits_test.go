package issues

import (
	"context"
	"testing"

	"board/internal/fault"
)

func TestATitleThatNobodySeesIsEmpty(t *testing.T) {
	s := newStage(t)
	k := s.create("t")
	unseen := "\u200b \u200c\u200d\x7f"
	_, err := s.svc.Create(context.Background(), s.actor(person), CreateCmd{ProjectID: s.project, Title: unseen})
	says(t, fault.As(err), "the title is empty")
	_, err = s.svc.Edit(context.Background(), s.actor(person), EditCmd{ProjectID: s.project, Key: k, Title: &unseen})
	says(t, fault.As(err), "the title is empty")
}
