package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
)

func mint(c *call) (any, error) {
	b := c.body
	base := claims{
		Respondent:  value(b.text("respondentId", liveRule(256).needed())),
		Session:     value(b.text("sessionId", identifierRule(256).needed())),
		Observation: value(b.text("observationId", identifierRule(256))),
		TaskType:    value(b.text("taskType", identifierRule(128))),
		Expires:     c.now.Add(seconds(c.cfg.BoundTokenSeconds)).UnixMilli(),
	}
	only := b.text("surveyId", identifierRule(1024))
	if err := c.checkShape(); err != nil {
		return nil, err
	}
	reply := map[string]any{"issuedAt": timestamp(c.now)}
	return reply, c.store.read(c.r.Context(), func(t *tx) error {
		tokens, reasons, suppression := t.issue(c.project, base, only, c.now)
		reply["tokens"], reply["suppression"] = tokens, suppression
		if len(reasons) > 0 {
			reply["reason"] = reasons
		}
		return nil
	})
}

func listScores(c *call) (any, error) {
	limit := 50
	if text := c.queryText("limit", textRule{}); text != nil {
		limit, _ = strconv.Atoi(*text)
		limit = min(limit, 100)
		if !regexp.MustCompile(`^[1-9][0-9]{0,8}$`).MatchString(*text) {
			c.inQuery = append(c.inQuery, fieldError{"#limit", "range"})
		}
	}
	withFailed, cursor := c.queryText("includeFailed", textRule{oneOf: []string{"true"}}) != nil, c.queryText("cursor", textRule{})
	if err := c.checkShape(); err != nil {
		return nil, err
	}
	purpose, after := fmt.Sprintf("cursor %t %s", withFailed, c.project.ID), 0
	if cursor != nil && !c.store.open(purpose, *cursor, &after) {
		return nil, refuse("invalid_cursor")
	}
	scores, seqs := []json.RawMessage{}, []int{}
	err := c.store.read(c.r.Context(), func(t *tx) error {
		var seq int
		var score string
		t.each(`SELECT seq, json_object('id', id, 'surveyId', survey, 'at', at, 'sessionId', session, 'observationId', observation,
				'rating', rating, 'text', text, 'taskType', task_type)
			FROM response WHERE project = ? AND seq > ? AND state IN ('pending', 'failed') AND (state = 'pending' OR ?)
			ORDER BY seq LIMIT ?`, []any{c.project.ID, after, withFailed, limit + 1}, []any{&seq, &score},
			func() { seqs, scores = append(seqs, seq), append(scores, json.RawMessage(score)) })
		return nil
	})
	if len(scores) <= limit {
		return map[string]any{"scores": scores}, err
	}
	return map[string]any{"scores": scores[:limit], "nextCursor": c.store.seal(purpose, seqs[limit-1])}, err
}

func acknowledge(c *call) (any, error) {
	var items []json.RawMessage
	if json.Unmarshal(c.body.fields["results"], &items) != nil || len(items) < 1 || len(items) > 200 {
		c.body.fail("results", "length")
	}
	ids := map[string][]string{} // by state
	for i, raw := range items {
		item := parseObject(fmt.Sprintf("/results/%d", i), raw, &c.errors)
		id := value(item.text("id", textRule{required: true, min: 1, max: 128}))
		state := value(item.text("state", textRule{required: true, oneOf: []string{"delivered", "failed"}}))
		item.text("reason", identifierRule(80)) // no endpoint returns it
		ids[state] = append(ids[state], id)
	}
	if err := c.checkShape(); err != nil {
		return nil, err
	}
	updated := 0
	err := c.store.write(c.r.Context(), func(t *tx) error {
		for _, id := range ids["delivered"] {
			updated += t.exec(`UPDATE response SET state = 'delivered' WHERE id = ? AND project = ? AND state IN ('pending', 'failed')`,
				id, c.project.ID)
		}
		for _, id := range ids["failed"] { // those that were delivered are not pending any more
			updated += t.exec(`UPDATE response SET state = 'failed' WHERE id = ? AND project = ? AND state = 'pending'`, id, c.project.ID)
		}
		return nil
	})
	return map[string]any{"ok": true, "updated": updated}, err
}
