package main

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textRule describes a string field. Lengths are in code points.
type textRule struct {
	required   bool
	min, max   int // max 0: no maximum
	identifier bool
	live       bool // must not begin with imp_
	oneOf      []string
}

func identifierRule(maximum int) textRule { return textRule{min: 1, max: maximum, identifier: true} }

func liveRule(maximum int) textRule {
	return textRule{min: 1, max: maximum, identifier: true, live: true}
}

func (r textRule) needed() textRule {
	r.required = true
	return r
}

// check returns the code of what is wrong with a value, or "".
func (r textRule) check(s string) string {
	length := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s), r.identifier && strings.ContainsFunc(s, unicode.IsControl):
		return "characters"
	case length < r.min, r.max > 0 && length > r.max:
		return "length"
	case r.live && strings.HasPrefix(s, "imp_"), r.oneOf != nil && !slices.Contains(r.oneOf, s):
		return "value"
	}
	return ""
}

// object reads the fields of a JSON object and collects what is wrong with them.
type object struct {
	pointer string
	fields  map[string]json.RawMessage
	errors  *[]fieldError
}

// parseObject expects UTF-8. Of two equal keys the last counts, as encoding/json does it.
func parseObject(pointer string, data []byte, errors *[]fieldError) *object {
	o := &object{pointer: pointer, errors: errors}
	if json.Unmarshal(data, &o.fields) != nil || o.fields == nil { // nil: the JSON was null
		*errors = append(*errors, fieldError{pointer, "type"})
	}
	return o
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

func (o *object) at(name string) string { return o.pointer + "/" + escapePointer.Replace(name) }

func (o *object) fail(name, code string) {
	*o.errors = append(*o.errors, fieldError{o.at(name), code})
}

// queryText returns a field of the query, nil if it is missing or refused.
func (c *call) queryText(name string, rule textRule) *string {
	values := c.query[name]
	if len(values) == 0 {
		return nil
	}
	code := rule.check(values[0])
	if len(values) > 1 {
		code = "repeated"
	}
	if code != "" {
		c.inQuery = append(c.inQuery, fieldError{"#" + name, code})
		return nil
	}
	return &values[0]
}

// text returns a string field, nil if it is missing or refused.
func (o *object) text(name string, rule textRule) *string {
	raw, ok := o.fields[name]
	if !ok {
		if rule.required {
			o.fail(name, "required")
		}
		return nil
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		o.fail(name, "type")
		return nil
	}
	code := rule.check(s)
	if rule.identifier && hasLoneSurrogate(raw) {
		code = "characters"
	}
	if code != "" {
		o.fail(name, code)
		return nil
	}
	return &s
}

func (o *object) bool(name string) *bool {
	raw, ok := o.fields[name]
	if !ok {
		return nil
	}
	var b *bool
	if json.Unmarshal(raw, &b) != nil || b == nil {
		o.fail(name, "type")
	}
	return b
}

// integer returns a required integer from low to high in any spelling of JSON, such as 7.0 or 1e1.
func (o *object) integer(name string, low, high int) int {
	raw, ok := o.fields[name]
	if !ok {
		o.fail(name, "required")
		return 0
	}
	n, _ := strconv.ParseFloat(string(raw), 64) // beyond float64 it is infinite, and out of range below
	switch {
	case !strings.ContainsRune("-0123456789", rune(raw[0])), n != math.Trunc(n):
		o.fail(name, "type")
	case n < float64(low) || n > float64(high):
		o.fail(name, "range")
	default:
		return int(n)
	}
	return 0
}

// traits returns the JSON of a traits object without reserved keys, "" if there is none.
func (o *object) traits(name string) string {
	raw, ok := o.fields[name]
	if !ok {
		return ""
	}
	var traits map[string]any
	if raw[0] != '{' || json.Unmarshal(raw, &traits) != nil {
		o.fail(name, "type")
		return ""
	}
	size := len(encodeJSON(traits))
	if cleanTraits, depth := clean(traits); len(traits) <= 100 && depth <= 8 && size <= 32<<10 {
		return encodeJSON(cleanTraits)
	}
	o.fail(name, "size")
	return ""
}

// clean replaces characters and drops reserved keys. It also returns how many levels of objects and arrays there were.
func clean(value any) (cleaned any, depth int) {
	inner := func(v any) any {
		v, levels := clean(v)
		depth = max(depth, levels)
		return v
	}
	switch v := value.(type) {
	case string:
		return cleanText(v), 0
	case []any:
		for i := range v {
			v[i] = inner(v[i])
		}
		return v, depth + 1
	case map[string]any:
		kept := map[string]any{}
		for key, member := range v {
			if member = inner(member); key != "__proto__" && key != "constructor" && key != "prototype" {
				kept[cleanText(key)] = member
			}
		}
		return kept, depth + 1
	}
	return value, 0
}

// cleanText replaces U+0000. The decoder has already replaced lone surrogates.
func cleanText(s string) string { return strings.ReplaceAll(s, "\x00", "\uFFFD") }

// encodeJSON encodes without the escapes that encoding/json adds for HTML and JavaScript.
func encodeJSON(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // only values that were decoded before come here
	}
	unescape := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")
	return unescape.Replace(strings.TrimSuffix(out.String(), "\n"))
}

var (
	surrogatePair = regexp.MustCompile(`(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	surrogate     = regexp.MustCompile(`(?i)\\ud[89a-f]`)
)

// hasLoneSurrogate looks for an escaped half of a pair in JSON text. The decoder would hide it as U+FFFD.
func hasLoneSurrogate(raw []byte) bool {
	withoutBackslashes := bytes.ReplaceAll(raw, []byte(`\\`), []byte("-"))
	return surrogate.Match(surrogatePair.ReplaceAll(withoutBackslashes, []byte("-")))
}
