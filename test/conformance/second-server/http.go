package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

//go:embed openapi.yaml
var openapi []byte

// route is the one endpoint of a path.
type route struct {
	method   string
	handle   func(*call) (reply any, err error)
	status   int    // of its replies
	maxBody  int64  // 0: the body is ignored
	badBody  string // code of a body of the wrong shape
	badQuery string // likewise
	key      string // publishable, secret or none
}

var routes = map[string]*route{
	"/v1/sdk/bootstrap":          {"POST", bootstrap, 200, 256 << 10, "invalid_body", "invalid_query", "publishable"},
	"/v1/sdk/responses":          {"POST", submit, 201, 256 << 10, "invalid_body", "invalid_query", "publishable"},
	"/v1/dismissals":             {"POST", dismiss, 201, 256 << 10, "invalid_body", "invalid_query", "publishable"},
	"/v1/sdk/tokens":             {"POST", mint, 200, 32 << 10, "invalid_body", "invalid_query", "secret"},
	"/v1/sdk/pending-scores":     {"GET", listScores, 200, 0, "", "invalid_query", "secret"},
	"/v1/sdk/pending-scores/ack": {"POST", acknowledge, 200, 512 << 10, "invalid_ack", "invalid_query", "secret"},
	"/v1/privacy/export":         {"GET", export, 200, 0, "", "invalid_selectors", "secret"},
	"/v1/privacy/erase":          {"DELETE", erase, 200, 0, "", "invalid_selectors", "secret"},
	"/v1/sdk/tokens/check":       {"POST", checkToken, 200, 256 << 10, "invalid_body", "invalid_query", "publishable"},
	"/v1/definitions":            {"GET", bootstrap, 200, 0, "", "invalid_query", "publishable"},
	"/v1/responses":              {"POST", submit, 201, 256 << 10, "invalid_body", "invalid_query", "publishable"},
	"/openapi.yaml":              {"GET", describe, 200, 0, "", "invalid_query", "none"},
}

type server struct {
	cfg                       *config
	store                     *store
	now                       func() time.Time
	addresses, projects, acks *limiter
}

func newServer(cfg *config, st *store, now func() time.Time) *server {
	limits := cfg.RequestsPerMinute
	return &server{cfg, st, now, &limiter{name: "address", quota: limits.Address}, &limiter{name: "project", quota: limits.Project},
		&limiter{name: "ack", quota: limits.Acknowledgements}}
}

// call is one request on its way through the checks of section 4.
type call struct {
	*server
	*route
	w       http.ResponseWriter
	r       *http.Request
	now     time.Time
	query   url.Values
	body    *object
	errors  []fieldError // of the body
	inQuery []fieldError // errors of the query
	project *project
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{server: s, w: w, r: r, now: s.now().Truncate(time.Millisecond)}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	reply, err := c.serve()
	var p *problem
	switch {
	case errors.As(err, &p):
		c.refuse(p)
	case isBusyOrFull(err):
		w.Header().Set("Retry-After", "1")
		c.refuse(refuse("unavailable"))
	case err != nil:
		p = refuse("internal_error")
		slog.Error("request failed", "method", r.Method, "path", r.URL.Path, "request", p.Instance, "error", err)
		c.refuse(p)
	case reply != nil:
		c.send(c.status, "application/json; charset=utf-8", []byte(encodeJSON(reply)))
	}
}

// serve returns no reply if it has sent one.
func (c *call) serve() (reply any, err error) {
	if c.route = routes[c.r.URL.EscapedPath()]; c.route == nil {
		return nil, refuse("route_not_found")
	}
	allowed := []string{c.method}
	if c.method == "GET" {
		allowed = append(allowed, "HEAD")
	}
	h := c.w.Header()
	if c.key == "publishable" {
		allowed = append(allowed, "OPTIONS")
		h.Set("Vary", "Origin, Access-Control-Request-Headers")
		if origin := c.r.Header.Get("Origin"); origin != "" {
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", "Retry-After, RateLimit, RateLimit-Policy")
		}
	}
	switch {
	case !slices.Contains(allowed, c.r.Method):
		h.Set("Allow", strings.Join(allowed, ", "))
		return nil, refuse("method_not_allowed")
	case c.r.Method == "OPTIONS":
		h.Set("Access-Control-Allow-Methods", strings.Join(allowed, ", "))
		names := strings.Join(c.r.Header.Values("Access-Control-Request-Headers"), ",")
		if len(names) > 2<<10 || !headerNames.MatchString(names) {
			names = "content-type"
		}
		h.Set("Access-Control-Allow-Headers", names)
		h.Set("Access-Control-Max-Age", "7200")
		c.w.WriteHeader(http.StatusNoContent)
		return nil, nil
	case c.key == "secret":
		err = c.authenticate()
	case c.key == "publishable":
		address, _, _ := net.SplitHostPort(c.r.RemoteAddr) // net/http writes nothing else
		err = c.addresses.take(address, c.now, h)
	}
	if err != nil {
		return nil, err
	}
	c.body = &object{errors: &c.errors}
	// A semicolon separates nothing in application/x-www-form-urlencoded.
	c.query, err = url.ParseQuery(strings.ReplaceAll(c.r.URL.RawQuery, ";", "%3B"))
	if decoded, _ := url.QueryUnescape(c.r.URL.RawQuery); err != nil || !utf8.ValidString(decoded) {
		c.inQuery = append(c.inQuery, fieldError{"#", "encoding"})
	}
	if c.maxBody > 0 {
		if err := c.readBody(); err != nil {
			return nil, err
		}
	}
	return c.handle(c)
}

// headerNames matches a list of header names: tracers add some to each request of a page.
var headerNames = regexp.MustCompile("^[\\w!#$%&'*+.^`|~-]+([ \t]*,[ \t]*[\\w!#$%&'*+.^`|~-]+)*$")

func describe(c *call) (any, error) {
	c.w.Header().Set("Access-Control-Allow-Origin", "*")
	c.send(http.StatusOK, "application/yaml", openapi)
	return nil, nil
}

// authenticate expects a secret key in one header, or in both of one project.
func (c *call) authenticate() error {
	keys := c.r.Header.Values("X-Service-Key")
	for _, value := range c.r.Header.Values("Authorization") {
		scheme, key, _ := strings.Cut(value, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			key = ""
		}
		keys = append(keys, strings.TrimSpace(key))
	}
	for _, key := range keys {
		p := c.cfg.bySecret[key]
		if p == nil || c.project != nil && p != c.project {
			c.project = nil
			break
		}
		c.project = p
	}
	if c.project == nil {
		c.w.Header().Set("WWW-Authenticate", "Bearer")
		return refuse("secret_key_required")
	}
	if strings.HasPrefix(c.r.URL.Path, "/v1/privacy/") { // not limited
		return nil
	}
	return map[bool]*limiter{false: c.projects, true: c.acks}[c.badBody == "invalid_ack"].take(c.project.ID, c.now, c.w.Header())
}

// admit is the rest of the checks of public routes, once the handler has read its fields: shape, key, origin, limit.
func (c *call) admit() error {
	key := c.textInEither("key", textRule{min: 1})
	if err := c.checkShape(); err != nil {
		return err
	}
	if value(key) == "" {
		return refuse("missing_key")
	}
	if c.project = c.cfg.byPublishable[*key]; c.project == nil {
		return refuse("invalid_key")
	}
	if origins := c.r.Header.Values("Origin"); len(origins) > 1 || len(origins) == 1 && !c.project.allows(origins[0]) {
		c.w.Header().Del("Access-Control-Allow-Origin")
		return refuse("origin_not_allowed")
	}
	return c.projects.take(c.project.ID, c.now, c.w.Header())
}

// textInEither reads a field that may be in the query, the body, or with the same value in both.
func (c *call) textInEither(name string, rule textRule) *string {
	inQuery, inBody := c.queryText(name, rule), c.body.text(name, rule)
	if inQuery != nil && inBody != nil && *inQuery != *inBody {
		c.body.fail(name, "conflict")
	}
	return cmp.Or(inQuery, inBody)
}

// checkShape refuses the request if a field that was read so far is wrong, in the body before the query.
func (c *call) checkShape() error {
	code, errors := c.badBody, c.errors
	if len(errors) == 0 {
		code, errors = c.badQuery, c.inQuery
	}
	if len(errors) == 0 {
		return nil
	} else if !slices.ContainsFunc(errors, fieldError.isMore) {
		code = "missing_key"
	}
	return refuse(code, errors...)
}

// isMore reports whether an error is more than a key that is empty or no string.
func (e fieldError) isMore() bool {
	return strings.Trim(e.Pointer, "/#") != "key" || e.Code != "type" && e.Code != "length"
}

func (c *call) readBody() error {
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, c.maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return refuse("payload_too_large")
	}
	if len(data) > 0 && !isJSONType(c.r.Header) {
		return refuse("unsupported_media_type")
	}
	if len(data) == 0 && err == nil && c.r.URL.Path == "/v1/sdk/bootstrap" {
		return nil
	} else if err != nil || !utf8.Valid(data) {
		return refuse(c.badBody, fieldError{"", "encoding"})
	}
	c.body = parseObject("", bytes.TrimPrefix(data, []byte("\uFEFF")), &c.errors)
	return nil
}

func isJSONType(h http.Header) bool {
	contentType := cmp.Or(h.Get("Content-Type"), "application/json")
	media, parameters, err := mime.ParseMediaType(contentType)
	isKnown := media == "application/json" || media == "text/plain" || strings.HasSuffix(media, "+json")
	charset, encoding := cmp.Or(parameters["charset"], "utf-8"), cmp.Or(h.Get("Content-Encoding"), "identity")
	return err == nil && isKnown && strings.EqualFold(charset, "utf-8") && strings.EqualFold(encoding, "identity")
}

func (c *call) refuse(p *problem) {
	c.send(p.Status, "application/problem+json", []byte(encodeJSON(p)))
}

func (c *call) send(status int, contentType string, body []byte) {
	c.w.Header().Set("Content-Type", contentType)
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) // the client may be gone
}

// timestamp formats a time as the contract does.
func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
