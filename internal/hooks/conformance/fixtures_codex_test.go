package conformance

// codexFixtures is claudeFixtures for Codex 0.171.0.
const codexFixtures = `
# payload                      run                                        kind           disposition  prints

# No hook payloads: the environment of a hook, and what the legacy notify program gets. A notify creates no run.
env.hook                       -                                          ignored        ignored      -
notify.agent-turn-complete     -                                          ignored        ignored      -
notify.title-thread            -                                          ignored        ignored      -
PostCompact.auto               -                                          ignored        ignored      -
PostCompact.manual             -                                          ignored        ignored      -
PreCompact.auto                -                                          ignored        ignored      -
PreCompact.manual              -                                          ignored        ignored      -

SessionStart.clear             -                                          session_start  unattributed -
SessionStart.compact           -                                          compaction     unattributed -
SessionStart.ephemeral         -                                          session_start  unattributed -
SessionStart.fork              -                                          session_start  unattributed -
SessionStart.resume            -                                          session_start  unattributed -
SessionStart.startup           -                                          session_start  unattributed -
SessionStart.trusted-hooks     -                                          session_start  unattributed -
SessionEnd.after-api-failure   -                                          session_end    unattributed -
SessionEnd.after-interrupt     -                                          session_end    unattributed -
SessionEnd.daemon-idle-unload  -                                          session_end    unattributed -
SessionEnd.exec-end            -                                          session_end    unattributed -
SessionEnd.tui-quit            -                                          session_end    unattributed -

UserPromptSubmit.blocked           turn:01a22fb1-a67a-7e63-a797-3138349f024b  prompt     applied      context
UserPromptSubmit.exec              turn:01a22fb0-00ff-7862-bce7-5628a3b01c83  prompt     applied      context
UserPromptSubmit.resumed-session   turn:01a22fb0-ffc3-76f1-901a-7f610aa9ea80  prompt     applied      context
UserPromptSubmit.steered-same-turn turn:01a22fbc-1a92-7f81-a597-93279465841c  prompt     applied      context
# The task of a v1 subagent arrives as a prompt with an agent id. The context of a child belongs to its start.
UserPromptSubmit.subagent-v1       agent:01a22fb3-7b3a-7072-a4aa-14d14317033f prompt     applied      -

Stop.after-block               turn:01a22fb1-04f0-79e2-b113-07cefaa5b690  stop           unattributed -
Stop.before-block              turn:01a22fb1-04f0-79e2-b113-07cefaa5b690  stop           unattributed -
Stop.ephemeral                 turn:01a22fb7-ae05-7b40-8637-e1b479791199  stop           unattributed -
Stop.plain                     turn:01a22fb0-00ff-7862-bce7-5628a3b01c83  stop           unattributed -
Interrupt.during-tool          turn:01a22fb2-3b50-7be0-95ea-155f90916cbb  interrupt      unattributed -
Interrupt.exec-sigint          turn:01a22fb2-04c6-7080-9ddc-bfcdb71f29d3  interrupt      unattributed -
Interrupt.tui-esc              turn:01a22fbd-2d51-7fd2-9de1-a0a910f1e414  interrupt      unattributed -
# Never answered, so that the host asks the person as if board were not there.
PermissionRequest.mcp-exec     turn:01a22fb6-d22b-76b2-af4b-cc4ed6fcc507  notice         unattributed -
PermissionRequest.mcp-tui      turn:01a22fdc-e143-7ef2-b3db-f37fc0180024  notice         unattributed -

SubagentStart.v1               agent:01a22fb3-7b3a-7072-a4aa-14d14317033f subagent_start applied      context
SubagentStart.v2               agent:01a22fb4-2795-7dd3-b85a-db95f89561d0 subagent_start applied      context
SubagentStop.v1-after-block    agent:01a22fb3-7b3a-7072-a4aa-14d14317033f subagent_stop  unattributed -
SubagentStop.v1-first          agent:01a22fb3-7b3a-7072-a4aa-14d14317033f subagent_stop  unattributed -
SubagentStop.v2-second-turn    agent:01a22fb4-33f9-7b43-951b-5d90b72e7a52 subagent_stop  unattributed -
SubagentStop.v2                agent:01a22fb4-2795-7dd3-b85a-db95f89561d0 subagent_stop  unattributed -

PreToolUse.apply_patch         turn:01a22fb0-9d44-7192-9539-6555c7573c7a  tool           applied      -
PreToolUse.apply_patch-through-shell turn:01a22fb0-394f-7a90-832c-611211e3062e tool      applied      -
PreToolUse.in-subagent         agent:01a22fb4-2795-7dd3-b85a-db95f89561d0 tool           applied      -
PreToolUse.mcp                 turn:01a22fb6-d22b-76b2-af4b-cc4ed6fcc507  tool           applied      -
PreToolUse.shell-code-mode     turn:01a22fb0-a78a-7890-99dc-db7741c95180  tool           applied      -
PreToolUse.shell               turn:01a22fb0-394f-7a90-832c-611211e3062e  tool           applied      -
PreToolUse.spawn_agent-v1      turn:01a22fb3-79be-70e1-b0d9-5f801be66ef8  tool           applied      -
PreToolUse.spawn_agent-v2      turn:01a22fb4-257c-7832-a12d-ecf223846131  tool           applied      -
PreToolUse.view_image          turn:01a22fb0-9d44-7192-9539-6555c7573c7a  tool           applied      -
PostToolUse.after-updatedInput turn:01a22fb7-97bf-7e31-b23d-6a8b61f1e82f  tool           applied      -
PostToolUse.apply_patch        turn:01a22fb0-9d44-7192-9539-6555c7573c7a  edit           applied      -
PostToolUse.background-polled  turn:01a22fdc-c191-7691-9d26-64ec833adfdc  tool           applied      -
PostToolUse.in-subagent        agent:01a22fb4-2795-7dd3-b85a-db95f89561d0 tool           applied      -
PostToolUse.mcp-structured     turn:01a22fb6-d22b-76b2-af4b-cc4ed6fcc507  tool           applied      -
PostToolUse.mcp-text-only      turn:01a22fb6-d22b-76b2-af4b-cc4ed6fcc507  tool           applied      -
PostToolUse.shell-exit-3       turn:01a22fb0-394f-7a90-832c-611211e3062e  tool           applied      -
PostToolUse.shell              turn:01a22fb0-394f-7a90-832c-611211e3062e  tool           applied      -
PostToolUse.spawn_agent-v1     turn:01a22fb3-79be-70e1-b0d9-5f801be66ef8  tool           applied      -
PostToolUse.spawn_agent-v2     turn:01a22fb4-257c-7832-a12d-ecf223846131  tool           applied      -
`
