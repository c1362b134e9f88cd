package runs

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"board/internal/store"
	"board/internal/storetest"
)

// fill sets every field of a struct to something that is not zero, but for those that are named.
func fill(v reflect.Value, but ...string) {
	for i := range v.NumField() {
		f := v.Field(i)
		name := v.Type().Field(i).Name
		if slices.Contains(but, name) {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(name + ` "quoted" \ ü`)
		case reflect.Int64:
			f.SetInt(int64(i) + 2)
		case reflect.Bool:
			f.SetBool(true)
		}
	}
}

// later is what a version to come may have written.
const later = `"of_later":7,"worded":"a, \"b\": }"`

func TestEveryFieldOfARunAndItsLineIsStored(t *testing.T) {
	db, _ := storetest.Open(t)
	ctx := context.Background()
	line := Line{Host: Codex, Session: "s", Agent: "a", Unknown: later}
	fill(reflect.ValueOf(&line).Elem(), "Host", "Session", "Agent", "Unknown")
	run := Run{State: Probing, Outcome: None, Kind: Subagent, Origin: User, LineID: line.ID, Unknown: later}
	fill(reflect.ValueOf(&run).Elem(), "State", "Outcome", "LineID", "Host", "Session", "Agent", "Unknown")
	run.Host, run.Session, run.Agent = line.Host, line.Session, line.Agent
	err := db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := insertLine(ctx, tx, &line); err != nil {
			return err
		}
		if err := insertRun(ctx, tx, &run); err != nil {
			return err
		}
		gotLine, err := LineByID(ctx, tx, line.ID)
		if err != nil || gotLine != line {
			t.Errorf("%v\n got %+v\nwant %+v", err, gotLine, line)
		}
		gotRun, _, err := runByKey(ctx, tx, line, run.Turn)
		if err != nil || gotRun != run {
			t.Errorf("%v\n got %+v\nwant %+v", err, gotRun, run)
		}
		before := gotRun
		gotRun.Tools++ // what was not known stays when something else is written
		if err := saveRun(ctx, tx, before, &gotRun); err != nil {
			return err
		}
		again, _, err := runByID(ctx, tx, run.ID)
		if err != nil || again != gotRun {
			t.Errorf("%v\n got %+v\nwant %+v", err, again, gotRun)
		}
		record(tx, gotRun, string(Start), "", "host")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFactsComeBackAndAreJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, n, yes := rapid.String().Draw(t, "text"), rapid.Int64().Draw(t, "n"), rapid.Bool().Draw(t, "yes")
		unknown := rapid.SampledFrom([]string{"", later}).Draw(t, "unknown")
		packed := pack([]fact{{"text", &text}, {"n", &n}, {"yes", &yes}}, unknown)
		if !json.Valid([]byte(packed)) {
			t.Fatalf("no JSON: %s", packed)
		}
		var text2 string
		var n2 int64
		var yes2 bool
		rest, err := unpack(packed, []fact{{"text", &text2}, {"n", &n2}, {"yes", &yes2}})
		if err != nil || text2 != text || n2 != n || yes2 != yes || rest != unknown {
			t.Fatalf("%s became %q %d %v %s (%v)", packed, text2, n2, yes2, rest, err)
		}
	})
}

func TestFactsThatBoardDidNotPackAreRefused(t *testing.T) {
	for _, s := range []string{
		"", "x", "[]", "{", `{"n"}`, `{"n":}`, `{"n":"x"}`, `{"n":1.5}`, `{"n":1,}`, `{"n":1 "m":2}`, `{"yes":"maybe"}`, `{"text":"open}`, `{"text":"\q"}`, `{"n":1}x`,
	} {
		var n int64
		var yes bool
		var text string
		if _, err := unpack(s, []fact{{"n", &n}, {"yes", &yes}, {"text", &text}}); err == nil {
			t.Errorf("%q is taken for facts", s)
		}
	}
}
