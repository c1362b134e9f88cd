package hooks

import (
	"strconv"
	"strings"

	"board/internal/store"
)

// Identity is what board-hook says of itself when it is asked: by it the doctor tells whether the program that a host
// runs belongs to the board that a person runs. A host never asks.
func Identity(version string) string {
	return "board-hook " + version + " protocol " + Protocol + " schema " + strconv.Itoa(store.SchemaVersion)
}

// ParseIdentity reads it. schema is 0 for what is no such line.
func ParseIdentity(line string) (version, protocol string, schema int) {
	f := strings.Fields(line)
	if len(f) != 6 || f[0] != "board-hook" || f[2] != "protocol" || f[4] != "schema" {
		return "", "", 0
	}
	schema, err := strconv.Atoi(f[5])
	if err != nil {
		return "", "", 0
	}
	return f[1], f[3], schema
}
