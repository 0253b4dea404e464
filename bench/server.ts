// npm run bench:server [-- --seconds 20 --clients 20]: how long an event takes from the server to each of 20 readers while 100 sessions
// write and 200 panes change, what that costs the server, and whether 10 000 events are told again without gap or double.
import { fork } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'

const argument = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const SECONDS = argument('seconds', 20)
const CLIENTS = argument('clients', 20)
const REPLAY = 10_000

const child = fork(fileURLToPath(new URL('server-host.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
const told = <T>(type: string) =>
  new Promise<T>(resolve => {
    const listen = (message: { type: string }) => {
      if (message.type !== type) return
      child.off('message', listen)
      resolve(message as T)
    }
    child.on('message', listen)
  })
const { address, token } = await told<{ address: string; token: string }>('ready')

/** Reads a stream and calls back for every event; returns how to end it. */
function read(query: string, each: (event: string, id: string | null, data: string) => void): () => void {
  const sending = request(
    `${address}/api/v1/events${query}`,
    { headers: { authorization: `Bearer ${token}` } },
    response => {
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        rest += text
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const lines = rest.slice(0, end).split('\n')
          rest = rest.slice(end + 2)
          const field = (name: string) =>
            lines.find(line => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
          each(field('event') ?? '', field('id'), field('data') ?? '')
        }
      })
      response.on('error', () => undefined)
    },
  )
  sending.on('error', () => undefined)
  sending.end()
  return () => sending.destroy()
}

const latencies: number[] = []
let frames = 0
let slow = 0
const ends = Array.from({ length: CLIENTS }, () =>
  read('', (event, _id, data) => {
    frames++
    if (event === 'bye') slow++
    const sent =
      event === 'message.update'
        ? /"at":(\d{13})/.exec(data)
        : event === 'run.notice'
          ? /"text":"(\d{13})"/.exec(data)
          : null
    if (sent) latencies.push(Date.now() - Number(sent[1]))
  }),
)
child.send({ type: 'load', seconds: SECONDS })
const done = await told<{ cpu: number; rssMb: number; written: number; streams: number }>('done')
for (const end of ends) end()
latencies.sort((a, b) => a - b)
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
console.log(`${CLIENTS} readers, 100 sessions writing 10/s, 200 panes changing 1/s, ${SECONDS} s`)
console.log(`frames read      ${frames} (${Math.round(frames / SECONDS)}/s), sent away as slow: ${slow}`)
console.log(
  `event to reader  p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, most ${latencies.at(-1) ?? 0} ms`,
)
console.log(`server           ${(done.cpu * 100).toFixed(0)} % of a core, ${done.rssMb.toFixed(0)} MB at most`)

/* A reader that is cut off every 3 000 events and comes back with its cursor while 10 000 are written. */
child.send({ type: 'replay', events: 0, seconds: 0 })
let { position: cursor } = await told<{ position: string }>('replayed')
const begun = performance.now()
child.send({ type: 'replay', events: REPLAY, seconds: 0 })
await told('replayed')
const seen: number[] = []
let gaps = 0
while (seen.length < REPLAY && gaps === 0) {
  await new Promise<void>(resolve => {
    let count = 0
    // At most 5 000 may be missing, so the reader stands within that of the head when it comes back.
    const end = read(`?since=${cursor}&types=run.notice`, (event, id, data) => {
      if (event === 'hello' && data.includes('"gap"')) {
        gaps++
        end()
        resolve()
      }
      if (id === null || event !== 'run.notice') return
      cursor = id
      seen.push(Number(JSON.parse(data).data.text))
      if (++count === 3_000 || seen.length === REPLAY) {
        end()
        resolve()
      }
    })
  })
}
const isWhole = seen.length === REPLAY && seen.every((value, index) => value === index)
console.log(
  `${REPLAY} missed       ${gaps > 0 ? 'gap (more than 5 000 missed at once)' : isWhole ? 'told again, each once, in order' : 'NOT WHOLE'}, ${Math.round(performance.now() - begun)} ms`,
)

/* The same with a reader that was never more than 5 000 behind. */
child.send({ type: 'replay', events: 0, seconds: 0 })
let { position: from } = await told<{ position: string }>('replayed')
const again: number[] = []
for (let part = 0; part < 3; part++) {
  child.send({ type: 'replay', events: 4_000, seconds: 0 })
  await told('replayed')
  await new Promise<void>(resolve => {
    const end = read(`?since=${from}&types=run.notice`, (event, id, data) => {
      if (id === null || event !== 'run.notice') return
      from = id
      again.push(Number(JSON.parse(data).data.text))
      if (again.length === (part + 1) * 4_000) {
        end()
        resolve()
      }
    })
  })
}
const isSame = again.every((value, index) => value === index % 4_000)
console.log(`12 000 in three absences: ${again.length} told, ${isSame ? 'each once, in order' : 'NOT WHOLE'}`)
child.send({ type: 'stop', events: 0, seconds: 0 })
