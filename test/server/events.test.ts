import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { newId } from '../../src/clock/index.js'
import { createRun } from '../../src/engine/index.js'
import { newEvent } from '../../src/events/index.js'
import { REPLAY_BYTES_MAX, REPLAY_EVENTS_MAX } from '../../src/server/live/replay.js'
import { streamEvent } from '../../src/server/schemas/events.js'
import { EPHEMERAL_UPDATES, hello as helloEvent } from '../../src/server/schemas/stream.js'
import { eventsOf, type Loose, TestServer, until } from './support.js'

let server: TestServer
beforeAll(async () => {
  server = await TestServer.start()
})
afterAll(() => server.close())

interface Seen {
  event: string
  id: string | null
  data: Loose
}

/** A stream that is read until `isEnough`. */
async function read(query: string, isEnough: (seen: Seen[]) => boolean, headers: Record<string, string> = {}) {
  const response = await server.send('GET', `/api/v1/events${query}`, { as: 'token', headers })
  expect(response.statusCode).toBe(200)
  const seen: Seen[] = []
  for await (const event of eventsOf(response)) {
    checkEvent(event)
    seen.push(event)
    if (isEnough(seen)) break
  }
  response.destroy()
  return seen
}

/** Every event is as its schema says, without further fields. */
function checkEvent({ event, id, data }: Seen): void {
  if (event === 'heartbeat' || event === 'bye') return
  const ephemeral = EPHEMERAL_UPDATES[event as keyof typeof EPHEMERAL_UPDATES]
  const schema = event === 'hello' ? helloEvent : id === null ? ephemeral : streamEvent
  expect(schema?.safeParse(data), event).toMatchObject({ success: true, data })
}

const notice = (text: string) => newEvent('run.notice', { level: 'info', text })

/** Writes to streams of runs that no host drives. */
async function write(count: number, from = 0): Promise<void> {
  const byRun = [0, 1, 2].map(run => ({
    stream: `run/run_${run}`,
    expected: 'any' as const,
    events: Array.from({ length: count }, (_, n) => n + from)
      .filter(n => n % 3 === run)
      .map(n => notice(`event ${n}`)),
  }))
  for (const append of byRun)
    if (append.events.length > 0)
      await server.host.store.append(append.stream, append.expected, append.events, { durability: 'normal' })
}

const logged = (seen: readonly Seen[]) => seen.filter(({ id }) => id !== null)
const position = async () => `${server.host.store.id}:${await server.host.store.head()}`

describe('the stream of events', () => {
  test('starts with hello, then sends events of the log as they are written, with rising ids', async () => {
    const reading = read('', seen => logged(seen).length === 6)
    const { parts } = server.api
    while (parts.streams.count('events') === 0) await new Promise(resolve => setImmediate(resolve))
    await write(6)
    const [hello, ...rest] = await reading
    expect(hello).toMatchObject({ event: 'hello', id: null, data: { resume: 'ok', schema: 1, server: '0.0.0' } })
    const ids = logged(rest).map(({ id }) => Number(id!.split(':')[1]))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(rest[0]!.data).toMatchObject({ type: 'run.notice', subject: 'run/run_0', data: { text: 'event 0' } })
    expect(Date.parse(rest[0]!.data.at)).toBeGreaterThan(0)
  })

  test('sends the same events after a resume at any position as without an interruption', async () => {
    const before = await server.host.store.head()
    await write(30, 100)
    const after = await server.host.store.head()
    const whole = logged(await read(`?since=${server.host.store.id}:${before}`, seen => logged(seen).length === 30))
    for (let cut = before; cut < after; cut += 3) {
      const first = whole.filter(({ id }) => Number(id!.split(':')[1]) <= cut)
      const header = { 'last-event-id': `${server.host.store.id}:${cut}` }
      const rest = logged(await read('', seen => logged(seen).length === 30 - first.length, header))
      expect([...first, ...rest]).toEqual(whole)
    }
  })

  test('events that are written during a resume follow the missed ones without gap or duplicate', async () => {
    const since = await position()
    await write(300, 1000)
    const reading = read(`?since=${since}`, seen => logged(seen).length === 900)
    await write(300, 2000)
    await write(300, 3000)
    const ids = logged(await reading).map(({ id }) => Number(id!.split(':')[1]))
    expect(ids).toEqual(Array.from({ length: 900 }, (_, n) => ids[0]! + n))
  })

  test('a scope and types filter the stream, also when it resumes from a cursor', async () => {
    const since = await position()
    await write(9, 5000)
    await server.host.store.append('host', 'any', [newEvent('pack.reloaded', { agent: 'demo' })])
    await server.host.store.append('run/run_1', 'any', [newEvent('run.archived', { reason: 'enough' })])
    const scoped = await read(`?since=${since}&scope=run:run_1`, seen => logged(seen).length === 4)
    expect(logged(scoped).every(({ data }) => (data.subject as string) === 'run/run_1')).toBe(true)
    const typed = await read(`?since=${since}&types=pack.*,run.archived`, seen => logged(seen).length === 2)
    expect(logged(typed).map(({ event }) => event)).toEqual(['pack.reloaded', 'run.archived'])
    expect((await server.ask('GET', '/api/v1/events?scope=all:x', { as: 'token' })).json.error.code).toBe('E_INPUT')
  })

  test('a cursor of another store, ahead of the log or too far behind is reported as a gap', async () => {
    const head = await server.host.store.head()
    const hello = async (since: string) => (await read(`?since=${since}`, seen => seen.length === 1))[0]!.data
    for (const since of ['deadbeef:1', `${server.host.store.id}:${head + 1}`, 'nonsense', 'a:b:c'])
      expect(await hello(since), since).toMatchObject({ resume: 'gap', position: await position() })
    await write(REPLAY_EVENTS_MAX + 1, 10_000)
    expect(await hello(`${server.host.store.id}:${head}`)).toMatchObject({ resume: 'gap' })
    expect(await hello(`${server.host.store.id}:${head + 1}`)).toMatchObject({ resume: 'ok' })
    const large = 'x'.repeat(250_000)
    const since = await position()
    const most = Math.ceil(REPLAY_BYTES_MAX / large.length)
    const many = Array.from({ length: most }, () => notice(large))
    await server.host.store.append('run/run_9', 'any', many, { durability: 'normal' })
    expect(await hello(since)).toMatchObject({ resume: 'gap' })
  })

  test('10 000 missed events are sent once each and in order while more are written', async () => {
    const since = await position()
    const events = Array.from({ length: 10_000 }, (_, n) => notice(`${n}`))
    await server.host.store.append('run/run_7', 'any', events, { durability: 'normal' })
    let had = 0
    const reading = read(`?since=${since}&scope=run:run_7`, seen => {
      had = seen.length
      return logged(seen).length === 10_100
    })
    await until(() => had > 1_000)
    const late = Array.from({ length: 100 }, (_, n) => notice(`${10_000 + n}`))
    await server.host.store.append('run/run_7', 'any', late, { durability: 'normal' })
    const seen = await reading
    expect(seen[0]!.data).toMatchObject({ resume: 'ok' })
    expect(logged(seen).map(({ data }) => Number(data.data.text))).toEqual(Array.from({ length: 10_100 }, (_, n) => n))
  })

  test('a reader that stops reading is disconnected without effect on others, and resumes later', async () => {
    const { streams } = server.api.parts
    while (streams.count('events') > 0) await new Promise(resolve => setTimeout(resolve, 5))
    const slow = await server.send('GET', '/api/v1/events', { as: 'token' })
    slow.pause()
    let had = 0
    const quick = read('', seen => {
      had = logged(seen).length
      return had === 2_000
    })
    while (streams.count('events') < 2) await new Promise(resolve => setImmediate(resolve))
    for (let n = 0; n < 2_000; n += 50) {
      const events = Array.from({ length: 50 }, (_, k) => notice(`${n + k} ${'x'.repeat(4_000)}`))
      await server.host.store.append('run/run_8', 'any', events, { durability: 'normal' })
      // Reader and writer are one process here: the quick reader stays quick on a slow machine,
      // too.
      while (had < n + 50) await new Promise(resolve => setTimeout(resolve, 1))
    }
    const all = logged(await quick)
    expect(all).toHaveLength(2_000)
    while (streams.count('events') > 0) await new Promise(resolve => setTimeout(resolve, 20))
    const seen: Seen[] = []
    try {
      for await (const event of eventsOf(slow)) seen.push(event)
    } catch {
      // It was cut off: it had not even taken the goodbye.
    }
    const got = logged(seen)
    expect(got.length).toBeLessThan(2_000)
    const since = got.at(-1)?.id ?? seen[0]!.data.position
    const rest = logged(await read(`?since=${since}`, found => logged(found).length === 2_000 - got.length))
    expect([...got, ...rest]).toEqual(all)
  })

  test('previews of panes are sent only to streams that watch them, and only their opener changes that', async () => {
    const response = await server.send('GET', '/api/v1/events', { as: 'token' })
    const { value: hello } = await eventsOf(response).next()
    const path = `/api/v1/events/${hello!.data.subscription}/watch`
    expect((await server.ask('POST', path, { as: 'token', body: { panes: ['pan_1'] } })).status).toBe(200)
    const other = await server.login('owner')
    expect((await server.ask('POST', path, { as: other, body: { panes: [] } })).json.error.code).toBe('E_UNKNOWN')
    response.destroy()
  })

  test('a stream with records gets sessions and runs after each change, and a request at once', async () => {
    const { host } = server
    const id = newId('ses')
    const started = newEvent('session.started', {
      agent: 'demo',
      project: '/work',
      cwd: '/work',
      args: [],
      pid: process.pid,
      size: { cols: 80, rows: 24 },
      person: 'local',
      number: 1,
      recording: id,
      owner: 'daemon',
      label: 'reported',
    })
    let greeted = 0
    const greets = (isEnough: (seen: Seen[]) => boolean) => (seen: Seen[]) => {
      if (seen.length === 1) greeted++
      return isEnough(seen)
    }
    const last = (seen: Seen[], type: string) => seen.map(({ event }) => event).lastIndexOf(type)
    const hasRecords = (seen: Seen[]) =>
      last(seen, 'run.record') >= 0 &&
      last(seen, 'approval.cancelled') >= 0 &&
      last(seen, 'session.record') > last(seen, 'approval.cancelled')
    const reading = read('?records=changed&intervalMs=50', greets(hasRecords))
    const plain = read(
      '',
      greets(seen => seen.some(({ event }) => event === 'approval.cancelled')),
    )
    const urgent = read(
      '?intervalMs=1000',
      greets(seen => seen.some(({ event }) => event === 'approval.requested')),
    )
    await until(() => greeted === 3)
    await write(3, 70_000)
    await host.store.append(`session/${id}`, 'any', [started], { durability: 'normal' })
    const create = { kind: 'oneshot', title: 'reported', project: '/work', cwd: '/work', person: 'local', input: {} }
    const run = await createRun(host.store, create, Date.now())
    const asked = await host.ledger.request(reportedOf({ requestKey: id }, { session: id }))
    // It flushes the events that were held before it, in order.
    const types = logged(await urgent).map(({ event }) => event)
    expect(types.slice(-3)).toEqual(['session.started', 'run.created', 'approval.requested'])
    await host.ledger.cancelled(asked, 'enough')
    const seen = await reading
    const records = seen.filter(({ event }) => event.endsWith('.record'))
    expect(records.every(({ id: cursor }) => cursor === null)).toBe(true)
    expect(new Set(records.map(({ data }) => data.subject))).toEqual(new Set([`session/${id}`, `run/${run}`]))
    const record = seen[last(seen, 'session.record')]!.data.data.session
    // A subscriber with an older cursor gets the records that changed since then.
    const since = seen[0]!.data.position
    const late = await read(`?records=changed&since=${since}`, all => last(all, 'session.record') >= 0)
    expect(late.at(-1)!.data.data.session).toEqual(record)
    const { json } = await server.ask('GET', `/api/v1/sessions/${id}`, { as: 'token' })
    expect(record).toEqual(json)
    expect((await plain).some(({ event }) => event.endsWith('.record'))).toBe(false)
  })

  test('the log is returned page by page', async () => {
    const first = (await server.ask('GET', '/api/v1/events/log?limit=5', { as: 'token' })).json
    expect(first.items).toHaveLength(5)
    const second = (await server.ask('GET', `/api/v1/events/log?limit=5&since=${first.next}`, { as: 'token' })).json
    expect(second.items[0]!.id).not.toBe(first.items[4]!.id)
    expect((await server.ask('GET', '/api/v1/events/log?since=deadbeef:1', { as: 'token' })).json.error.code).toBe(
      'E_INPUT',
    )
  })

  test('a restarted server resumes from a cursor of the previous server', async () => {
    const since = await position()
    await write(3, 90_000)
    await server.halt()
    await server.open()
    const seen = await read(`?since=${since}`, all => logged(all).length === 3)
    expect(seen[0]!.data).toMatchObject({ resume: 'ok' })
    expect(logged(seen).map(({ data }) => data.data.text)).toEqual(['event 90000', 'event 90001', 'event 90002'])
  })
})
