// npm run bench:approvals [-- --pending 500 --surfaces 20 --decisions 100]: with many pending
// requests and many surfaces that follow them, how long a list takes, and how long it takes until a
// decision is stored and until every surface has received it. Bars: list p95 < 50 ms, decided p95 <
// 100 ms. (From a decision to the first key: npm run bench:sessions -- approvals.)
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { performance } from 'node:perf_hooks'
import { requestOf } from '../src/approvals/testing/fixtures.js'
import { TestServer, until } from '../test/server/support.js'

const argument = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const PENDING = argument('pending', 500)
const SURFACES = argument('surfaces', 20)
const DECISIONS = argument('decisions', 100)
const LISTS = 100
/** The largest page of a list. */
const PAGE = Math.min(200, PENDING)

const server = await TestServer.start()
const { ledger } = server.host
for (let n = 0; n < PENDING; n++)
  await ledger.request(
    requestOf({ instance: `3:${n}`, fingerprint: createHash('sha256').update(String(n)).digest('hex') }),
  )

/** When each surface received a decision, by the approval's id. */
const heard = new Map<string, number[]>()
const ends = Array.from({ length: SURFACES }, () => follow())
await until(() => server.api.parts.streams.count('events') === SURFACES)

const lists: number[] = []
let items: { id: string; fingerprint: string; display: { hash: string } }[] = []
for (let n = 0; n < LISTS; n++) {
  const began = performance.now()
  const { json } = await server.ask('GET', `/api/v1/approvals?limit=${PAGE}`, { as: 'token' })
  lists.push(performance.now() - began)
  items = json.items
}
if (items.length < PAGE) throw new Error(`${items.length} of ${PAGE} are listed`)

const decided: number[] = []
const began = new Map<string, number>()
for (const { id, fingerprint, display } of items.slice(0, DECISIONS)) {
  began.set(id, performance.now())
  const { status, text } = await server.ask('POST', `/api/v1/approvals/${id}/decision`, {
    as: 'token',
    body: { fingerprint, option: 'No', seen: { displayHash: display.hash, whole: true }, idempotencyKey: id },
  })
  if (status >= 400) throw new Error(text)
  decided.push(performance.now() - began.get(id)!)
}
await until(() => [...began.keys()].every(id => heard.get(id)?.length === SURFACES))
const told = [...began].map(([id, at]) => Math.max(...heard.get(id)!) - at)

console.log(`${PENDING} pending, ${SURFACES} surfaces`)
print(`list of ${PAGE}`, lists, 'bar 50 ms')
print('decided', decided, 'bar 100 ms')
print('received by every surface', told, 'no bar')
for (const end of ends) end()
await server.close()

function print(what: string, values: number[], bar: string): void {
  const sorted = values.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1)
  console.log(`${what.padEnd(24)} p50 ${at(0.5)} ms, p95 ${at(0.95)} ms (${bar}), ${sorted.length} times`)
}

function follow(): () => void {
  const headers = { authorization: `Bearer ${server.token}` }
  const reading = request(`${server.address}/api/v1/events`, { headers }, response => {
    let rest = ''
    response.setEncoding('utf8')
    response.on('data', (text: string) => {
      rest += text
      for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
        const frame = rest.slice(0, end)
        rest = rest.slice(end + 2)
        const id = frame.includes('approval.decided') ? /apr_\w+/.exec(frame)?.[0] : undefined
        if (id !== undefined) heard.set(id, [...(heard.get(id) ?? []), performance.now()])
      }
    })
    response.on('error', () => undefined)
  })
  reading.on('error', () => undefined)
  reading.end()
  return () => reading.destroy()
}
