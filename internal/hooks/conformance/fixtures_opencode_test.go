package conformance

// openCodeFixtures is claudeFixtures for what board's plugin sends from opencode 1.18.33, made by hand from recorded
// events of its bus.
const openCodeFixtures = `
# payload                    run                                   kind            disposition  prints

prompt.root                  turn:msg_22fc059d5001Gsd5uOEriLBNks   prompt          applied      context
prompt.without-id            turn:msg_22fc059d5001Gsd5uOEriLBNks   prompt          applied      context
# Another board installed this plugin: it is not understood.
prompt.other-stamp           -                                     ignored         ignored      -
stop.root                    turn:msg_22fc059d5001Gsd5uOEriLBNks   stop            unattributed -
failure.api-error            turn:msg_22fc059d5001Gsd5uOEriLBNks   failure         unattributed -
failure.subagent             agent:ses_dd03f5aebffehIl0hLgmeDiWpu  failure         unattributed -
interrupt.abort              turn:msg_22fc059d5001Gsd5uOEriLBNks   interrupt       unattributed -
subagent_start.task          agent:ses_dd03f5aebffehIl0hLgmeDiWpu  subagent_start  applied      context
subagent_stop.task           agent:ses_dd03f5aebffehIl0hLgmeDiWpu  subagent_stop   unattributed -
tool.write                   turn:msg_22fc059d5001Gsd5uOEriLBNks   edit            applied      -
tool.edit-relative           turn:msg_22fc059d5001Gsd5uOEriLBNks   edit            applied      -
tool.edit-outside            turn:msg_22fc059d5001Gsd5uOEriLBNks   tool            applied      -
tool.bash                    turn:msg_22fc059d5001Gsd5uOEriLBNks   tool            applied      -
tool.board                   turn:msg_22fc059d5001Gsd5uOEriLBNks   tool            applied      -
tool.in-subagent             agent:ses_dd03f5aebffehIl0hLgmeDiWpu  tool            applied      -
notice.permission-asked      turn:msg_22fc059d5001Gsd5uOEriLBNks   notice          unattributed -
notice.permission-replied    turn:msg_22fc059d5001Gsd5uOEriLBNks   notice          unattributed -
compaction.session           -                                     compaction      unattributed -
session_end.deleted          -                                     session_end     unattributed -
`
