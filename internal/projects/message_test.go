package projects_test

import (
	"context"
	"strings"
	"testing"

	"board/internal/fault"
	"board/internal/projects"
)

func TestADeletedDirectoryIsCalledThat(t *testing.T) {
	w := newWorld(t)
	_, err := projects.Find(context.Background(), w.db.SQL(), "")
	if fault.CodeOf(err) != fault.NoProject || !strings.Contains(err.Error(), "the current directory was deleted") {
		t.Error(err)
	}
}
