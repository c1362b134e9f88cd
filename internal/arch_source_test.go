package arch_test

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const maxLines = 400

// Files over the limit, each with its reason.
func longFiles() map[string]string { return map[string]string{} }

func TestAFileHasOneJobAndAtMost400Lines(t *testing.T) {
	long := longFiles()
	for _, f := range goFiles(t) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(data, []byte("\n"))
		reason, listed := long[repo(f)]
		switch {
		case n > maxLines && !listed:
			t.Errorf("%s has %d lines, limit %d: split it by job", repo(f), n, maxLines)
		case n <= maxLines && listed:
			t.Errorf("%s has %d lines: take its row out of longFiles (%s)", repo(f), n, reason)
		}
	}
}

// Calls that may stand in few places, as path prefixes with the reason.
func placeTable() map[string]map[string]string {
	programs := map[string]string{
		"cmd/":            "a main",
		"internal/demo/":  "a main",
		"internal/bench/": "a main",
		"internal/dist/":  "a main",
		"internal/e2e/":   "a main",
	}
	return map[string]map[string]string{
		"recover": {
			"internal/hooks/": "FailOpen is the one place that swallows panics",
			"internal/mcp/":   "a defect in one tool is an answer, not the end of the server",
		},
		"os.Exit": programs,
		"time.Now": merge(programs, map[string]string{
			"internal/hooks/failopen.go": "bounds waiting, is never stored",
			"internal/store/wait.go":     "bounds waiting, is never stored; the stored clock is injected",
			"internal/stress/":           "measures",
		}),
	}
}

func merge(a, b map[string]string) map[string]string {
	for k, v := range a {
		b[k] = v
	}
	return b
}

func TestSomeCallsStandInFewPlaces(t *testing.T) {
	table := placeTable()
	used := map[string]bool{}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f, "_test.go") || strings.HasPrefix(repo(f), "internal/gosdk/") {
			continue
		}
		set, tree := parse(t, f)
		ast.Inspect(tree, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.SelectorExpr: // time.Now passed as a value counts too
				if x, ok := n.X.(*ast.Ident); ok {
					name = x.Name + "." + n.Sel.Name
				}
			case *ast.CallExpr:
				if x, ok := n.Fun.(*ast.Ident); ok {
					name = x.Name
				}
			}
			places, listed := table[name]
			if !listed {
				return true
			}
			for prefix := range places {
				if strings.HasPrefix(repo(f), prefix) {
					used[name+" "+prefix] = true
					return true
				}
			}
			t.Errorf("%s: %s may not stand here: %v", at(set, n), name, places)
			return true
		})
	}
}

var sqlText = regexp.MustCompile(`(?s)\bSELECT\b.+\bFROM\b|\bSELECT \w+\(|\bINSERT (OR \w+ )?INTO\b|\bUPDATE \w+ SET\b|\bDELETE FROM\b|\bPRAGMA \w+|\bCREATE (TABLE|INDEX|UNIQUE|TRIGGER)\b|\bBEGIN IMMEDIATE\b|\bVACUUM\b`)

var bunQuery = regexp.MustCompile(`\.New(Select|Insert|Update|Delete|Raw)\(`)

func TestSQLStandsInStoreFilesOnly(t *testing.T) {
	for _, f := range goFiles(t) {
		base := filepath.Base(f)
		if strings.HasSuffix(f, "_test.go") || strings.HasPrefix(base, "store") || strings.HasPrefix(repo(f), "internal/store/") ||
			strings.HasPrefix(repo(f), "internal/bench/") || strings.HasPrefix(repo(f), "internal/demo/") {
			continue
		}
		set, tree := parse(t, f)
		ast.Inspect(tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && sqlText.MatchString(s) {
					t.Errorf("%s: SQL outside store*.go: %.60q", at(set, n), s)
				}
			}
			return true
		})
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m := bunQuery.Find(data); m != nil {
			t.Errorf("%s: a query outside store*.go: %s", repo(f), m)
		}
	}
}

var selectStar = regexp.MustCompile(`(?i)\bselect\s+(\w+\.)?\*`)

func TestNothingSelectsEveryColumn(t *testing.T) {
	files := goFiles(t)
	sql, err := filepath.Glob("store/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, sql...) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if loc := selectStar.FindIndex(data); loc != nil && repo(f) != "internal/arch_source_test.go" {
			t.Errorf("%s:%d selects every column: a column added later must not change what is read", repo(f), 1+bytes.Count(data[:loc[0]], []byte("\n")))
		}
	}
}

// Package variables that are written, or could be, each with its reason.
func variables() map[string]string {
	return map[string]string{
		"cmd/board version":      "stamped by the linker, never written",
		"cmd/board-hook version": "stamped by the linker, never written",
		"internal/process here":  "read at the first use, never written: who this process is",
	}
}

// TestPackageVariablesAreConstants allows what Go cannot write as a constant: errors, patterns, machine tables,
// embedded files, interface checks. Anything else is state that two callers share without knowing.
func TestPackageVariablesAreConstants(t *testing.T) {
	listed := variables()
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		set, tree := parse(t, f)
		for _, d := range tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if embedded(g.Doc) || embedded(v.Doc) {
					continue
				}
				for i, name := range v.Names {
					if name.Name == "_" || i < len(v.Values) && constantCall(v.Values[i]) {
						continue
					}
					if _, ok := listed[filepath.Dir(repo(f))+" "+name.Name]; !ok {
						t.Errorf("%s: package variable %s: make it a function or a field, or list it with its reason", at(set, name), name.Name)
					}
				}
			}
		}
	}
}

func embedded(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") })
}

func constantCall(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fun := call.Fun
	if x, ok := fun.(*ast.IndexExpr); ok {
		fun = x.X
	}
	if x, ok := fun.(*ast.IndexListExpr); ok {
		fun = x.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && slices.Contains([]string{"errors.New", "fmt.Errorf", "regexp.MustCompile", "machine.Must"}, x.Name+"."+sel.Sel.Name)
}

// A test that sleeps is slow where the machine is fast, and fails where it is slow.
func TestTestsDoNotSleep(t *testing.T) {
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f, "_test.go") {
			continue
		}
		set, tree := parse(t, f)
		if slices.ContainsFunc(tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			continue // in its bubble a sleep takes no time
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Sleep" && !strings.HasPrefix(repo(f), "internal/stress/") {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" {
					t.Errorf("%s: a test sleeps: use testing/synctest, or wait for what is meant", at(set, n))
				}
			}
			return true
		})
	}
}

func repo(file string) string {
	return filepath.ToSlash(strings.TrimPrefix(file, ".."+string(filepath.Separator)))
}

func at(set *token.FileSet, n ast.Node) string {
	p := set.Position(n.Pos())
	return repo(p.Filename) + ":" + strconv.Itoa(p.Line)
}
