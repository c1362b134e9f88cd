// board's plugin for opencode. Written here by `board host install`; `board host remove` takes it away.
//
// It tells board-hook what happens: one process an event, one JSON object on its standard input, one back. What a person
// or a model wrote is never sent. Whatever goes wrong in here or in board, the session goes on: no exception leaves a
// handler (one in chat.message would lose the person's prompt), nothing is printed, and a prompt waits for a second at most.
// What opencode does, and in which order, was recorded with 1.18.33; lines that look odd stand for something seen there.
import { spawn, spawnSync } from "node:child_process"

const HOOK = "@BOARD_HOOK@" // the absolute path of board-hook
const ARGS = ["--host", "opencode", "--protocol", "1"]
const STAMP = "1" // changes when the fields below or the answers change

const PROMPT_WAIT = 1000 // ms that a prompt waits for its context, the next included
const LOOKUP_WAIT = 300 // ms that the host may take to say whose child a session is
const GRACE = 100 // ms more: while opencode is busy, time is over before an answer that is there is read
const HOOK_LIMIT = 5000 // ms, then a board-hook that hangs is killed
const QUIT_LIMIT = 2000 // ms that quitting waits for events that are still to be told
const MAX_WAITING = 200 // events
const MAX_ANSWER = 64 * 1024 // bytes
const MAX_KEPT = 500 // sessions, and turns, messages and calls of a session

type Payload = Record<string, string | string[]>
type Step = { id: string; completed: boolean; finish?: string }
type Turn = { id: string; began: number; ended: boolean; structured: boolean; step?: Step; error?: string }
type Call = { part: string; message: string }
type Session = {
  id: string
  known: boolean // it was seen whether it is a child
  parent?: string
  parentTurn?: string // of a child: the root's user message for which it works
  directory?: string
  version?: string
  turns: Map<string, Turn> // by user message; the messages that the host makes in a turn lead to the turn too
  steps: Map<string, Turn> // by assistant message
  calls: Map<string, Call> // by the model's call id: the newest one, because models repeat them
  asked: Map<string, string | undefined> // turn by request of a permission or an answer
  newest?: Turn // by its prompt
  current?: Turn // by its assistant
  carry?: string // context that no prompt of a person could carry
  carrying?: Promise<unknown> // it is being asked for
}

// An answer that comes without finish, with one of these, or as text where JSON was asked for, is not the last word yet.
const UNDECIDED = ["tool-calls", "unknown", "content-filter"]
const ABORTED = "MessageAbortedError"

export const BoardPlugin = async (ctx: any) => {
  const sessions = new Map<string, Session>()
  const queues = new Map<string, Promise<string>>()
  const waiting = new Set<Payload>() // told to no hook yet, or to one that has not answered

  // --- telling board

  // tell queues an event behind the earlier ones of its session: opencode does not wait for handlers of events, so two
  // processes would overtake each other. It returns the context that board answers with, and never fails.
  function tell(s: Session, event: string, id: string, more: Payload = {}): Promise<string> {
    const root = rootOf(s)
    const p: Payload = { host: "opencode", plugin: STAMP, pid: String(process.pid), event, id, session: root.id }
    if (s !== root) p.agent = s.id
    if (s !== root && s.parentTurn) p.turn = s.parentTurn
    const version = s.version ?? root.version
    if (version) p.version = version
    Object.assign(p, { cwd: s.directory ?? root.directory ?? ctx.directory }, more)
    if (waiting.size >= MAX_WAITING) return Promise.resolve("") // board hangs; what it missed it infers
    waiting.add(p)
    const answer = (queues.get(root.id) ?? Promise.resolve("")).then(() => hook(p))
    queues.set(root.id, answer)
    return answer.finally(() => {
      waiting.delete(p)
      if (queues.get(root.id) === answer) queues.delete(root.id)
    })
  }

  // again: a hook that hears nothing for a second gives up, and a busy opencode may write later than that.
  function hook(p: Payload, again = true): Promise<string> {
    return new Promise((resolve) => {
      try {
        // detached: ctrl-C in the terminal of opencode must not end it
        const child = spawn(HOOK, ARGS, { stdio: ["pipe", "pipe", "ignore"], detached: true, windowsHide: true })
        let out = ""
        let timer: any
        let unread = false
        const done = (text: string | Promise<string>) => {
          clearTimeout(timer)
          resolve(text)
        }
        const stop = () => {
          child.kill("SIGKILL")
          done("")
        }
        timer = setTimeout(stop, HOOK_LIMIT)
        timer.unref?.()
        child.unref()
        child.on("error", () => done("")) // the program is gone
        child.on("close", () => done(unread && again ? hook(p, false) : contextOf(out)))
        child.stdout.setEncoding("utf8")
        child.stdout.on("error", () => {})
        child.stdout.on("data", (b: any) => {
          out += b
          if (out.length > MAX_ANSWER) stop() // this is not board-hook
        })
        child.stdin.on("error", () => (unread = true)) // it did not read all
        child.stdin.end(JSON.stringify(p))
      } catch {
        resolve("")
      }
    })
  }

  // What is still to be told when opencode leaves, which it does at the end of `run` without waiting for anybody. An
  // event that a hook may have read is told again: its id makes it harmless.
  function tellAllNow() {
    const end = Date.now() + QUIT_LIMIT
    for (const p of waiting) {
      const timeout = end - Date.now()
      if (timeout <= 0) return
      spawnSync(HOOK, ARGS, { input: JSON.stringify(p), timeout, killSignal: "SIGKILL", stdio: ["pipe", "ignore", "ignore"], windowsHide: true })
    }
    waiting.clear()
  }

  // --- what is known

  function sessionOf(id: string): Session {
    let s = sessions.get(id)
    if (!s) {
      s = { id, known: false, turns: new Map(), steps: new Map(), calls: new Map(), asked: new Map() }
      keep(sessions, id, s)
    }
    return s
  }

  function learn(info: any): Session {
    const s = sessionOf(info.id)
    s.known = true
    s.parent = info.parentID ?? s.parent
    s.directory = info.directory ?? s.directory
    s.version = info.version ?? s.version
    return s
  }

  function rootOf(s: Session): Session {
    for (let depth = 0; s.parent && depth < 10; depth++) s = sessionOf(s.parent)
    return s
  }

  // A session that goes on from an earlier process was never announced.
  async function look(s: Session) {
    for (let depth = 0; depth < 10; s = sessionOf(s.parent), depth++) {
      if (!s.known) {
        const found: any = await within(LOOKUP_WAIT, ask(s.id))
        if (found?.data?.id === s.id) learn(found.data)
      }
      if (!s.parent) return
    }
  }

  async function ask(id: string): Promise<any> {
    try {
      return await ctx.client.session.get({ path: { id } })
    } catch {}
  }

  // --- turns

  function end(s: Session, turn: Turn, id: string, event: string, reason?: string) {
    turn.ended = true
    const more: Payload = s.parent ? {} : { turn: turn.id }
    if (reason) more.reason = reason
    void tell(s, s.parent && event === "stop" ? "subagent_stop" : event, "end:" + id, more)
  }

  function fail(s: Session, turn: Turn, id: string, error: string) {
    end(s, turn, id, error === ABORTED ? "interrupt" : "failure", error)
  }

  // A turn has an assistant message for each request to the model. Forks play back messages whose turns are unknown here.
  function onAssistant(info: any) {
    if (info.summary || info.agent === "compaction") return // the host's own, between two steps of a turn
    const s = sessionOf(info.sessionID)
    const turn = s.turns.get(info.parentID)
    if (!turn) return
    if (!s.steps.has(info.id)) {
      keep(s.steps, info.id, turn)
      turn.step = { id: info.id, completed: false }
      turn.ended = false // an answer that still held calls of tools was no end, whatever its finish said
      turn.error = undefined
      s.current = turn
    }
    if (turn.step?.id !== info.id || turn.ended) return // said again
    turn.step.completed = info.time?.completed !== undefined
    turn.step.finish = info.finish
    if (!turn.step.completed) return
    if (info.error) return fail(s, turn, info.id, nameOf(info.error))
    const decided = turn.structured ? info.structured !== undefined : info.finish && !UNDECIDED.includes(info.finish)
    if (decided) end(s, turn, info.id, "stop")
  }

  // idle alone ends nothing: after an error it comes before the assistant message gets its error, and once again later. It
  // ends what stands completed and undecided: a retry that was aborted (no finish, no error), a refused permission.
  function onIdle(s: Session) {
    for (const turn of new Set(s.turns.values())) {
      const step = turn.step
      if (turn.ended || (step && !step.completed) || (!step && !turn.error)) continue
      const id = step?.id ?? turn.id
      if (turn.error) fail(s, turn, id, turn.error)
      else if (!step?.finish) end(s, turn, id, "interrupt")
      else end(s, turn, id, step.finish === "content-filter" ? "failure" : "stop")
    }
  }

  // A user message without a prompt is the host's: the request for a compaction, and what it goes on with afterwards.
  function onUser(info: any) {
    const s = sessionOf(info.sessionID)
    const turn = s.newest
    if (turn && !turn.ended && !s.turns.has(info.id) && info.time?.created >= turn.began) keep(s.turns, info.id, turn)
  }

  function onPart(part: any) {
    if (part?.type !== "tool" || !part.callID) return
    const s = sessionOf(part.sessionID)
    keep(s.calls, part.callID, { part: part.id, message: part.messageID })
    const child = part.tool === "task" && part.state?.metadata?.sessionId
    if (!child) return
    const c = sessionOf(child)
    c.parentTurn = s.parent ? s.parentTurn : (s.steps.get(part.messageID)?.id ?? c.parentTurn)
  }

  function onDeleted(info: any) {
    const s = learn(info)
    if (!s.parent) void tell(s, "session_end", "end:" + s.id, { reason: "deleted" })
    sessions.delete(s.id) // what its running turn still says is about nothing
  }

  function onCompacted(sessionID: string, id: string) {
    const s = sessionOf(sessionID)
    if (!s.parent) carry(s, tell(s, "compaction", "compacted:" + id))
  }

  // carry keeps an answer for the requests until the next prompt.
  function carry(s: Session, answer: Promise<string>) {
    const turn = s.newest
    s.carrying = answer.then((text) => {
      if (text && s.newest === turn) s.carry = text
    })
  }

  // A request of the person, and its end. The answer names only the request.
  function onNotice(notice: string, p: any) {
    const s = sessionOf(p.sessionID)
    const request = p.requestID ?? p.id
    const over = p.requestID !== undefined
    if (!over) keep(s.asked, request, (s.steps.get(p.tool?.messageID) ?? s.current)?.id)
    const turn = s.parent ? undefined : (s.asked.get(request) ?? s.current?.id)
    void tell(s, "notice", `notice:${request}:${over ? "replied" : "asked"}`, turn ? { notice, turn } : { notice })
  }

  function onEvent(event: any) {
    const p = event?.properties
    switch (event?.type) {
      case "session.created":
      case "session.updated":
        return void learn(p.info)
      case "message.updated":
        return p.info.role === "assistant" ? onAssistant(p.info) : onUser(p.info)
      case "message.part.updated":
        return onPart(p.part)
      case "session.error":
        for (const turn of sessions.get(p.sessionID)?.turns.values() ?? []) if (!turn.ended) turn.error = nameOf(p.error)
        return
      case "session.idle":
        return onIdle(sessionOf(p.sessionID))
      case "session.compacted":
        return onCompacted(p.sessionID, event.id ?? p.sessionID)
      case "session.deleted":
        return onDeleted(p.info)
      case "permission.asked":
      case "permission.replied":
      case "question.asked":
      case "question.replied":
        return onNotice(event.type.replace(".", "_"), p)
      case "question.rejected":
        return onNotice("question_replied", p)
    }
  }

  async function onPrompt(output: any) {
    const { message, parts } = output
    const latest = Date.now() + PROMPT_WAIT
    const turn: Turn = { id: message.id, began: message.time?.created ?? Date.now(), ended: false, structured: message.format?.type === "json_schema" }
    const s = sessionOf(message.sessionID)
    keep(s.turns, turn.id, turn)
    s.newest = turn
    s.carry = s.carrying = undefined
    await look(s)
    const answer = s.parent ? tellStart(s, turn, message.agent) : tellPrompt(s, turn, parts)
    const text = (await within(latest - Date.now(), answer)) ?? (await within(GRACE, answer))
    if (text === undefined) carry(s, answer)
    else if (text) parts.push(partOf(text, "prt_zzboard" + turn.id.replace(/\W/g, ""), message))
  }

  function tellStart(s: Session, turn: Turn, agent: unknown): Promise<string> {
    return tell(s, "subagent_start", "start:" + turn.id, typeof agent === "string" && agent ? { agent_type: agent } : {})
  }

  function tellPrompt(s: Session, turn: Turn, parts: any[]): Promise<string> {
    const more: Payload = { turn: turn.id }
    if (parts.length && parts.every((p) => p.synthetic)) more.host_made = "1" // such as the result of a background task
    return tell(s, "prompt", "prompt:" + turn.id, more)
  }

  // Context that came too late for the prompt, or again after a compaction: it reaches the model, and is not stored.
  async function onRequest(messages: any[]) {
    const last = messages.findLast((m) => m.info?.role === "user")
    const s = last && sessions.get(last.info.sessionID)
    if (s?.carrying) {
      await within(PROMPT_WAIT, s.carrying)
      s.carrying = undefined // once is enough
    }
    if (s?.carry) last.parts.push(partOf(s.carry, "prt_zzboardcarry", last.info))
  }

  function onTool(input: any, output: any) {
    const s = sessionOf(input.sessionID)
    const call = s.calls.get(input.callID)
    const turn = s.steps.get(call?.message ?? "") ?? s.current
    if (!turn) return
    const more: Payload = { tool: input.tool, call_id: input.callID }
    if (!s.parent) more.turn = turn.id
    const paths = changedBy(input.tool, input.args ?? {}, output?.metadata ?? {})
    if (paths.length) more.paths = paths
    void tell(s, "tool", "tool:" + (call?.part ?? `${turn.id}:${input.callID}`), more)
  }

  if (HOOK.startsWith("@")) return {} // the installer has not been here
  const leave = guarded(tellAllNow)
  process.on("exit", leave)
  return {
    event: guarded(({ event }: any) => onEvent(event)),
    "chat.message": guarded((_: any, output: any) => onPrompt(output)),
    "tool.execute.after": guarded((input: any, output: any) => onTool(input, output)),
    "experimental.chat.messages.transform": guarded((_: any, output: any) => onRequest(output.messages)),
    dispose: guarded(async () => {
      await within(QUIT_LIMIT, Promise.all(queues.values()))
      if (!waiting.size) process.off("exit", leave)
    }),
  }
}

// guarded makes a handler that cannot throw.
function guarded(handler: (...args: any[]) => any) {
  return async (...args: any[]): Promise<void> => {
    try {
      await handler(...args)
    } catch {}
  }
}

// within waits for a promise that does not fail, but not for long. undefined: it took longer.
function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: any
  const over = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms)))
  return Promise.race([promise, over]).finally(() => clearTimeout(timer))
}

// keep sets a value, and forgets the oldest ones.
function keep<K, V>(map: Map<K, V>, key: K, value: V) {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= MAX_KEPT) break
    map.delete(oldest)
  }
}

// partOf makes context a part of a user message. Without all of these ids the host refuses the whole prompt.
function partOf(text: string, id: string, message: any) {
  return { id, sessionID: message.sessionID, messageID: message.id, type: "text", text, synthetic: true }
}

function nameOf(error: any): string {
  return typeof error?.name === "string" ? error.name : "unknown"
}

function contextOf(answer: string): string {
  try {
    const text = JSON.parse(answer).context
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

// changedBy returns the files that a tool changed. A tool that failed is not told at all.
function changedBy(tool: string, args: any, metadata: any): string[] {
  const paths =
    tool === "apply_patch" ? (metadata.files ?? []).flatMap((f: any) => [f.filePath, f.movePath])
    : tool === "write" || tool === "edit" || tool === "multiedit" ? [args.filePath]
    : []
  return paths.filter((p: any) => typeof p === "string" && p)
}
