package projects

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"board/internal/store"
)

// row is a project as it was found under one of its paths.
type row struct {
	Project
	path string
}

// lookUp returns what is registered under the identities of cs, and what may be in another spelling: of two projects, one
// in the other, the inner one may be known by another. SQLite knows the case of ASCII letters only; where there are others,
// all paths of as many characters are returned, for the caller to compare.
func lookUp(ctx context.Context, q store.Querier, cs []candidate) ([]row, error) {
	var paths, lengths []any
	for _, c := range cs {
		paths = append(paths, c.identity)
		if strings.IndexFunc(c.identity, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
			lengths = append(lengths, utf8.RuneCountInString(c.identity))
		}
	}
	where := "pp.path COLLATE NOCASE IN (?" + strings.Repeat(", ?", len(paths)-1) + ")"
	if len(lengths) > 0 {
		where += " OR length(pp.path) IN (?" + strings.Repeat(", ?", len(lengths)-1) + ")"
	}
	rows, err := q.QueryContext(ctx, `SELECT p.id, p.uuid, p.prefix, p.name, p.root, p.created_at, pp.path
		FROM project_paths pp JOIN projects p ON p.id = pp.project_id WHERE `+where, append(paths, lengths...)...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []row
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.ID, &r.UUID, &r.Prefix, &r.Name, &r.Root, &r.CreatedAt, &r.path); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// idOf returns the project that the innermost of cs is registered as, spelled like this: 0 for none, and where a nearer
// directory may be registered in another spelling.
func idOf(ctx context.Context, q store.Querier, cs []candidate) (int64, error) {
	args := make([]any, len(cs))
	for i, c := range cs {
		args[i] = c.identity
	}
	rows, err := q.QueryContext(ctx, "SELECT path, project_id FROM project_paths WHERE path IN (?"+strings.Repeat(", ?", len(cs)-1)+")", args...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string]int64{}
	for rows.Next() {
		var path string
		var id int64
		if err := rows.Scan(&path, &id); err != nil {
			return 0, err
		}
		found[path] = id
	}
	for i, c := range cs {
		if id := found[c.identity]; id != 0 && (i == 0 || c.git != "") {
			return id, rows.Err()
		}
	}
	return 0, rows.Err()
}

// databaseFile returns the file of the database that q reads.
func databaseFile(ctx context.Context, q store.Querier) (file string, err error) {
	err = q.QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&file)
	return file, err
}

const columns = "id, uuid, prefix, name, root, created_at"

func (p *Project) fields() []any {
	return []any{&p.ID, &p.UUID, &p.Prefix, &p.Name, &p.Root, &p.CreatedAt}
}

// All returns every project in the order of the prefixes.
func All(ctx context.Context, q store.Querier) ([]Project, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+" FROM projects ORDER BY prefix")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []Project
	for rows.Next() {
		var p Project
		if err := rows.Scan(p.fields()...); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, rows.Err()
}

// byPrefix returns the zero Project if there is none.
func byPrefix(ctx context.Context, q store.Querier, prefix string) (Project, error) {
	var p Project
	err := q.QueryRowContext(ctx, "SELECT "+columns+" FROM projects WHERE prefix = ?", prefix).Scan(p.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Project{}, nil
	}
	return p, err
}

func prefixes(ctx context.Context, q store.Querier) (map[string]bool, error) {
	all, err := All(ctx, q)
	if err != nil {
		return nil, err
	}
	taken := make(map[string]bool, len(all))
	for _, p := range all {
		taken[p.Prefix] = true
	}
	return taken, nil
}

// insert stores a new project. Its id is one that no project ever had: the history of one that was removed stays.
func insert(ctx context.Context, tx *store.Tx, p Project, identity string) (int64, error) {
	res, err := tx.ExecContext(ctx, `INSERT INTO projects (id, uuid, prefix, name, root, next_number, created_at) SELECT
		1 + max(ifnull((SELECT max(id) FROM projects), 0), ifnull((SELECT max(entity_id) FROM history WHERE entity = 'project'), 0)),
		?, ?, ?, ?, 1, ?`, p.UUID, p.Prefix, p.Name, p.Root, p.CreatedAt)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	if err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO project_paths (path, project_id) VALUES (?, ?)", identity, id)
	return id, err
}

func attach(ctx context.Context, tx *store.Tx, p Project, identity string) error {
	if _, err := tx.ExecContext(ctx, "INSERT INTO project_paths (path, project_id) VALUES (?, ?)", identity, p.ID); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "UPDATE projects SET root = ? WHERE id = ? AND root <> ?", p.Root, p.ID, p.Root)
	return err
}

// untouched reports whether identity is the only repository of the project, and nothing was ever done with it: no Issue,
// no note, no run in it or with files of it.
func untouched(ctx context.Context, q store.Querier, p Project, identity string) (ok bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT next_number = 1
		AND NOT EXISTS (SELECT 1 FROM project_paths WHERE project_id = p.id AND path <> ?1)
		AND EXISTS (SELECT 1 FROM project_paths WHERE project_id = p.id AND path = ?1)
		AND NOT EXISTS (SELECT 1 FROM issues WHERE project_id = p.id)
		AND NOT EXISTS (SELECT 1 FROM notes WHERE project_id = p.id)
		AND NOT EXISTS (SELECT 1 FROM runs WHERE project_id = p.id)
		AND NOT EXISTS (SELECT 1 FROM evidence WHERE project_id = p.id)
		FROM projects p WHERE p.id = ?2`, identity, p.ID).Scan(&ok)
	return ok, err
}

// remove deletes a project that is untouched, with its settings.
func remove(ctx context.Context, tx *store.Tx, p Project) error {
	for _, query := range []string{
		"DELETE FROM project_paths WHERE project_id = ?",
		"DELETE FROM config WHERE project_id = ?",
		"DELETE FROM projects WHERE id = ?",
	} {
		if _, err := tx.ExecContext(ctx, query, p.ID); err != nil {
			return err
		}
	}
	return nil
}
