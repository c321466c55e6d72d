package main

import "time"

// standing is what gating knows about one respondent in one project.
type standing struct {
	purges     int             // of the project
	answered   map[string]bool // survey ids answered or dismissed
	isWithheld bool            // by quiet period or monthly cap
	responses  map[string]int  // stored per survey, of all respondents
}

// standing reads what gating needs. Without a respondent only the maximum applies.
func (t *tx) standing(p *project, respondent string, now time.Time) standing {
	st := standing{answered: map[string]bool{}, responses: map[string]int{}}
	var id string
	var responses, recent int
	var at int64
	st.purges = t.purges(p)
	t.each(`SELECT survey, count(*) FROM response WHERE project = ? GROUP BY survey`, []any{p.ID}, []any{&id, &responses}, func() { st.responses[id] = responses })
	if respondent == "" {
		return st
	}
	quiet, monthAgo := now.Add(-seconds(p.QuietPeriodSeconds)).UnixMilli(), now.AddDate(0, 0, -30).UnixMilli()
	t.each(`SELECT survey, at FROM interaction WHERE project = ? AND respondent = ?`, []any{p.ID, t.hash(p.ID, respondent)},
		[]any{&id, &at}, func() {
			st.answered[id] = true
			if s := p.survey(id); s != nil && s.isUnprompted {
				return
			}
			if at > monthAgo {
				recent++
			}
			st.isWithheld = st.isWithheld || p.QuietPeriodSeconds > 0 && at > quiet
		})
	st.isWithheld = st.isWithheld || p.MonthlyCap > 0 && recent >= p.MonthlyCap
	return st
}

func (t *tx) purges(p *project) (n int) {
	t.get(`SELECT purges FROM project WHERE id = ?`, []any{p.ID}, &n)
	return n
}

// issue seals tokens with the given claims for each active survey, or for one survey if only is set. It returns a reason for
// each survey without a token, and the ids of the project's surveys that the respondent has answered or dismissed.
func (t *tx) issue(p *project, base claims, only *string, now time.Time) (tokens, reasons map[string]string, suppression []string) {
	tokens, reasons, suppression = map[string]string{}, map[string]string{}, []string{}
	st := t.standing(p, base.Respondent, now)
	base.Project, base.Purges, base.Issued = p.ID, st.purges, now.UnixMilli()
	if only != nil && p.survey(*only) == nil {
		reasons[*only] = "survey_unknown"
	}
	for _, s := range p.Surveys {
		if st.answered[s.id] {
			suppression = append(suppression, s.id)
		}
		if only != nil && *only != s.id || only == nil && s.isPaused {
			continue
		}
		switch {
		case s.isPaused:
			reasons[s.id] = "survey_inactive"
		case st.answered[s.id], st.isWithheld && !s.isUnprompted:
			reasons[s.id] = "gated"
		case s.maximum > 0 && st.responses[s.id] >= s.maximum:
			reasons[s.id] = "maximum"
		default:
			base.Survey = s.id
			tokens[s.id] = t.token(base)
		}
	}
	return tokens, reasons, suppression
}
