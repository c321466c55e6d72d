package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"errors"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed schema.sql
var schema string

// store is one SQLite file: a single connection that writes and several that read.
type store struct {
	*sealer
	writer, reader *sql.DB
}

func openStore(ctx context.Context, cfg *config) (*store, error) {
	seal, err := openSealer(cfg.Database + ".key")
	if err != nil {
		return nil, err
	}
	file := "file:" + (&url.URL{Path: cfg.Database}).EscapedPath() + "?_pragma=busy_timeout(5000)&_pragma=secure_delete(1)"
	writer, writerErr := sql.Open("sqlite", file+"&_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	reader, readerErr := sql.Open("sqlite", file+"&_query_only=1")
	if err := errors.Join(writerErr, readerErr); err != nil { // only of the configuration, nothing is open yet
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader.SetMaxOpenConns(4)
	s := &store{seal, writer, reader}
	err = s.write(ctx, func(t *tx) error {
		t.exec(schema)
		t.syncProjects(cfg.Projects)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *store) close() error { return errors.Join(s.reader.Close(), s.writer.Close()) }

func (s *store) write(ctx context.Context, do func(*tx) error) error {
	return s.transact(ctx, s.writer, do)
}

func (s *store) read(ctx context.Context, do func(*tx) error) error {
	return s.transact(ctx, s.reader, do)
}

// transact commits unless the database fails or do refuses.
func (s *store) transact(ctx context.Context, db *sql.DB, do func(*tx) error) error {
	inner, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer inner.Rollback() // without effect after a commit
	t := &tx{inner, s.sealer, ctx, nil}
	refusal := do(t)
	if err := cmp.Or(t.err, refusal); err != nil {
		return err
	}
	return inner.Commit()
}

// tx is one transaction. After its first error its methods do nothing, and transact returns that error.
type tx struct {
	*sql.Tx
	*sealer
	ctx context.Context
	err error
}

// exec returns how many rows changed.
func (t *tx) exec(query string, args ...any) int {
	if t.err != nil {
		return 0
	}
	var result sql.Result
	if result, t.err = t.ExecContext(t.ctx, query, args...); t.err != nil {
		return 0
	}
	n, _ := result.RowsAffected() // this driver has no error here
	return int(n)
}

// each scans each row into the variables and calls do.
func (t *tx) each(query string, args, into []any, do func()) {
	if t.err != nil {
		return
	}
	var rows *sql.Rows
	if rows, t.err = t.QueryContext(t.ctx, query, args...); t.err != nil {
		return
	}
	defer rows.Close()
	for t.err == nil && rows.Next() {
		if t.err = rows.Scan(into...); t.err == nil {
			do()
		}
	}
	t.err = errors.Join(t.err, rows.Err())
}

// get scans the first row and reports whether there is one.
func (t *tx) get(query string, args []any, into ...any) (found bool) {
	t.each(query, args, into, func() { found = true })
	return found
}

// syncProjects records projects and surveys, and raises the version of each survey that has changed.
func (t *tx) syncProjects(projects []*project) {
	for _, p := range projects {
		t.exec(`INSERT OR IGNORE INTO project (id) VALUES (?)`, p.ID)
		for _, s := range p.Surveys {
			sum := sha256.Sum256([]byte(encodeJSON(s.definition)))
			t.get(`INSERT INTO survey (project, id, slug, version, digest) VALUES (?1, ?2, ?4, 1, ?3)
				ON CONFLICT DO UPDATE SET slug = ?4, version = version + (digest <> ?3), digest = ?3 RETURNING version`,
				[]any{p.ID, s.id, hex.EncodeToString(sum[:]), s.slug}, &s.version)
		}
	}
}

// isBusyOrFull reports whether the same request may succeed later.
func isBusyOrFull(err error) bool {
	var e *sqlite.Error
	code := 0
	if errors.As(err, &e) {
		code = e.Code() & 0xff // without the extended part
	}
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED || code == sqlite3.SQLITE_FULL
}
