// Package arch_test holds the rules of the code base that no compiler checks.
package arch_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Imports go one way: cli, mcp → issues → runs → store, machine → fault. A package that is not listed here is a
// conscious act: add its row, with the reason why it exists.
func importTable() map[string]rule {
	return map[string]rule{
		"cmd/board":      {may("internal/cli"), "process → environment → cli.Run"},
		"cmd/board-hook": {may("internal/brief", "internal/hooks"), "process → environment → hooks.Run; links nothing it does not need"},

		"internal/brief":    {may(), "imports nothing but runtime, so that its init is the first of the process"},
		"internal/fault":    {may(), "the words of every failure: everybody imports it, it imports nobody"},
		"internal/text":     {may(), "cleaning of foreign text: bytes in, bytes out"},
		"internal/machine":  {may(), "state tables know no entity"},
		"internal/store":    {may("internal/fault"), "transactions and history know entities as ids only"},
		"internal/process":  {may(), "what is proven of other processes, system by system; on the hook path"},
		"internal/projects": {may("internal/fault", "internal/store", "internal/text"), "which repository is this? on the hook path"},
		"internal/runs":     {may("internal/fault", "internal/machine", "internal/process", "internal/store", "internal/text"), "knows an Issue as an id only; on the hook path"},
		"internal/hooks": {
			may("internal/fault", "internal/process", "internal/projects", "internal/runs", "internal/store", "internal/text"),
			"observation: events become facts of runs, and nothing here can move an Issue",
		},
		"internal/hooks/conformance": {may(), "every recorded payload and session through the built hook"},
		"internal/issues": {
			may("internal/fault", "internal/machine", "internal/runs", "internal/store", "internal/text"),
			"judgment: every use case of an Issue; knows no host and no event",
		},
		"internal/agents": {
			may("internal/issues", "internal/process", "internal/runs", "internal/store", "internal/text"),
			"what every agent does and what waits on a person: reads runs and Issues, and writes nothing",
		},
		"internal/codexhost": {may(), "the one place that starts a host's program: the real Codex says what it trusts"},
		"internal/mcp": {
			may("internal/fault", "internal/hooks", "internal/issues", "internal/projects", "internal/runs", "internal/store", "internal/text"),
			"tools fill commands of issues; hooks for the drain of the spool only",
		},
		"internal/doctor": {
			may("internal/adapters", "internal/codexhost", "internal/fault", "internal/hooks", "internal/projects", "internal/runs", "internal/store"),
			"facts about hosts and the store, for check and doctor: no text for people, and no write but the repairs that are asked for",
		},
		"internal/cli": {
			may("internal/adapters", "internal/agents", "internal/doctor", "internal/fault", "internal/hooks", "internal/issues", "internal/mcp", "internal/process", "internal/projects", "internal/runs", "internal/store", "internal/text"),
			"text for people, and the one place that knows every package",
		},

		"assets/adapters": {may(), "what is embedded stands beside its embed directive"},
		"internal/adapters": {
			may("assets/adapters", "internal/fault", "internal/hooks", "internal/runs"),
			"edits files of hosts as text; knows no store, and prints nothing",
		},

		"internal/storetest": {may("internal/store"), "an empty migrated store and a clock, for tests"},
		"internal/lab":       {may(), "a throw-away world around the built programs, for the four below"},
		"internal/demo":      {may("internal/lab"), "drives the built programs from outside, as a host and a person do"},
		"internal/bench":     {may("internal/lab", "internal/store"), "measures the built programs from outside"},
		"internal/stress":    {may(), "many processes and kill -9, against the built programs"},
		"internal/dist":      {may(), "archives of the built programs"},

		"internal/modelserver": {may(), "a scripted model for the real hosts; knows their APIs and nothing of board"},
		"internal/e2e":         {may("assets/adapters", "internal/codexhost", "internal/lab", "internal/modelserver"), "drives the real hosts from outside, with board in them"},
	}
}

// Third-party modules, and the only packages that may import each.
func moduleTable() map[string]rule {
	return map[string]rule{
		"github.com/looplab/fsm":                {may("internal/machine"), "one adapter, so that an fsm is never kept in an entity"},
		"modernc.org/sqlite":                    {may("internal/store"), "the driver and its error codes stay behind store"},
		"github.com/uptrace/bun":                {may("internal/issues"), "2 ms of start that the hook path does not pay"},
		"github.com/mark3labs/mcp-go":           {may("internal/mcp"), "7 ms of start that only board mcp pays"},
		"github.com/google/jsonschema-go":       {may("internal/mcp"), "schemas are inferred where tools are declared"},
		"github.com/spf13/cobra":                {may("internal/cli"), "commands and completion"},
		"github.com/spf13/pflag":                {may("internal/cli"), "with cobra"},
		"charm.land/lipgloss":                   {may("internal/cli"), "colour and width, for people only"},
		"github.com/charmbracelet/x/ansi":       {may("internal/cli"), "width of text on a terminal"},
		"github.com/mattn/go-runewidth":         {may("internal/cli"), "width of text on a terminal"},
		"github.com/tailscale/hujson":           {may("internal/adapters"), "where in a JSON file with comments a value stands"},
		"github.com/pelletier/go-toml":          {may("internal/adapters"), "where in a TOML file a value stands, and what it says"},
		"golang.org/x/term":                     {may("internal/cli"), "is it a terminal, and how wide"},
		"golang.org/x/sys":                      {may("internal/store", "internal/process", "internal/projects", "internal/lab"), "locks, process facts, volumes, a terminal for tests"},
		"github.com/google/uuid":                {may("internal/issues", "internal/projects", "internal/runs", "internal/hooks"), "ids under keys"},
		"github.com/rogpeppe/go-internal":       {may("internal/adapters"), "unified diffs of a dry run; testscript, in tests"},
		"pgregory.net/rapid":                    {may(), "models of the machines, in tests only"},
		"go.uber.org/goleak":                    {may(), "leaks of the MCP loop, in tests only"},
		"github.com/charmbracelet/colorprofile": {may("internal/cli"), "what colours the terminal has"},
	}
}

type rule struct {
	users  []string
	reason string
}

func may(p ...string) []string { return p }

type pkg struct {
	ImportPath   string
	Dir          string
	Name         string
	Doc          string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// rel is the path of the package inside the module.
func (p pkg) rel() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "board"), "/") }

func TestEveryPackageHasARowInTheImportTable(t *testing.T) {
	table := importTable()
	for _, p := range packages(t) {
		if r, ok := table[p.rel()]; !ok {
			t.Errorf("%s: no row in importTable: add one, with the reason why the package exists", p.rel())
		} else if r.reason == "" {
			t.Errorf("%s: its row lacks a reason", p.rel())
		}
	}
}

func TestImportsGoOneWay(t *testing.T) {
	table, modules := importTable(), moduleTable()
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if rel, ok := strings.CutPrefix(imp, "board/"); ok {
				if !slices.Contains(table[p.rel()].users, rel) {
					t.Errorf("%s imports %s: its row does not allow it (%s)", p.rel(), rel, table[p.rel()].reason)
				}
				continue
			}
			if !strings.Contains(strings.Split(imp, "/")[0], ".") {
				continue // the standard library
			}
			m := moduleOf(imp, modules)
			if !slices.Contains(modules[m].users, p.rel()) {
				t.Errorf("%s imports %s: moduleTable allows it to %v (%s)", p.rel(), imp, modules[m].users, modules[m].reason)
			}
		}
		for _, imp := range slices.Concat(p.TestImports, p.XTestImports) {
			if strings.HasPrefix(imp, "github.com/stretchr/testify") {
				t.Errorf("%s: tests import %s: plain comparisons say more", p.rel(), imp)
			}
		}
	}
}

func moduleOf(imp string, modules map[string]rule) string {
	for m := range modules {
		if imp == m || strings.HasPrefix(imp, m+"/") {
			return m
		}
	}
	return ""
}

// The hook is started at every event of a host: whatever it links is paid thousands of times a day.
func TestTheHookLinksNothingItDoesNotNeed(t *testing.T) {
	for _, dep := range lines(t, "list", "-deps", "../cmd/board-hook") {
		for _, no := range []string{
			"github.com/uptrace/bun", "github.com/mark3labs/mcp-go", "github.com/google/jsonschema-go", "github.com/spf13/cobra",
			"net/http", "board/internal/issues", "board/internal/cli", "board/internal/mcp",
		} {
			if dep == no || strings.HasPrefix(dep, no+"/") {
				t.Errorf("cmd/board-hook links %s", dep)
			}
		}
	}
}

// A child process of a hook would outlive it, and a connection would make a host wait for a network.
func TestNothingOnTheHookPathSpawnsOrConnects(t *testing.T) {
	deps := lines(t, "list", "-deps", "../cmd/board-hook")
	for _, p := range packages(t) {
		for _, no := range []string{"os/exec", "net"} {
			if slices.Contains(deps, p.ImportPath) && slices.Contains(p.Imports, no) {
				t.Errorf("%s is on the hook path and imports %s", p.rel(), no)
			}
		}
	}
}

func TestEveryPackageIsDocumentedInOneSentence(t *testing.T) {
	for _, p := range packages(t) {
		docs := map[string]string{}
		for _, f := range goFiles(t) {
			if filepath.Dir(f) != filepath.Join("..", p.rel()) || strings.HasSuffix(f, "_test.go") {
				continue
			}
			a, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if a.Doc != nil {
				docs[f] = a.Doc.Text()
			}
		}
		switch len(docs) {
		case 0:
			t.Errorf("%s: no package doc", p.rel())
		case 1:
			for f, doc := range docs {
				text := strings.Join(strings.Fields(doc), " ")
				if !strings.HasSuffix(text, ".") || strings.Contains(strings.TrimSuffix(text, "."), ". ") {
					t.Errorf("%s: the package doc is not one sentence: %q", f, text)
				}
			}
		default:
			t.Errorf("%s: several package docs: %v", p.rel(), slices.Sorted(maps.Keys(docs)))
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,Doc,Imports,TestImports,XTestImports", "board/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath != "board/internal" { // these rules
			all = append(all, p)
		}
	}
}

func lines(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.Fields(string(out))
}

// goFiles returns every Go file of the repository, the modules of their own included, but no testdata.
func goFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir("..", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".."):
			return fs.SkipDir
		case strings.HasSuffix(p, ".go"):
			all = append(all, p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func parse(t *testing.T, file string) (*token.FileSet, *ast.File) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return set, f
}
