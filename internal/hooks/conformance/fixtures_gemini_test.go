package conformance

// geminiFixtures is claudeFixtures for Gemini CLI 0.61.0. Turns are counted: the first of a session is #1. A tool that
// comes before its prompt opens one, as a late start does; an end that belongs to no turn changes nothing.
const geminiFixtures = `
# payload                        run      kind           disposition  prints

# Not registered: they would cost a process for each request of the model, and tell nothing that others do not.
AfterModel.plain                 -        ignored        ignored      -
BeforeModel.plain                -        ignored        ignored      -
BeforeToolSelection.plain        -        ignored        ignored      -
BeforeTool.in-subagent           -        ignored        ignored      -
BeforeTool.invoke_agent          -        ignored        ignored      -
BeforeTool.mcp                   -        ignored        ignored      -
BeforeTool.replace               -        ignored        ignored      -
BeforeTool.shell                 -        ignored        ignored      -
BeforeTool.write_file            -        ignored        ignored      -
PreCompress.auto-not-compressing -        ignored        ignored      -
PreCompress.manual               -        ignored        ignored      -

# Never answered: a context here makes the host lose the first message of a resumed session.
SessionStart.clear               -        session_start  unattributed -
SessionStart.resume              -        session_start  unattributed -
SessionStart.startup             -        session_start  unattributed -
SessionStart.startup-interactive -        session_start  unattributed -
SessionEnd.clear                 -        session_end    unattributed -
SessionEnd.headless              -        session_end    unattributed -

BeforeAgent.headless             turn:#1  prompt         applied      context
BeforeAgent.interactive          turn:#1  prompt         applied      context
AfterAgent.after-deny            -        stop           unattributed -
AfterAgent.headless              -        stop           unattributed -
AfterAgent.interactive           -        stop           unattributed -
Notification.tool-permission     -        notice         unattributed -

AfterTool.invoke_agent           turn:#1  tool           applied      -
AfterTool.mcp-iserror            turn:#1  tool           applied      -
AfterTool.mcp-structured         turn:#1  tool           applied      -
AfterTool.read-missing           turn:#1  tool           applied      -
AfterTool.replace                turn:#1  edit           applied      -
AfterTool.shell                  turn:#1  tool           applied      -
AfterTool.shell-exit3            turn:#1  tool           applied      -
AfterTool.write_file             turn:#1  edit           applied      -
`
