package main

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// problem is a refusal (section 7). It is the error that handlers return for anything but faults of the server.
type problem struct {
	Type     string         `json:"type"`
	Title    string         `json:"title"`
	Status   int            `json:"status"`
	Code     string         `json:"code"`
	Instance string         `json:"instance"`
	Errors   []fieldError   `json:"errors,omitempty"`
	Existing map[string]any `json:"existing,omitempty"` // the record that has used the token
	Violated []string       `json:"violated-policies,omitempty"`
}

// fieldError has a JSON pointer into the body, or # and the name of a query field.
type fieldError struct {
	Pointer string `json:"pointer"`
	Code    string `json:"code"`
}

var statuses = map[string]int{
	"invalid_body": 400, "invalid_query": 400, "missing_key": 400, "rating_out_of_range": 400, "invalid_cursor": 400,
	"invalid_selectors": 400, "invalid_ack": 400, "invalid_key": 401, "secret_key_required": 401, "token_invalid": 401, "token_expired": 401, "token_session_mismatch": 401,
	"origin_not_allowed": 403, "survey_not_found": 404, "route_not_found": 404, "method_not_allowed": 405, "token_used": 409,
	"payload_too_large": 413, "unsupported_media_type": 415, "rate_limited": 429, "internal_error": 500, "unavailable": 503,
}

func (p *problem) Error() string { return p.Code }

func refuse(code string, errors ...fieldError) *problem {
	status := statuses[code]
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Code: code, Instance: rand.Text(), Errors: errors}
}

const limitWindow = time.Minute

// limiter counts requests in fixed windows that are common to all clients, which bounds its memory.
type limiter struct {
	name  string
	quota int
	mu    sync.Mutex
	ends  time.Time
	used  map[string]int
}

// take counts one request and adds the limit's fields (draft-ietf-httpapi-ratelimit-headers) to the reply.
func (l *limiter) take(id string, now time.Time, reply http.Header) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !now.Before(l.ends) {
		l.ends, l.used = now.Add(limitWindow), map[string]int{}
	}
	l.used[id]++
	left, reset := l.quota-l.used[id], int((l.ends.Sub(now)+time.Second-1)/time.Second)
	reply.Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", l.name, l.quota, int(limitWindow.Seconds())))
	reply.Add("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", l.name, max(left, 0), reset))
	if left >= 0 {
		return nil
	}
	reply.Set("Retry-After", fmt.Sprint(reset))
	p := refuse("rate_limited")
	p.Type, p.Violated = "https://iana.org/assignments/http-problem-types#quota-exceeded", []string{l.name}
	return p
}
