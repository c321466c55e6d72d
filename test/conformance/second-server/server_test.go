package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const testConfig = `{
  "requestsPerMinute": { "address": 100000, "project": 100000 },
  "projects": [
    { "id": "shop", "publishableKeys": ["aw_pk_shop"], "secretKeys": ["aw_sk_shop"], "origins": ["https://shop.example", "https://*.shop.example"],
      "quietPeriodSeconds": 3600, "monthlyCap": 2,
      "surveys": [
        { "id": "csat", "slug": "stars", "type": "csat", "question": "How was it?", "presentation": "corner", "trigger": "auto" },
        { "id": "nps", "slug": "nps", "type": "nps", "question": "Recommend?", "presentation": "inline", "trigger": "manual" },
        { "id": "full", "slug": "full", "type": "ces", "question": "Easy?", "presentation": "banner", "trigger": "auto", "maximum": 1 },
        { "id": "off", "slug": "off", "type": "pmf", "question": "Miss it?", "presentation": "banner", "trigger": "auto", "state": "paused" }
      ] },
    { "id": "other", "publishableKeys": ["aw_pk_other"], "secretKeys": ["aw_sk_other"], "origins": ["*"], "surveys": [] }
  ] }`

// service is a server on a database of its own, with a clock that the test moves.
type service struct {
	*testing.T
	url      string
	stop     func()
	database string
	now      time.Time
	mu       sync.Mutex
}

func start(t *testing.T) *service {
	file := configFile(t, testConfig)
	s := &service{T: t, now: time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)}
	s.open(file)
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *service) open(configFile string) {
	s.Helper()
	cfg, err := loadConfig(configFile)
	if err != nil {
		s.Fatal(err)
	}
	s.database = cfg.Database
	st, err := openStore(s.Context(), cfg)
	if err != nil {
		s.Fatal(err)
	}
	web := httptest.NewServer(newServer(cfg, st, s.clock))
	s.url = web.URL
	s.stop = func() {
		web.Close()
		if err := st.close(); err != nil {
			s.Error(err)
		}
	}
}

func (s *service) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *service) wait(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

func configFile(t *testing.T, content string) string {
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

type reply struct {
	status int
	header http.Header
	body   map[string]any
}

func (s *service) send(method, path, body string, headers ...string) reply {
	s.Helper()
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	out := reply{response.StatusCode, response.Header, nil}
	if strings.Contains(response.Header.Get("Content-Type"), "json") && len(data) > 0 {
		if err := json.Unmarshal(data, &out.body); err != nil {
			s.Fatal(err, string(data))
		}
	}
	return out
}

func (s *service) secret(method, path, body string) reply {
	s.Helper()
	return s.send(method, path, body, "Authorization", "bearer aw_sk_shop")
}

// mint returns the token of one survey, "" if there is none.
func (s *service) mint(respondent, session, survey string) string {
	s.Helper()
	r := s.secret("POST", "/v1/sdk/tokens", fmt.Sprintf(`{"respondentId":%q,"sessionId":%q,"surveyId":%q}`, respondent, session, survey))
	s.expect(r, 200, "")
	token, _ := r.body["tokens"].(map[string]any)[survey].(string)
	return token
}

func (s *service) submit(token, survey string, rating any, more string) reply {
	s.Helper()
	return s.send("POST", "/v1/sdk/responses",
		fmt.Sprintf(`{"key":"aw_pk_shop","showToken":%q,"surveyId":%q,"rating":%v%s}`, token, survey, rating, more))
}

func (s *service) dismiss(token, survey string) reply {
	s.Helper()
	return s.send("POST", "/v1/dismissals?key=aw_pk_shop", fmt.Sprintf(`{"showToken":%q,"surveyId":%q,"userId":"anyone"}`, token, survey))
}

func (s *service) expect(r reply, status int, code string) {
	s.Helper()
	got, _ := r.body["code"].(string)
	if r.status != status || got != code {
		s.Fatalf("expected %d %s, got %d %v", status, code, r.status, r.body)
	}
}

func (s *service) equal(got, expected any) {
	s.Helper()
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(expected)
	if string(a) != string(b) {
		s.Fatalf("expected %s, got %s", b, a)
	}
}

func TestTokenStoresOneRecordOfSimultaneousRequests(t *testing.T) {
	s := start(t)
	token := s.mint("ann", "run-1", "csat")
	var wait sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		wait.Go(func() { statuses[i] = s.submit(token, "csat", 4, "").status })
	}
	wait.Wait()
	stored := 0
	for _, status := range statuses {
		if status == 201 {
			stored++
		} else {
			s.equal(status, 409)
		}
	}
	s.equal(stored, 1)
	s.equal(len(s.secret("GET", "/v1/sdk/pending-scores", "").body["scores"].([]any)), 1)
}

func TestRefusedRequestLeavesTheTokenUnused(t *testing.T) {
	s := start(t)
	token := s.mint("ann", "run-1", "csat")
	s.expect(s.submit(token, "csat", 6, ""), 400, "rating_out_of_range")
	s.expect(s.submit(token, "csat", 11, ""), 400, "invalid_body")
	s.expect(s.submit(token, "csat", 4.5, ""), 400, "invalid_body")
	s.expect(s.submit(token, "csat", "null", ""), 400, "invalid_body")
	s.expect(s.submit(token, "nps", 5, ""), 401, "token_invalid")
	s.expect(s.submit(token, "gone", 5, ""), 404, "survey_not_found")
	s.expect(s.submit(token, "csat", 5, `,"sessionId":"run-2"`), 401, "token_session_mismatch")
	s.expect(s.submit(token, "csat", 5, `,"observationId":"o"`), 401, "token_session_mismatch")
	s.expect(s.submit(token+"\n", "csat", 5, ""), 401, "token_invalid")
	s.expect(s.submit(token, "csat", 5, `,"taskType":"\ud800"`), 400, "invalid_body")
	s.expect(s.submit(token, "csat", "5.0e0", `,"text":"\ud800\u0000 \ud83d\ude00","sessionId":"run-1"`), 201, "")
	score := s.secret("GET", "/v1/sdk/pending-scores", "").body["scores"].([]any)[0].(map[string]any)
	s.equal(score["text"], "\uFFFD\uFFFD 😀")
	s.equal(score["sessionId"], "run-1")
	s.equal(score["observationId"], nil)
}

func TestUsedTokenRepeatsOnlyTheSameDismissal(t *testing.T) {
	s := start(t)
	token := s.mint("ann", "run-1", "csat")
	first := s.dismiss(token, "csat")
	s.expect(first, 201, "")
	s.wait(time.Second)
	s.equal(s.dismiss(token, "csat").body, first.body)
	refused := s.submit(token, "csat", 3, "")
	s.expect(refused, 409, "token_used")
	s.equal(refused.body["existing"].(map[string]any)["kind"], "dismissal")

	token = s.mint("ben", "run-2", "csat")
	s.expect(s.submit(token, "csat", 3, ""), 201, "")
	s.expect(s.dismiss(token, "csat"), 401, "token_used")
	for _, same := range []any{true, false, true, nil} {
		rating := map[any]int{true: 3, false: 4, nil: 3}[same]
		r := s.submit(token, "csat", rating, `,"text":""`)
		s.equal(r.body["existing"].(map[string]any)["isSame"], same)
	}
	s.equal(s.secret("DELETE", "/v1/privacy/erase?respondentId=ben", "").body["responsesDeleted"], 1)
	s.equal(s.submit(token, "csat", 3, "").body["existing"], nil)
}

func TestGatingDecidesWhenTokensAreIssued(t *testing.T) {
	s := start(t)
	early := s.mint("ann", "run-0", "nps")
	full, spare := s.mint("cleo", "run-0", "full"), s.mint("dora", "run-0", "full")
	s.expect(s.submit(s.mint("ann", "run-1", "csat"), "csat", 5, ""), 201, "")
	s.equal(s.mint("ann", "run-1", "nps"), "") // quiet period
	s.expect(s.submit(early, "nps", 5, ""), 201, "")
	s.wait(2 * time.Hour)
	s.equal(s.mint("ann", "run-1", "full"), "") // monthly cap
	s.wait(31 * 24 * time.Hour)
	s.equal(s.mint("ann", "run-1", "full") != "", true)
	s.equal(s.mint("ann", "run-1", "csat"), "") // suppression
	s.equal(s.mint("ann", "run-1", "off"), "")

	s.expect(s.submit(full, "full", 5, ""), 401, "token_expired")
	full, spare = s.mint("cleo", "run-1", "full"), s.mint("dora", "run-1", "full")
	s.expect(s.submit(full, "full", 5, ""), 201, "")
	r := s.secret("POST", "/v1/sdk/tokens", `{"respondentId":"emil","sessionId":"run-1"}`)
	s.equal(r.body["reason"], map[string]string{"full": "maximum"})
	s.expect(s.submit(spare, "full", 5, ""), 201, "") // beyond the maximum

	r = s.send("POST", "/v1/sdk/bootstrap?key=aw_pk_shop&userId=ann", "")
	s.equal(r.body["suppression"], []string{"csat", "nps"})
	s.equal(len(r.body["surveys"].([]any)), 3)
}

func TestQueuePagesByCursorAndAcknowledges(t *testing.T) {
	s := start(t)
	for i := range 5 {
		token := s.mint(fmt.Sprint("person-", i), fmt.Sprint("run-", i), "csat")
		s.expect(s.submit(token, "csat", 3, ""), 201, "")
	}
	page := s.secret("GET", "/v1/sdk/pending-scores?limit=2", "")
	var ids []any
	for _, score := range page.body["scores"].([]any) {
		ids = append(ids, score.(map[string]any)["id"])
	}
	results := fmt.Sprintf(`{"results":[{"id":%q,"state":"failed"},{"id":%q,"state":"failed","reason":"gone"},{"id":%q,"state":"delivered"},
		{"id":"unknown","state":"delivered"}]}`, ids[0], ids[1], ids[0])
	s.equal(s.secret("POST", "/v1/sdk/pending-scores/ack", results).body["updated"], 2)
	s.equal(s.secret("POST", "/v1/sdk/pending-scores/ack", results).body["updated"], 0)
	cursor := page.body["nextCursor"].(string)
	next := s.secret("GET", "/v1/sdk/pending-scores?limit=101&cursor="+cursor, "")
	s.equal(len(next.body["scores"].([]any)), 3)
	s.equal(next.body["nextCursor"], nil)
	s.equal(len(s.secret("GET", "/v1/sdk/pending-scores?includeFailed=true", "").body["scores"].([]any)), 4)
	s.expect(s.secret("GET", "/v1/sdk/pending-scores?includeFailed=true&cursor="+cursor, ""), 400, "invalid_cursor")
	s.expect(s.send("GET", "/v1/sdk/pending-scores?cursor="+cursor, "", "X-Service-Key", "aw_sk_other"), 400, "invalid_cursor")
	for _, query := range []string{"limit=0", "limit=01", "limit=1&limit=1", "limit=1234567890", "includeFailed=false"} {
		s.expect(s.secret("GET", "/v1/sdk/pending-scores?"+query, ""), 400, "invalid_query")
	}
	s.expect(s.secret("POST", "/v1/sdk/pending-scores/ack", `{"results":[]}`), 400, "invalid_ack")
}

func TestEraseKeepsSuppressionAndPurgeEndsTokens(t *testing.T) {
	s := start(t)
	unused := s.mint("ann", "run-1", "csat")
	s.expect(s.submit(s.mint("ann", "run-1", "csat"), "csat", 3, `,"traits":{"a":{"__proto__":1,"b":[null]}},"text":"hi"`), 201, "")
	rows := s.secret("GET", "/v1/privacy/export?respondentId=ann&surveySlug=stars", "")
	s.equal(rows.body["count"], 1)
	row := rows.body["responses"].([]any)[0].(map[string]any)
	s.equal(row["traits"], map[string]any{"a": map[string]any{"b": []any{nil}}})
	s.equal(row["surveyVersion"], 1)
	erased := s.secret("DELETE", "/v1/privacy/erase?respondentId=ann&email=%20Ann@example.org", "").body
	s.equal([]any{erased["mode"], erased["responsesDeleted"], erased["suppressionRetained"]}, []any{"respondent", 1, 1})
	s.equal(s.mint("ann", "run-2", "csat"), "")
	s.equal(len(s.secret("GET", "/v1/sdk/pending-scores", "").body["scores"].([]any)), 0)

	for _, query := range []string{"", "?account=yes", "?account=1&surveySlug=stars", "?respondentId=", "?email=ann"} {
		s.expect(s.secret("DELETE", "/v1/privacy/erase"+query, ""), 400, "invalid_selectors")
	}
	s.expect(s.secret("DELETE", "/v1/privacy/erase?respondentID=ann", ""), 400, "invalid_selectors")
	s.expect(s.secret("DELETE", "/v1/privacy/erase?surveySlug=csat", ""), 404, "survey_not_found")
	s.equal(s.secret("DELETE", "/v1/privacy/erase?surveySlug=stars", "").body["mode"], "survey")
	s.equal(s.secret("DELETE", "/v1/privacy/erase?account=true", "").body["mode"], "account")
	s.expect(s.submit(unused, "csat", 3, ""), 401, "token_invalid")
	s.equal(s.mint("ann", "run-2", "csat") != "", true)
}

func TestProjectsAreApart(t *testing.T) {
	s := start(t)
	token := s.mint("ann", "run-1", "csat")
	s.expect(s.send("POST", "/v1/sdk/responses", fmt.Sprintf(`{"key":"aw_pk_other","showToken":%q,"surveyId":"csat","rating":3}`, token)),
		401, "token_invalid")
	stored := s.submit(token, "csat", 3, "")
	ack := fmt.Sprintf(`{"results":[{"id":%q,"state":"delivered"}]}`, stored.body["id"])
	s.equal(s.send("POST", "/v1/sdk/pending-scores/ack", ack, "X-Service-Key", "aw_sk_other").body["updated"], 0)
	s.equal(s.send("GET", "/v1/privacy/export", "", "X-Service-Key", "aw_sk_other").body["count"], 0)
	s.equal(s.secret("POST", "/v1/sdk/pending-scores/ack", ack).body["updated"], 1)
}

func TestTokensAndSurveysOutliveARestart(t *testing.T) {
	s := start(t)
	token := s.mint("ann", "run-1", "csat")
	s.stop()
	changed := strings.Replace(testConfig, `"How was it?"`, `"How did it go?", "state": "paused"`, 1)
	changed = strings.Replace(changed, `{`, fmt.Sprintf(`{ "database": %q,`, s.database), 1)
	s.open(configFile(t, changed))
	s.expect(s.submit(token, "csat", 3, ""), 201, "") // paused since
	row := s.secret("GET", "/v1/privacy/export", "").body["responses"].([]any)[0].(map[string]any)
	s.equal(row["surveyVersion"], 2)
	s.equal(s.mint("ben", "run-1", "csat"), "")

	s.stop() // and again without the survey
	deleted := changed[:strings.Index(changed, `{ "id": "csat"`)] + changed[strings.Index(changed, `{ "id": "nps"`):]
	s.open(configFile(t, deleted))
	s.equal(s.secret("GET", "/v1/privacy/export?surveySlug=stars", "").body["count"], 1)
}

func TestKeysOriginsAndMethods(t *testing.T) {
	s := start(t)
	const path = "/v1/sdk/bootstrap"
	s.expect(s.send("POST", path, ""), 400, "missing_key")
	s.expect(s.send("POST", path, `{"key":""}`), 400, "missing_key")
	s.expect(s.send("POST", path, `{"key":1,"userId":1}`), 400, "invalid_body")
	s.expect(s.send("POST", path+"?key=", "\uFEFF"), 400, "invalid_body")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", "", "Content-Type", "text/html"), 200, "")
	s.expect(s.send("POST", path+"?key=aw_sk_shop", ""), 401, "invalid_key")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", `{"key":"aw_pk_other"}`), 400, "invalid_body")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", "null"), 400, "invalid_body")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", "\uFEFF{\"userId\":null}", "Content-Type", "application/x+json; charset=UTF-8"), 200, "")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", "{}", "Content-Type", "text/html"), 415, "unsupported_media_type")
	s.expect(s.send("POST", path+"?key=aw_pk_shop", strings.Repeat(" ", 256<<10+1)), 413, "payload_too_large")
	s.expect(s.send("POST", path+"/", "{}"), 404, "route_not_found")
	s.expect(s.send("OPTIONS", "/v1/sdk/tokens", ""), 405, "method_not_allowed")
	s.expect(s.send("HEAD", "/v1/definitions?key=aw_pk_shop", ""), 200, "")
	s.expect(s.send("GET", "/openapi.yaml", ""), 200, "")

	for origin, status := range map[string]int{
		"https://shop.example": 200, "https://a.b.shop.example": 200, "http://shop.example": 403, "https://shop.example:8443": 403,
		"https://evilshop.example": 403, "null": 403,
	} {
		r := s.send("POST", path+"?key=aw_pk_shop", "{}", "Origin", origin)
		s.equal(r.status, status)
		s.equal(r.header.Get("Access-Control-Allow-Origin") == origin, status == 200)
	}
	preflight := s.send("OPTIONS", path, "", "Origin", "https://anywhere.example")
	s.equal([]any{preflight.status, preflight.header.Get("Access-Control-Allow-Headers")}, []any{204, "content-type"})
	for asked, allowed := range map[string]string{
		"baggage,traceparent": "baggage,traceparent", "Authorization": "Authorization", "a b": "content-type", "a,,b": "content-type",
		"é": "content-type", strings.Repeat("x,", 1024) + "x": "content-type", strings.Repeat("x", 2048): strings.Repeat("x", 2048),
	} {
		r := s.send("OPTIONS", path, "", "Origin", "https://anywhere.example", "Access-Control-Request-Headers", asked)
		s.equal([]any{r.status, r.header.Get("Access-Control-Allow-Headers")}, []any{204, allowed})
		s.equal(r.header.Get("Vary"), "Origin, Access-Control-Request-Headers")
	}
	s.expect(s.send("GET", "/v1/sdk/pending-scores", "", "Authorization", "Bearer aw_pk_shop"), 401, "secret_key_required")
	s.expect(s.send("GET", "/v1/sdk/pending-scores", "", "Authorization", "Bearer aw_sk_shop", "X-Service-Key", "aw_sk_other"), 401, "secret_key_required")
}
