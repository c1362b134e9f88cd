package hooks

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestQuoteIsReadBackByEncodingJSON(t *testing.T) {
	check := func(s string) bool {
		var got, want string
		std, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(quote(s), &got); err != nil {
			t.Errorf("%q: %v", s, err)
			return false
		}
		return json.Unmarshal(std, &want) == nil && got == want
	}
	for _, s := range []string{"", "a", "\"\\\n\t\x00\x1f\x7f", "\u2028\u2029", "\xff\xc3", "日本語 👩‍👩‍👧", "</script>"} {
		if !check(s) {
			t.Errorf("%q comes back as another text", s)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		if s := rapid.String().Draw(rt, "s"); !check(s) {
			rt.Fatalf("%q comes back as another text", s)
		}
	})
}

func TestAPlainStringIsWhatEncodingJSONReads(t *testing.T) {
	for _, raw := range []string{`""`, `"a"`, `"a\"`, `"\u0041"`, `"é"`, `"a`, `a"`, `"`, `"a"b"`} {
		var want string
		err := json.Unmarshal([]byte(raw), &want)
		if plain([]byte(raw)) && (err != nil || raw[1:len(raw)-1] != want) {
			t.Errorf("%s is taken as it is, and stands for %q (%v)", raw, want, err)
		}
	}
}
