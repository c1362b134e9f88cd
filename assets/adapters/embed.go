// Package adapters embeds what board installs into hosts as whole files.
package adapters

import "embed"

// Files holds opencode/board.ts, a template: the installer replaces the literal "@BOARD_HOOK@", quotes included, by the
// absolute path of board-hook as a JavaScript string, and knows a copy as board's, and its age, by the line
// `// board-plugin-version: N`.
//
//go:embed *
var Files embed.FS
