package main

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"
)

// bootstrap also serves the alias /v1/definitions, whose calls have no body.
func bootstrap(c *call) (any, error) {
	if c.method == "GET" {
		c.w.Header().Set("Referrer-Policy", "no-referrer")
	}
	if string(c.body.fields["userId"]) == "null" {
		delete(c.body.fields, "userId")
	}
	userID := c.textInEither("userId", liveRule(1024))
	c.body.traits("traits")
	if err := c.admit(); err != nil {
		return nil, err
	}
	surveys := []map[string]json.RawMessage{}
	for _, s := range c.project.Surveys {
		if !s.isPaused {
			surveys = append(surveys, s.definition)
		}
	}
	base := claims{Respondent: value(userID), Expires: c.now.Add(seconds(c.cfg.UnboundTokenSeconds)).UnixMilli()}
	reply := map[string]any{"surveys": surveys}
	return reply, c.store.read(c.r.Context(), func(t *tx) error {
		tokens, _, suppression := t.issue(c.project, base, nil, c.now)
		reply["showTokens"], reply["suppression"] = tokens, suppression
		return nil
	})
}

// submission is a response or a dismissal, which has no rating and no text.
type submission struct {
	kind, token, surveyID string
	claimed               *string // respondent, for a token of none
	rating                int
	text                  *string
	store                 func(t *tx, from claims, s *survey, id string) error
}

var required = textRule{required: true, min: 1}

func submit(c *call) (any, error) {
	b := c.body
	sub := submission{kind: "response", token: value(b.text("showToken", required)), surveyID: value(b.text("surveyId", required))}
	sub.rating = b.integer("rating", 0, 10)
	if sub.text = b.text("text", textRule{max: 10_000}); sub.text != nil {
		*sub.text = cleanText(*sub.text)
	}
	followUp, traits, taskType := b.bool("followUpRequested"), b.traits("traits"), b.text("taskType", identifierRule(128))
	session, observation := b.text("sessionId", identifierRule(256)), b.text("observationId", identifierRule(256))
	identity := b.text("identityKind", textRule{oneOf: []string{"identified", "anon-device", "anon-conversation"}})
	sub.claimed = b.text("userId", liveRule(1024))
	if err := c.admit(); err != nil {
		return nil, err
	}
	sub.store = func(t *tx, from claims, s *survey, id string) error {
		state := "unlinked"
		if from.Session != "" {
			state = "pending"
			if session != nil && *session != from.Session || observation != nil && *observation != from.Observation {
				return refuse("token_session_mismatch")
			}
		}
		if from.TaskType != "" {
			taskType = &from.TaskType
		}
		if scale := scales[s.kind]; sub.rating < scale[0] || sub.rating > scale[1] {
			return refuse("rating_out_of_range", fieldError{"/rating", "range"})
		}
		t.exec(`INSERT INTO response (id, project, survey, version, respondent, rating, text, follow_up, at, identity_kind, traits,
				task_type, session, observation, state)
			VALUES (?, ?, ?, ?, nullif(?, ''), ?, ?, ?, ?, ?, nullif(?, ''), ?, nullif(?, ''), nullif(?, ''), ?)`,
			id, c.project.ID, s.id, s.version, from.Respondent, sub.rating, sub.text, followUp, timestamp(c.now), identity, traits,
			taskType, from.Session, from.Observation, state)
		return nil
	}
	return c.useToken(sub)
}

func dismiss(c *call) (any, error) {
	sub := submission{kind: "dismissal", token: value(c.body.text("showToken", required)), surveyID: value(c.body.text("surveyId", required))}
	sub.claimed = c.body.text("userId", liveRule(1024).needed())
	if err := c.admit(); err != nil {
		return nil, err
	}
	sub.store = func(t *tx, from claims, s *survey, id string) error {
		t.exec(`INSERT INTO dismissal (id, project, survey, respondent, at) VALUES (?, ?, ?, nullif(?, ''), ?)`,
			id, c.project.ID, s.id, from.Respondent, timestamp(c.now))
		return nil
	}
	return c.useToken(sub)
}

func ingestOk(id, at string) any { return map[string]any{"ok": true, "id": id, "at": at} }

// useToken marks the token as used and stores the record in one transaction (section 3.1).
func (c *call) useToken(sub submission) (reply any, err error) {
	from, ok := c.store.openToken(c.project, sub.token)
	if !ok {
		return nil, refuse("token_invalid")
	}
	var refusal *problem // of a used token; committed, since it is counted
	err = c.store.write(c.r.Context(), func(t *tx) error {
		if t.purges(c.project) != from.Purges {
			return refuse("token_invalid")
		}
		if c.now.UnixMilli() >= from.Expires {
			return refuse("token_expired")
		}
		var kind, record string
		if t.get(`SELECT kind, record FROM used_token WHERE id = ?`, []any{from.ID}, &kind, &record) {
			reply, refusal = t.answerUsed(sub, from.ID, kind, record, c.now)
			return nil
		}
		s := c.project.survey(sub.surveyID)
		if s == nil {
			return refuse("survey_not_found")
		}
		if from.Survey != s.id {
			return refuse("token_invalid")
		}
		from.Respondent = cmp.Or(from.Respondent, value(sub.claimed))
		id := rand.Text()
		reply = ingestOk(id, timestamp(c.now))
		if err := sub.store(t, from, s, id); err != nil {
			return err
		}
		if from.Respondent != "" {
			t.exec(`INSERT INTO interaction (project, survey, respondent, at) VALUES (?, ?, ?, ?)`,
				c.project.ID, s.id, t.hash(c.project.ID, from.Respondent), c.now.UnixMilli())
		}
		t.exec(`INSERT INTO used_token (id, project, kind, record, forget) VALUES (?, ?, ?, ?, ?)`,
			from.ID, c.project.ID, sub.kind, id, from.Expires+graceOfUsed.Milliseconds())
		t.exec(`DELETE FROM used_token WHERE forget < ?`, c.now.UnixMilli())
		return nil
	})
	if err == nil && refusal != nil {
		err = refusal
	}
	return reply, err
}

// answerUsed repeats the reply of a dismissal to another one and refuses everything else.
func (t *tx) answerUsed(sub submission, tokenID, kind, record string, now time.Time) (reply any, refusal *problem) {
	p := refuse("token_used")
	if sub.kind == "dismissal" {
		p.Status = http.StatusUnauthorized
	}
	var at, text string
	var rating, conflicts int
	query := `SELECT at, rating, coalesce(text, '') FROM response WHERE id = ?`
	if kind == "dismissal" {
		query = `SELECT at, -1, '' FROM dismissal WHERE id = ?`
	}
	if !t.get(query, []any{record}, &at, &rating, &text) {
		return nil, p // erased
	}
	p.Existing = map[string]any{"id": record, "at": at, "kind": kind}
	if sub.kind == "dismissal" {
		if kind == "dismissal" {
			return ingestOk(record, at), nil
		}
		return nil, p
	}
	t.get(`UPDATE used_token SET conflicts = conflicts + 1 WHERE id = ? RETURNING conflicts`, []any{tokenID}, &conflicts)
	if kind == "response" && conflicts <= 3 && at > timestamp(now.Add(-24*time.Hour)) {
		p.Existing["isSame"] = rating == sub.rating && text == value(sub.text)
	}
	return nil, p
}

func checkToken(c *call) (any, error) {
	token := value(c.body.text("showToken", required))
	if err := c.admit(); err != nil {
		return nil, err
	}
	from, ok := c.store.openToken(c.project, token)
	state := "fresh"
	err := c.store.read(c.r.Context(), func(t *tx) error {
		if !ok || t.purges(c.project) != from.Purges || c.now.UnixMilli() > from.Expires+graceOfUsed.Milliseconds() {
			return refuse("token_invalid")
		}
		if t.get(`SELECT 1 FROM used_token WHERE id = ?`, []any{from.ID}, new(int)) {
			state = "used"
		} else if c.now.UnixMilli() >= from.Expires {
			state = "expired"
		}
		return nil
	})
	return map[string]string{"state": state, "surveyId": from.Survey}, err
}
