package conformance

// cursorFixtures is claudeFixtures for Cursor, of whose payloads none was recorded by board: they follow its
// documentation. Work without a prompt begins nothing, unless the session is known to be one that names no turns.
const cursorFixtures = `
# payload                            run                                        kind           disposition  prints

beforeSubmitPrompt.desktop-followup  turn:b17e9d20-93aa-4c5e-a1d4-2c7f8e6a5b22  prompt         applied      -
beforeSubmitPrompt.desktop-human     turn:a4c0b7e8-2f4d-4f0e-8b35-6d9b1f2e3c11  prompt         applied      -
afterFileEdit.desktop-write          turn:a4c0b7e8-2f4d-4f0e-8b35-6d9b1f2e3c11  edit           unattributed -
postToolUse.mcp-board                turn:a4c0b7e8-2f4d-4f0e-8b35-6d9b1f2e3c11  tool           unattributed -
sessionEnd.window-close              -                                          session_end    unattributed -
sessionStart.cli-print               -                                          session_start  unattributed -
sessionStart.desktop-new             -                                          session_start  unattributed -
stop.aborted                         turn:c93f2a64-0b1d-47e2-9f7a-8a1e5d4c3b33  interrupt      unattributed -
stop.completed-loop0                 turn:a4c0b7e8-2f4d-4f0e-8b35-6d9b1f2e3c11  stop           unattributed -
stop.completed-loop1                 turn:b17e9d20-93aa-4c5e-a1d4-2c7f8e6a5b22  stop           unattributed -
stop.error                           turn:d20b6e7f-5c8a-4e19-b6c3-1f0a9e8d7c44  failure        unattributed -

# It names the parent's conversation, never the child's: not registered.
subagentStop.completed               -                                          ignored        ignored      -
`
