package main

import (
	"encoding/json"
	"slices"
	"strings"
)

// selection is what export and erase act on. Empty parts select everything.
type selection struct {
	people []any   // ids
	slug   *string // also of deleted surveys
}

// where returns a condition on the tables of records, and its arguments, which end with the people.
func (sel selection) where(project string) (condition string, args []any) {
	condition, args = "project = ?", []any{project}
	if sel.slug != nil {
		condition, args = condition+" AND survey IN (SELECT id FROM survey WHERE project = ? AND slug = ?)", append(args, project, *sel.slug)
	}
	if len(sel.people) > 0 {
		condition += " AND respondent IN (?" + strings.Repeat(", ?", len(sel.people)-1) + ")"
	}
	return condition, append(args, sel.people...)
}

// selectors reads the selectors that export and erase have in common.
func (c *call) selectors(known ...string) (sel selection, err error) {
	for name, values := range c.query {
		if !slices.Contains(known, name) {
			c.inQuery = append(c.inQuery, fieldError{"#", "unknown"}) // without the name, which could hold anything
		} else if len(values) > 1 {
			c.inQuery = append(c.inQuery, fieldError{"#" + name, "repeated"})
		}
	}
	if id := c.queryText("respondentId", identifierRule(1024)); id != nil {
		sel.people = append(sel.people, *id)
	}
	if email := c.queryText("email", textRule{}); email != nil {
		address := strings.TrimSpace(*email)
		local, domain, _ := strings.Cut(address, "@")
		if local == "" || domain == "" || strings.ContainsAny(domain, "@ ") || identifierRule(320).check(address) != "" {
			c.inQuery = append(c.inQuery, fieldError{"#email", "format"})
		}
		sel.people = append(sel.people, c.store.importedID(c.project.ID, address))
	}
	sel.slug = c.queryText("surveySlug", identifierRule(1024))
	if err := c.checkShape(); err != nil || sel.slug == nil {
		return sel, err
	}
	return sel, c.store.read(c.r.Context(), func(t *tx) error {
		if t.get(`SELECT 1 FROM survey WHERE project = ? AND slug = ?`, []any{c.project.ID, *sel.slug}, new(int)) {
			return nil
		}
		return refuse("survey_not_found")
	})
}

func export(c *call) (any, error) {
	sel, err := c.selectors("respondentId", "email", "surveySlug")
	if err != nil {
		return nil, err
	}
	rows := []json.RawMessage{}
	condition, args := sel.where(c.project.ID)
	err = c.store.read(c.r.Context(), func(t *tx) error {
		var row string
		// json_patch leaves out what is null.
		t.each(`SELECT json_patch(json_object('id', id, 'surveyId', survey, 'surveyVersion', version, 'rating', rating, 'text', text,
				'at', at, 'source', 'measured', 'traits', json(traits)),
				json_object('respondentId', respondent, 'followUpRequested', json(iif(follow_up IS NULL, 'null', iif(follow_up, 'true', 'false')))))
			FROM response WHERE `+condition+` ORDER BY seq`, args, []any{&row}, func() { rows = append(rows, json.RawMessage(row)) })
		return nil
	})
	return map[string]any{
		"projectId": c.project.ID, "exportedAt": timestamp(c.now), "count": len(rows), "responses": rows,
	}, err
}

const eraseNote = "Scores that were delivered to an observability service are not erased there. Backups of the database are not changed."

func erase(c *call) (any, error) {
	account := c.queryText("account", textRule{})
	sel, err := c.selectors("respondentId", "email", "surveySlug", "account")
	if err != nil {
		return nil, err
	}
	if (len(sel.people) > 0 || sel.slug != nil) == (account != nil) || account != nil && *account != "true" && *account != "1" {
		return nil, refuse("invalid_selectors", fieldError{"#account", "value"})
	}
	reply := map[string]any{"ok": true, "mode": "account", "note": eraseNote}
	if sel.slug != nil {
		reply["mode"], reply["surveySlug"] = "survey", *sel.slug
	}
	if len(sel.people) > 0 {
		reply["mode"], reply["respondentIds"] = "respondent", sel.people
	}
	err = c.store.write(c.r.Context(), func(t *tx) error {
		t.erase(c.project.ID, sel, reply)
		return nil
	})
	if err == nil { // removes what was erased from the write-ahead log too
		_, err = c.store.writer.ExecContext(c.r.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	return reply, err
}

// erase adds its counts to the reply.
func (t *tx) erase(project string, sel selection, reply map[string]any) {
	condition, args := sel.where(project)
	reply["responsesDeleted"] = t.exec(`DELETE FROM response WHERE `+condition, args...)
	reply["dismissalsDeleted"] = t.exec(`DELETE FROM dismissal WHERE `+condition, args...)
	if reply["mode"] == "account" {
		t.exec(`DELETE FROM interaction WHERE project = ?`, project)
		t.exec(`DELETE FROM used_token WHERE project = ?`, project)
		t.exec(`UPDATE project SET purges = purges + 1 WHERE id = ?`, project)
		return
	}
	for i := len(args) - len(sel.people); i < len(args); i++ { // interactions know people by their hash
		args[i] = t.hash(project, args[i].(string))
	}
	retained := 0
	t.get(`SELECT count(*) FROM (SELECT DISTINCT survey, respondent FROM interaction WHERE `+condition+`)`, args, &retained)
	reply["suppressionRetained"] = retained
}
