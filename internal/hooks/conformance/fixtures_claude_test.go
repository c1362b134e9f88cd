package conformance

// claudeFixtures says for every recorded payload of Claude Code 2.1.332, sent alone into a store that knows the
// project: which run it belongs to, what kind of event it is, what becomes of it, and what is printed.
//
//   - Registering events (a prompt, a subagent's start, a tool or an edit event of an unseen key) create the run.
//   - Stop, failure, subagent's stop, session start and end, compaction and notices never do: they are kept
//     unattributed and print nothing.
//   - Everything else is not an event of board's: no row, no output.
//
// A tool event prints nothing even where it registers; the agent gets its context with the next prompt.
const claudeFixtures = `
# payload                               run                                        kind           disposition  prints

ConfigChange.project                    -                                          ignored        ignored      -
CwdChanged.bash-cd                      -                                          ignored        ignored      -
FileChanged.add                         -                                          ignored        ignored      -
InstructionsLoaded.claude-md            -                                          ignored        ignored      -
PermissionRequest.bash-headless         -                                          ignored        ignored      -
PermissionRequest.bash-interactive      -                                          ignored        ignored      -
PostCompact.auto                        -                                          ignored        ignored      -
PostCompact.manual                      -                                          ignored        ignored      -
PostModelSwitch.command                 -                                          ignored        ignored      -
PostToolBatch.one                       -                                          ignored        ignored      -
PostToolBatch.two                       -                                          ignored        ignored      -
PreCompact.auto                         -                                          ignored        ignored      -
PreCompact.manual-instructions          -                                          ignored        ignored      -
PreCompact.manual                       -                                          ignored        ignored      -
PreModelSwitch.command                  -                                          ignored        ignored      -
TaskCompleted.main                      -                                          ignored        ignored      -
TaskCreated.main                        -                                          ignored        ignored      -
UserPromptExpansion.slash-command       -                                          ignored        ignored      -

# A session starts or ends: its prompt id, where it has one, names no prompt (/clear and /exit have ids of their own).
SessionStart.clear                      -                                          session_start  unattributed -
SessionStart.resume-after-kill9         -                                          session_start  unattributed -
SessionStart.resume                     -                                          session_start  unattributed -
SessionStart.startup-headless           -                                          session_start  unattributed -
SessionStart.startup-interactive        -                                          session_start  unattributed -
SessionStart.worktree                   -                                          session_start  unattributed -
SessionEnd.clear                        -                                          session_end    unattributed -
SessionEnd.exit                         -                                          session_end    unattributed -
SessionEnd.headless                     -                                          session_end    unattributed -
SessionEnd.sigint                       -                                          session_end    unattributed -
SessionEnd.terminal-closed              -                                          session_end    unattributed -
# A compaction is told by the session start that follows it and, on this host, by the end of an agent without a type.
SessionStart.compact                    -                                          compaction     unattributed -

UserPromptSubmit.headless               turn:7d0a529c-d887-44ba-93d3-7c176f9c54ab  prompt         applied      context
UserPromptSubmit.interactive            turn:072923f8-112d-47b1-8e2c-4b5e2de16270  prompt         applied      context
UserPromptSubmit.slash-command          turn:04b3280c-6a4b-4e58-ad76-168d94cc74fa  prompt         applied      context
UserPromptSubmit.task-notification-bash turn:eecd71fa-21c6-4943-846f-22ac7916d765  prompt         applied      context
UserPromptSubmit.task-notification-subagent turn:8c3bc9de-1552-4765-96ff-be9b19127d5a prompt      applied      context

# Stops before their prompt: kept for it.
Stop.after-additional-context           turn:8ed7a279-eb24-44a0-acde-15e6f6082539  stop           unattributed -
Stop.after-block                        turn:44f8c9f9-7467-460f-976b-dedec3a512ae  stop           unattributed -
Stop.background-subagent                turn:1d846557-f52d-4d08-8956-09fb27141351  stop           unattributed -
Stop.headless                           turn:7d0a529c-d887-44ba-93d3-7c176f9c54ab  stop           unattributed -
Stop.interactive                        turn:072923f8-112d-47b1-8e2c-4b5e2de16270  stop           unattributed -
StopFailure.http400                     turn:97b6171b-2047-4590-bf71-34947d7a96d6  failure        unattributed -
StopFailure.http403                     turn:432de991-ea68-4f65-9081-d5d771dd8fbb  failure        unattributed -
StopFailure.http404                     turn:2d489c59-a998-48c6-9bc7-07fe0bd8885c  failure        unattributed -
StopFailure.http429                     turn:845d2555-31ef-4c3f-b67b-5fa948749d05  failure        unattributed -
StopFailure.http500                     turn:be31f63a-3cdd-41f6-bc05-58ce9abb12f4  failure        unattributed -
StopFailure.http529                     turn:c1859ec3-14f3-4db4-92ac-278bcf24b3e1  failure        unattributed -
Notification.idle_prompt                turn:b0c68501-f81c-4465-8d47-1fc922adba15  notice         unattributed -
Notification.permission_prompt          turn:b0c68501-f81c-4465-8d47-1fc922adba15  notice         unattributed -

# A subagent's key is its agent id alone: prompt ids change under a living subagent.
SubagentStart.custom-agent              agent:a4ce78cd71f884c6c                    subagent_start applied      context
SubagentStart.explore                   agent:a4e47ffb90773430e                    subagent_start applied      context
SubagentStart.foreground                agent:aefc5928d82bbda54                    subagent_start applied      context
SubagentStop.after-block                agent:ac731b3e7bbbe65b7                    subagent_stop  unattributed -
SubagentStop.background                 agent:a64e9e69707f879e9                    subagent_stop  unattributed -
SubagentStop.foreground                 agent:aefc5928d82bbda54                    subagent_stop  unattributed -

# Late starts.
PreToolUse.agent                        turn:1d846557-f52d-4d08-8956-09fb27141351  tool           applied      -
PreToolUse.bash                         turn:d75e4456-bb2e-45a5-8173-7500160c0978  tool           applied      -
PreToolUse.edit                         turn:d75e4456-bb2e-45a5-8173-7500160c0978  tool           applied      -
PreToolUse.in-subagent                  agent:aefc5928d82bbda54                    tool           applied      -
PreToolUse.mcp-in-subagent              agent:ab5ac906ddc7262ac                    tool           applied      -
PreToolUse.mcp-plugin                   turn:96271bbd-dc86-4aa4-9544-e756e83aefe1  tool           applied      -
PreToolUse.mcp-project                  turn:d6fbad4e-93d6-4b3d-96fb-0da4151031ef  tool           applied      -
PreToolUse.write                        turn:d75e4456-bb2e-45a5-8173-7500160c0978  tool           applied      -
PostToolUse.agent-background            turn:1d846557-f52d-4d08-8956-09fb27141351  tool           applied      -
PostToolUse.agent-foreground            turn:1d846557-f52d-4d08-8956-09fb27141351  tool           applied      -
PostToolUse.bash                        turn:d75e4456-bb2e-45a5-8173-7500160c0978  tool           applied      -
PostToolUse.edit                        turn:d75e4456-bb2e-45a5-8173-7500160c0978  edit           applied      -
PostToolUse.mcp-structured              turn:d6fbad4e-93d6-4b3d-96fb-0da4151031ef  tool           applied      -
PostToolUse.mcp-text                    turn:d6fbad4e-93d6-4b3d-96fb-0da4151031ef  tool           applied      -
PostToolUse.write                       turn:d75e4456-bb2e-45a5-8173-7500160c0978  edit           applied      -
PostToolUseFailure.agent-api-error      turn:07ba9b0e-226a-457a-a3c0-8ac2b5619039  tool           applied      -
PostToolUseFailure.bash-exit3           turn:aa8fca94-22ce-4aa6-bfd9-96622a9f0ccb  tool           applied      -
PostToolUseFailure.mcp-iserror          turn:d6fbad4e-93d6-4b3d-96fb-0da4151031ef  tool           applied      -
PostToolUseFailure.read                 turn:d75e4456-bb2e-45a5-8173-7500160c0978  tool           applied      -
`
