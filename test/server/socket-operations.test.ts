import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { ROUTES } from '../../src/server/index.js'
import { PANE_STREAM_EVENTS } from '../../src/server/schemas/stream.js'
import { TIME_FIELDS } from '../../src/server/wire/index.js'
import { eventsOf, type Loose, TestServer } from './support.js'

/*
 * The owner's socket: the operations that only the command line may call, and moments in
 * milliseconds, as the command line asks for them.
 */

let server: TestServer
let socketPath: string
const called = new Set<string>()

beforeAll(async () => {
  server = await TestServer.start()
  socketPath = join(server.directory, 'api.sock')
  await server.api.listenOnSocket(socketPath)
})
afterAll(() => server.close())

function send(method: string, path: string, { body, headers = {} }: { body?: object; headers?: object } = {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const json = body && { 'content-type': 'application/json' }
    const sending = request({ socketPath, method, path, headers: { host: 'signalbox', ...json, ...headers } }, resolve)
    sending.on('error', reject)
    sending.end(body && JSON.stringify(body))
  })
}

async function jsonOf(response: IncomingMessage): Promise<Loose> {
  let text = ''
  for await (const chunk of response) text += chunk
  return JSON.parse(text)
}

async function call(id: string, body?: object): Promise<Loose> {
  const route = ROUTES.find(candidate => candidate.id === id)!
  const response = await send(route.method, route.path, { ...(body && { body }) })
  const json = await jsonOf(response)
  const schema = route.answers[response.statusCode!]?.schema
  expect(schema?.safeParse(json), `${id}: ${JSON.stringify(json)}`).toMatchObject({ success: true, data: json })
  called.add(id)
  return json
}

describe('an operation of the socket', () => {
  test('answers as its schema says', async () => {
    await call('health.daemon')
    await call('auth.rotate-token', {})
    await call('panes.join-tmux', { directories: [], sockets: [] })
    await call('panes.presence', { surface: 'watch' })
    await call('workers.invite', { pool: 'build', labels: { gpu: 'yes' } })
    await call('health.shutdown', { pid: 0 })
  })

  test('gives no confirmation code to a process that was never refused', async () => {
    const response = await send('POST', '/api/v1/auth/terminal-code')
    expect(await jsonOf(response)).toMatchObject({ error: { code: 'E_STATE' } })
    called.add('auth.terminal-code')
  })

  test('streams panes in frames that fit their schemas, with moments in milliseconds', async () => {
    const stream = await send('GET', '/api/v1/panes/stream')
    const started = server.ask('POST', '/api/v1/sessions', { as: 'token', body: { agent: 'demo', cwd: server.work } })
    const seen = new Set<string>()
    for await (const { event, data } of eventsOf(stream)) {
      const schema = PANE_STREAM_EVENTS[event as keyof typeof PANE_STREAM_EVENTS]
      expect(momentsOf(data).filter(value => typeof value !== 'number')).toEqual([])
      expect(schema.safeParse(withDates(data)).error, event).toBeUndefined()
      seen.add(event)
      if (seen.has('panes') && seen.has('pane')) break
    }
    stream.destroy()
    expect((await started).status).toBe(201)
    called.add('panes.stream')
  })

  test('is called by a test', () => {
    const all = ROUTES.filter(({ isSocketOnly }) => isSocketOnly).map(({ id }) => id)
    expect(all.filter(id => !called.has(id))).toEqual([])
  })
})

describe('a caller that asks for milliseconds', () => {
  const headers = { 'x-signalbox-time': 'ms' }

  test('gets a number in every field that holds a moment', async () => {
    for (const path of ['/overview', '/sessions', '/panes', '/health', '/auth/devices', '/events/log']) {
      const moments = momentsOf(await jsonOf(await send('GET', `/api/v1${path}`, { headers })))
      expect(
        moments.filter(value => typeof value !== 'number'),
        path,
      ).toEqual([])
    }
  })

  test('gets milliseconds in errors, too; other callers get RFC 3339', async () => {
    const { id, fingerprint, display } = await server.host.ledger.request(reportedOf({ requestKey: 'twice' }))
    const body = { fingerprint, option: 'allow', seen: { displayHash: display.hash, whole: true } }
    const decide = async (more: object) =>
      jsonOf(await send('POST', `/api/v1/approvals/${id}/decision`, { body, headers: more }))
    expect(await decide({})).toMatchObject({ id, state: 'decided' })
    expect((await decide(headers)).error.first.at).toEqual(expect.any(Number))
    expect((await decide({})).error.first.at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  })
})

/** The values of all fields that hold a moment; null means "none". */
function momentsOf(value: Loose): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    TIME_FIELDS.has(name) && typeof part !== 'object' ? [part] : momentsOf(part),
  )
}

/** The same with moments as RFC 3339, as the schemas describe them. */
function withDates(value: Loose): Loose {
  return JSON.parse(JSON.stringify(value), (name, part) =>
    TIME_FIELDS.has(name) && typeof part === 'number' ? new Date(part).toISOString() : part,
  )
}
