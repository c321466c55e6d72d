package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type config struct {
	Database            string `json:"database"` // relative to the config file
	UnboundTokenSeconds int    `json:"unboundTokenSeconds"`
	BoundTokenSeconds   int    `json:"boundTokenSeconds"`
	RequestsPerMinute   struct{ Address, Project, Acknowledgements int }
	Projects            []*project `json:"projects"`

	byPublishable, bySecret map[string]*project
}

type project struct {
	ID                 string    `json:"id"`
	PublishableKeys    []string  `json:"publishableKeys"`
	SecretKeys         []string  `json:"secretKeys"`
	Origins            []string  `json:"origins"`
	QuietPeriodSeconds int       `json:"quietPeriodSeconds"` // 0: off
	MonthlyCap         int       `json:"monthlyCap"`         // 0: off
	Surveys            []*survey `json:"surveys"`
}

// survey is a definition (section 2.1) and what its gating needs.
type survey struct {
	id, slug, kind string
	definition     map[string]json.RawMessage // what clients get
	version        int
	isPaused       bool
	isUnprompted   bool // exempt from quiet period and monthly cap
	maximum        int  // responses wanted; 0: off
}

var definitionFields = []string{"id", "slug", "type", "question", "followUpQuestion", "presentation", "corner", "trigger", "delayMs",
	"samplePercent", "targeting", "showBadge", "endLabels", "followUpQuestions", "suggestions", "translations"}

var scales = map[string][2]int{"nps": {0, 10}, "csat": {1, 5}, "ces": {1, 7}, "pmf": {0, 2}}

func loadConfig(file string) (*config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	cfg := &config{byPublishable: map[string]*project{}, bySecret: map[string]*project{}}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(cfg); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	cfg.Database = cmp.Or(cfg.Database, "second-server.sqlite")
	if !filepath.IsAbs(cfg.Database) {
		cfg.Database = filepath.Join(filepath.Dir(file), cfg.Database)
	}
	cfg.UnboundTokenSeconds = cmp.Or(cfg.UnboundTokenSeconds, 24*60*60)
	cfg.BoundTokenSeconds = cmp.Or(cfg.BoundTokenSeconds, 7*24*60*60)
	cfg.RequestsPerMinute.Address = cmp.Or(cfg.RequestsPerMinute.Address, 600)
	cfg.RequestsPerMinute.Project = cmp.Or(cfg.RequestsPerMinute.Project, 6000)
	cfg.RequestsPerMinute.Acknowledgements = cmp.Or(cfg.RequestsPerMinute.Acknowledgements, 600)
	byID := map[string]*project{}
	for _, p := range cfg.Projects {
		err := cmp.Or(addNames(byID, "", []string{p.ID}, p), addNames(cfg.byPublishable, "aw_pk_", p.PublishableKeys, p),
			addNames(cfg.bySecret, "aw_sk_", p.SecretKeys, p))
		if err != nil {
			return nil, fmt.Errorf("%s: project %q: %w", file, p.ID, err)
		}
	}
	return cfg, nil
}

// addNames adds ids or keys to the names that projects are known by.
func addNames(known map[string]*project, prefix string, names []string, p *project) error {
	for _, name := range names {
		if len(name) <= len(prefix) || !strings.HasPrefix(name, prefix) || known[name] != nil {
			return fmt.Errorf("an id or key is not unique or not %q and more", prefix)
		}
		known[name] = p
	}
	return nil
}

// UnmarshalJSON checks what the server needs. Clients skip a survey whose other fields do not fit section 2.1.
func (s *survey) UnmarshalJSON(data []byte) error {
	var wrong []fieldError
	o := parseObject("", data, &wrong)
	s.definition = map[string]json.RawMessage{}
	for name, raw := range o.fields {
		if slices.Contains(definitionFields, name) {
			s.definition[name] = raw
		} else if !slices.Contains([]string{"state", "maximum", "unprompted"}, name) {
			o.fail(name, "unknown")
		}
	}
	s.id, s.slug = value(o.text("id", identifierRule(64).needed())), value(o.text("slug", identifierRule(64).needed()))
	s.kind = value(o.text("type", textRule{required: true, oneOf: []string{"nps", "csat", "ces", "pmf"}}))
	s.isPaused = value(o.text("state", textRule{oneOf: []string{"active", "paused"}})) == "paused"
	s.isUnprompted = value(o.bool("unprompted"))
	if o.fields["maximum"] != nil {
		s.maximum = o.integer("maximum", 0, math.MaxInt32)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("survey %q: %s: %s", s.id, wrong[0].Pointer, wrong[0].Code)
	}
	return nil
}

func (p *project) survey(id string) *survey {
	if i := slices.IndexFunc(p.Surveys, func(s *survey) bool { return s.id == id }); i >= 0 {
		return p.Surveys[i]
	}
	return nil
}

// allows reports whether the value of an Origin header is on the project's list.
func (p *project) allows(header string) bool {
	origin := normalOrigin(header)
	scheme, host, _ := strings.Cut(origin, "://")
	return host != "" && slices.ContainsFunc(p.Origins, func(allowed string) bool {
		domain, isWildcard := strings.CutPrefix(normalOrigin(allowed), scheme+"://*.")
		return allowed == "*" || normalOrigin(allowed) == origin || isWildcard && strings.HasSuffix(host, "."+domain) && host[0] != '.'
	})
}

// normalOrigin returns an origin in lower case and without its scheme's default port.
func normalOrigin(origin string) string {
	origin = strings.ToLower(origin)
	if strings.HasPrefix(origin, "https://") {
		return strings.TrimSuffix(origin, ":443")
	}
	return strings.TrimSuffix(origin, ":80")
}

// value returns what an optional field holds, the zero value if it is missing.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
