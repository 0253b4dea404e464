// npm run bench:server [-- --seconds 20 --clients 20 --pages 20 --only pages]: how long an event
// takes from the server to each of 20 readers while 100 sessions write and 200 panes change, what
// that costs the server, whether 10 000 events are replayed without gap or duplicate, and how long
// an event takes to the screen of each of 20 pages in Chromium.
import { fork } from 'node:child_process'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describeMemory, type HeldMemory } from './server-memory.js'
import { measurePages } from './server-pages.js'
import { printTimes } from './server-times.js'

const argument = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const SECONDS = argument('seconds', 20)
const CLIENTS = argument('clients', 20)
const PAGES = argument('pages', 20)
const REPLAY = 10_000
/** Measures the pages only, without readers and replay. */
const ONLY_PAGES = process.argv.includes('--only')

const child = fork(fileURLToPath(new URL('server-host.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx', '--expose-gc'],
})
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

/** Reads a stream and calls back for every event; returns a function that ends it. */
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

async function measureReaders(): Promise<void> {
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
  const done = await told<{ cpu: number; share: number; memory: HeldMemory }>('done')
  for (const end of ends) end()
  console.log(`${CLIENTS} readers, 100 sessions writing 10/s, 200 panes changing 1/s, ${SECONDS} s`)
  console.log(`frames read      ${frames} (${Math.round(frames / SECONDS)}/s), sent away as slow: ${slow}`)
  printTimes('event to reader', latencies)
  console.log(`server           ${(done.cpu * 100).toFixed(0)} % of a core, ${describeMemory(done.memory)}`)
}

/** A reader that missed 10 000 events gets all of them in one answer. */
async function measureReplay(): Promise<void> {
  child.send({ type: 'replay', events: 0, seconds: 0 })
  const { position: cursor } = await told<{ position: string }>('replayed')
  child.send({ type: 'replay', events: REPLAY, seconds: 0 })
  await told('replayed')
  const startedAt = performance.now()
  const seen: number[] = []
  let resume = ''
  await new Promise<void>(resolve => {
    const end = read(`?since=${cursor}&types=run.notice`, (event, id, data) => {
      if (event === 'hello') resume = String(JSON.parse(data).resume)
      if (id !== null && event === 'run.notice') seen.push(Number(JSON.parse(data).data.text))
      if (resume === 'gap' || seen.length === REPLAY) {
        end()
        resolve()
      }
    })
  })
  const isWhole = seen.length === REPLAY && seen.every((value, index) => value === index)
  console.log(
    `${REPLAY} missed     ${resume === 'gap' ? 'GAP' : isWhole ? 'replayed in one answer, each once, in order' : 'INCOMPLETE'}, ${Math.round(performance.now() - startedAt)} ms`,
  )
}

if (!ONLY_PAGES) {
  await measureReaders()
  await measureReplay()
}
if (PAGES > 0) await measurePages(child, told, { pages: PAGES, seconds: SECONDS })
child.send({ type: 'stop', events: 0, seconds: 0 })
