package projects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"board/internal/store"
)

// maxGitConfig bounds what is read of a repository's config.
const maxGitConfig = 64 << 10

// Related returns the projects that the directory may be another clone of, or the new place of: those of the same name,
// those with the same git remote, and, for a repository, those whose own directory is gone. These are hints for a person
// and nothing else: board never guesses which project a repository belongs to. The project that it belongs to already is
// not among them.
func Related(ctx context.Context, q store.Querier, dir string) ([]Project, error) {
	identity, root, err := Identify(dir)
	if err != nil {
		return nil, nil // no directory is related to nothing
	}
	mine, err := Find(ctx, q, dir)
	if err != nil {
		mine = Project{}
	}
	all, err := All(ctx, q)
	if err != nil {
		return nil, err
	}
	name, from := nameOf(identity, root), origin(identity)
	var alike, gone []Project
	for _, p := range all {
		_, serr := os.Stat(p.Root)
		lost := errors.Is(serr, fs.ErrNotExist)
		switch {
		case p.ID == mine.ID:
		case strings.EqualFold(p.Name, name), from != "" && (from == p.Root || !lost && from == originOf(p.Root)):
			alike = append(alike, p)
		case lost && identity != root:
			gone = append(gone, p)
		}
	}
	return append(alike, gone...), nil
}

// originOf is origin of the repository around dir.
func originOf(dir string) string {
	identity, _, err := Identify(dir)
	if err != nil {
		return ""
	}
	return origin(identity)
}

// origin returns the address of the remote "origin" as the config of a repository has it, without a final slash or
// ".git": "" for none, and for a directory without git.
func origin(common string) string {
	name := filepath.Join(common, "config")
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxGitConfig))
	if err != nil {
		return ""
	}
	inside := false
	for line := range bytes.Lines(b) {
		l := strings.TrimSpace(string(line))
		if strings.HasPrefix(l, "[") {
			inside = l == `[remote "origin"]`
			continue
		}
		if key, value, ok := strings.Cut(l, "="); ok && inside && strings.TrimSpace(key) == "url" {
			return strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(value), "/"), ".git")
		}
	}
	return ""
}

// Propose returns the prefix that Register would derive for the directory, with q nil as in an empty store.
func Propose(ctx context.Context, q store.Querier, dir string) (string, error) {
	identity, root, err := Identify(dir)
	if err != nil {
		return "", err
	}
	taken := map[string]bool{}
	if q != nil {
		if taken, err = prefixes(ctx, q); err != nil {
			return "", err
		}
	}
	return derive(nameOf(identity, root), taken), nil
}

// CheckPrefix reports a prefix that Register would not take for its form.
func CheckPrefix(prefix string) error {
	if !wellFormed(strings.ToUpper(prefix)) {
		return badPrefix(prefix)
	}
	return nil
}
