// Plays recorded events of opencode to the plugin, as opencode does: prompts and tools are awaited, events are not.
// Arguments: a folder of recordings, the file that the hook writes to, the plugins.
import { appendFileSync, readFileSync, readdirSync } from "node:fs"
import { pathToFileURL } from "node:url"

const [folder, log, ...plugins] = process.argv.slice(2)
const lines = (file: string) => readFileSync(`${folder}/${file}`, "utf8").trim().split("\n").map((l) => JSON.parse(l))

for (const file of readdirSync(folder).sort()) {
  appendFileSync(log, `== ${file.replace(".jsonl", "")}\n`)
  const known: Record<string, any> = {}
  const client = { session: { get: async ({ path }: any) => ({ data: known[path.id] }) } }
  const loaded: any[] = []
  for (const p of plugins) {
    const module = await import(pathToFileURL(p).href)
    loaded.push(await Object.values<any>(module)[0]({ client, directory: "/work/project" }))
  }
  for (const r of lines(file)) {
    if (r.known) { // a session of an earlier process: opencode tells of it when it is asked
      known[r.known.id] = r.known
      continue
    }
    for (const hooks of loaded) {
      if (r.event) void hooks.event({ event: r.event })
      else for (const name in r) {
        await hooks[name](r[name].input, r[name].output)
        if (name === "chat.message") console.log(JSON.stringify(r[name].output.parts.at(-1)))
      }
    }
  }
  for (const hooks of loaded) {
    let began
    do {
      began = Date.now()
      await hooks.dispose()
    } while (Date.now() - began > 1500) // it gave up before all was told
  }
}
