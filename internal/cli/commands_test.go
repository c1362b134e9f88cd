package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	boardWord = regexp.MustCompile(`\bboard ([a-z][a-z-]*)`)
	markdown  = regexp.MustCompile("(?ms)^```(?:sh|text)\n.*?^```$|`[^`\n]+`")
)

// prose is what may follow "board" in a text without being a command.
func prose() []string {
	return []string{
		"adds", "alone", "and", "are", "asks", "at", "beside", "call", "cannot", "command", "database", "decides", "for",
		"gives", "in", "into", "is", "itself", "knows", "learns", "may", "of", "on", "out", "outside", "over", "saw", "sees",
		"that", "throws", "to", "when", "with", "would", "writes", "written", "yet",
	}
}

// A hint that names a command must name one that exists: whoever reads it types it.
func TestEveryCommandThatIsNamedExists(t *testing.T) {
	a := &app{Env: Env{Getenv: os.Getenv, Now: time.Now}}
	a.out = newOutput(a.Env)
	var known []string
	for _, c := range a.root().Commands() {
		known = append(append(known, c.Name()), c.Aliases...)
	}
	check := func(where, s string) {
		for _, m := range boardWord.FindAllStringSubmatch(s, -1) {
			if !slices.Contains(known, m[1]) && !slices.Contains(prose(), m[1]) {
				t.Errorf("%s names board %s, which is no command: %.120q", where, m[1], s)
			}
		}
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			b, err := os.ReadFile(path)
			for _, code := range markdown.FindAllString(string(b), -1) {
				check(path, code)
			}
			return err
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				s, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				check(path, s)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
