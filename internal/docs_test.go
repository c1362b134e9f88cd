package arch_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"board/internal/hooks"
	"board/internal/issues"
	"board/internal/runs"
)

var update = flag.Bool("update", false, "write the generated pages anew")

// generated returns the pages that are written from the source. `make docs` writes them.
func generated() map[string]string {
	return map[string]string{
		"../docs/machines.md": "# Machines\n\nWritten from the tables in internal/runs and internal/issues by `make docs`; do not edit.\n\n" +
			runs.MachineDoc() + "\n" + issues.MachineDoc(),
		"../docs/hosts.md": "# Hosts\n\nWritten from the table in internal/hooks by `make docs`; do not edit.\n\n" + hooks.HostsDoc(),
	}
}

func TestGeneratedDocsAreCurrent(t *testing.T) {
	for file, want := range generated() {
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: write it with make docs", err)
		} else if !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), []byte(want)) {
			t.Errorf("%s is not what the source says: make docs, and read the difference", file)
		}
	}
}
