package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// patch sets fields of a file of JSON, which may be new.
func (w *world) patch(path string, fields args) error {
	doc := args{}
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &doc); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	for k, v := range fields {
		doc[k] = v
	}
	if data, err = json.MarshalIndent(doc, "", "  "); err != nil {
		return err
	}
	return w.write(path, string(data))
}
