// Package adapters embeds what board installs into hosts as whole files.
package adapters

import "embed"

// Files holds opencode/board.ts, a template: the installer replaces the literal "@BOARD_HOOK@", quotes included, by the
// absolute path of board-hook as a JavaScript string. It knows a copy as board's by the words at its beginning, and its
// age by its STAMP.
//
//go:embed opencode/board.ts
var Files embed.FS
