package arch_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"board/internal/issues"
	"board/internal/runs"
	"board/internal/store"
)

// The columns whose CHECK lists words, and the Go type that has the same words. A list without a type in Go says so.
func checkedColumns() map[string]string {
	return map[string]string{
		"runs.state":       "internal/runs State",
		"runs.outcome":     "internal/runs Outcome",
		"sessions.state":   "internal/runs StretchState",
		"issues.state":     "internal/issues State",
		"criteria.verdict": "internal/issues Verdict",

		"scopes.capability": "internal/runs Verdict",
	}
}

var (
	createTable = regexp.MustCompile(`^CREATE TABLE (\w+)`)
	checkWords  = regexp.MustCompile(`CHECK \((\w+) IN \(('[^)]*)\)\)`)
)

func TestTheSchemaRepeatsTheWordsOfTheMachines(t *testing.T) {
	want := checkedColumns()
	seen := map[string]bool{}
	table := ""
	for _, line := range strings.Split(schema(t), "\n") {
		if m := createTable.FindStringSubmatch(line); m != nil {
			table = m[1]
		}
		m := checkWords.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		column := table + "." + m[1]
		typ, listed := want[column]
		if !listed {
			t.Errorf("%s has a CHECK list and no row in checkedColumns", column)
			continue
		}
		seen[column] = true
		if typ == "" {
			continue
		}
		var words []string
		for _, w := range strings.Split(m[2], ",") {
			if w = strings.Trim(strings.TrimSpace(w), "'"); w != "" { // '' is "not yet"
				words = append(words, w)
			}
		}
		if got := constants(t, typ); !slices.Equal(sorted(words), sorted(got)) {
			t.Errorf("%s: the schema has %v, %s has %v", column, words, typ, got)
		}
	}
	for column := range want {
		if !seen[column] {
			t.Errorf("%s: no CHECK list in the schema", column)
		}
	}
}

func TestStatesListsEveryState(t *testing.T) {
	for typ, got := range map[string][]string{
		"internal/runs State":   text(runs.States()),
		"internal/runs Outcome": text(runs.Outcomes()),
		"internal/issues State": text(issues.States()),
	} {
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		if want := constants(t, typ); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: the function lists %v, the constants are %v", typ, got, want)
		}
	}
}

func TestTheSchemaVersionCountsTheMigrations(t *testing.T) {
	if n := len(migrations(t)); n != store.SchemaVersion {
		t.Errorf("%d migrations, SchemaVersion %d", n, store.SchemaVersion)
	}
}

func TestEveryTableIsStrict(t *testing.T) {
	for _, stmt := range strings.Split(schema(t), "CREATE TABLE ")[1:] {
		body, _, _ := strings.Cut(stmt, ";\n")
		if !regexp.MustCompile(`\)\s*STRICT(, WITHOUT ROWID)?$`).MatchString(strings.TrimSpace(body)) {
			name, _, _ := strings.Cut(stmt, " ")
			t.Errorf("table %s is not STRICT: a time.Time or a text in a number column would be stored", name)
		}
	}
}

func migrations(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("store/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no migrations", err)
	}
	return files
}

func schema(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, f := range migrations(t) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}

// constants returns the non-empty string constants of a type, named "dir Type".
func constants(t *testing.T, typ string) []string {
	t.Helper()
	dir, name, _ := strings.Cut(typ, " ")
	files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		_, tree := parse(t, f)
		for _, d := range tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if x, ok := v.Type.(*ast.Ident); !ok || x.Name != name {
					continue
				}
				for _, e := range v.Values {
					if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						if w, err := strconv.Unquote(lit.Value); err == nil && w != "" {
							out = append(out, w)
						}
					}
				}
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("no constants of %s", typ)
	}
	return out
}

func text[T ~string](in []T) []string {
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

func sorted(in []string) []string { return slices.Sorted(slices.Values(in)) }

// changesHistory finds statements that would change or remove what the append-only history says.
var changesHistory = regexp.MustCompile(`(?is)\b(UPDATE\s+history|DELETE\s+FROM\s+history|DROP\s+TABLE\s+history)\b`)

func TestNothingChangesHistory(t *testing.T) {
	for _, f := range goFiles(t) {
		source, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m := changesHistory.Find(source); m != nil && !strings.HasSuffix(f, "_test.go") {
			t.Errorf("%s: %s", repo(f), m)
		}
	}
	if !changesHistory.MatchString("delete from history where seq = 1") {
		t.Error("the pattern finds nothing")
	}
}
