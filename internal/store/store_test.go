package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"
)

func TestOpenCreatesAStoreThatOpensAgain(t *testing.T) {
	p := filepath.Join(t.TempDir(), "sub dir", "b?%#.db")
	for range 2 {
		db, err := Open(context.Background(), Options{Path: p, Now: time.Now, Person: "p", Machine: "m"})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Write(context.Background(), func(ctx context.Context, tx *Tx) error {
			return tx.Append(ctx, Entry{Entity: "config", Event: "test", Actor: "person", Detail: map[string]string{"a": "b"}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
