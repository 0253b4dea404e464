import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { Keeper } from '../../src/keeper/index.js'
import { eventsOf, TestServer, until } from './support.js'

/** A keeper that outlives the host. The next host reads a recording only when the gate opens. */
class GatedKeeper extends Keeper {
  gate: Promise<void> = Promise.resolve()

  override async locate(id: string, offset: number) {
    await this.gate
    return super.locate(id, offset)
  }
}

const keeper = new GatedKeeper(systemClock)
let server: TestServer
beforeAll(async () => {
  server = await TestServer.start({ keeper })
})
afterAll(() => server.close())

const get = async (path: string) => (await server.ask('GET', `/api/v1${path}`, { as: 'token' })).json

async function screenHas(id: string, text: string): Promise<void> {
  await until(async () => (await get(`/sessions/${id}/screen`)).lines.some((line: string) => line.includes(text)))
}

test('a new host lists the sessions that it has not read yet, and calls for them wait', async () => {
  const { id } = await server.host.startSession({
    agent: null,
    args: ['/bin/sh', '-c', 'echo ready; read word; echo "got $word"; read end'],
    cwd: server.work,
    terminal: null,
    size: { cols: 80, rows: 24 },
    person: 'local',
    label: null,
    resume: null,
  })
  await screenHas(id, 'ready')
  await server.api.close()
  await server.host.close()

  let open: () => void = () => undefined
  keeper.gate = new Promise(resolve => {
    open = resolve
  })
  await server.open({ keeper })
  expect((await get('/sessions')).items).toEqual([expect.objectContaining({ id, catchingUp: true })])
  expect(await get('/health')).toMatchObject({ sessions: 0, catchingUp: 1 })
  expect((await server.ask('GET', '/metrics', { as: 'token' })).text).toContain('\nsignalbox_sessions_catching_up 1\n')
  expect((await get(`/sessions/${id}/wait?for=idle&timeoutMs=1`)).reached).toBe('timeout')
  const events = eventsOf(await server.send('GET', '/api/v1/events?records=changed', { as: 'token' }))
  await events.next()

  const typing = server.ask('POST', `/api/v1/sessions/${id}/keys`, { as: 'token', body: { text: 'hello\r' } })
  const first = await Promise.race([typing, get('/overview').then(() => 'another call')])
  expect(first).toBe('another call')
  open()
  expect((await typing).status).toBe(200)
  // The page hears that the session is live, although nothing is in the log about it.
  for await (const { event, data } of events) {
    if (event !== 'session.record' || data.data.session.catchingUp) continue
    expect(data.data.session).toMatchObject({ id, phase: expect.any(String) })
    break
  }
  await screenHas(id, 'got hello')
  expect(await get('/health')).toMatchObject({ sessions: 1, catchingUp: 0 })
})
