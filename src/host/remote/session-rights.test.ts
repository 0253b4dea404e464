import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ApprovalRequest, LEDGER_STREAMS, Ledger, ledgerProjections } from '../../approvals/index.js'
import { requestOf } from '../../approvals/testing/fixtures.js'
import { systemClock } from '../../clock/index.js'
import { validateEvent } from '../../events/index.js'
import { type SessionRecord, sessionsProjection } from '../../sessions/index.js'
import { openBlobs } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { SessionRecords } from '../session-records.js'
import { SessionRights } from './session-rights.js'

const [OWN, OTHER] = ['wrk_own', 'wrk_other']

let directory: string
let store: EventStore
let ledger: Ledger
let rights: SessionRights
let starting: string | null

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-rights-'))
  const projections = [sessionsProjection, ...ledgerProjections] as never
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock: systemClock,
    projections,
    chained: LEDGER_STREAMS,
    validate: validateEvent,
  })
  ledger = new Ledger(store)
  const records = new SessionRecords(store, ledger, { owner: 'daemon', worker: 'home_server' })
  const blobs = await openBlobs(null, { dataDirectory: directory, env: {} })
  starting = null
  rights = new SessionRights({
    store,
    clock: systemClock,
    ledger,
    records,
    blobs: () => blobs,
    isStarting: (worker, session) => worker === OWN && session === starting,
  })
  for (const [id, worker] of Object.entries({ ses_own: OWN, ses_other: OTHER, ses_server: 'home_server' }))
    await records.recordStart(id, started(worker), Date.now())
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true })
})

function started(worker: string) {
  const size = { cols: 80, rows: 24 }
  const place = { project: '/p', cwd: '/p', recording: '/etc/passwd' }
  return { agent: 'demo', args: [], pid: 1, size, person: 'local', owner: 'daemon', worker, ...place }
}

function ask(method: string, params: Record<string, unknown>, { isAgain = false } = {}): Promise<unknown> {
  return rights.answer(OWN, { method, params, isAgain, signal: new AbortController().signal })
}

const append = (stream: string, ...events: { type: string; data: object; at?: number }[]) =>
  ask('store.append', { stream, expected: 'any', events })
const phase = { type: 'session.phase', data: { from: 'dormant', to: 'thinking', event: 'x' } }

function request(session: string, more: object = {}): ApprovalRequest {
  const base = requestOf()
  return { ...base, subject: { ...base.subject, session, ...more } }
}

const refused = { code: 'E_ROLE' }

describe('the rights of a worker', () => {
  test('include writing and reading its own sessions', async () => {
    const result = (await append('session/ses_own', phase)) as { version: number }
    expect(await ask('store.streamVersion', { stream: 'session/ses_own' })).toBe(result.version)
    expect(await ask('store.readStream', { stream: 'session/ses_own', fromVersion: 2 })).toMatchObject([phase])
    const documents = (await ask('store.documents', { projection: 'sessions' })) as { key: string }[]
    expect(documents.map(({ key }) => key)).toEqual(['ses_own'])
  })

  test.each([
    'session/ses_other',
    'session/ses_server',
    'session/ses_unknown',
    'run/run_1',
    'approval/apr_1',
    'grant/grt_1',
    'worker/wrk_own',
    'numbers/local',
    'host/wrk_other',
    'trust/p',
    'invite/x',
  ])('exclude writing and reading %s', async stream => {
    const before = await store.head()
    await expect(append(stream, phase)).rejects.toMatchObject(refused)
    await expect(ask('store.readStream', { stream })).rejects.toMatchObject(refused)
    await expect(ask('store.streamVersion', { stream })).rejects.toMatchObject(refused)
    expect(await store.head()).toBe(before)
  })

  test.each(['session.started', 'session.renamed', 'session.chosen', 'session.resumed', 'session.forgotten'])(
    'exclude writing %s, which only a server does',
    async type => {
      await expect(append('session/ses_own', { type, data: {} })).rejects.toMatchObject(refused)
    },
  )

  test.each(['approval.decided', 'run.created', 'grant.made', 'worker.joined'])(
    'exclude writing %s into a stream of its own',
    async type => {
      await expect(append('session/ses_own', phase, { type, data: {} })).rejects.toMatchObject(refused)
      await expect(append('host', { type, data: {} })).rejects.toMatchObject(refused)
    },
  )

  test('include writing notes about itself into a stream of its own', async () => {
    const note = { type: 'pack.reloaded', data: { agent: 'demo' } }
    await append('host', note)
    expect(await store.readStream(`host/${OWN}`)).toMatchObject([note])
  })

  test.each(['approvals', 'runs', 'workers', 'grants'])('exclude reading the documents of %s', async projection => {
    await expect(ask('store.documents', { projection })).rejects.toMatchObject(refused)
    await expect(ask('store.document', { projection, key: 'x' })).rejects.toMatchObject(refused)
  })

  test('include starting a session only if the server requested it, and only as its own', async () => {
    const params = { session: 'ses_new', started: started('home_server'), at: Date.now() }
    await expect(ask('session.record', params)).rejects.toMatchObject(refused)
    starting = 'ses_new'
    await ask('session.record', params)
    expect((await store.document<SessionRecord>('sessions', 'ses_new'))?.state.worker).toBe(OWN)
    // The answer was lost: it asks again.
    await ask('session.record', params, { isAgain: true })
    expect(await store.streamVersion('session/ses_new')).toBe(1)
    starting = 'ses_other'
    await expect(ask('session.record', { ...params, session: 'ses_other' })).rejects.toMatchObject(refused)
  })

  test('include raising and ending requests of its own sessions, but no decisions', async () => {
    const raised = (await ask('ledger.request', { args: [request('ses_own')] })) as { id: string }
    expect(await ask('ledger.get', { args: [raised.id] })).toMatchObject({ state: 'pending' })
    for (const method of ['decide', 'lockDown', 'refuse', 'expired', 'seen', 'grants', 'constructor'])
      await expect(ask(`ledger.${method}`, { args: [raised.id] })).rejects.toMatchObject(refused)
    expect(await ask('ledger.cancelled', { args: [{ id: raised.id }, 'withdrawn'] })).toBe(true)
  })

  test('exclude seeing, raising or changing requests of others or of runs', async () => {
    const foreign = await ledger.request(request('ses_other'))
    await expect(ask('ledger.request', { args: [request('ses_other')] })).rejects.toMatchObject(refused)
    await expect(ask('ledger.request', { args: [request('ses_own', { run: 'run_1' })] })).rejects.toMatchObject(refused)
    await expect(ask('ledger.get', { args: [foreign.id] })).rejects.toMatchObject(refused)
    await expect(ask('ledger.recent', { args: ['ses_other'] })).rejects.toMatchObject(refused)
    expect(await ask('ledger.list', { args: [{ isOpenOnly: true }] })).toEqual([])
    // The record that it shows does not count.
    for (const method of ['join', 'delivering', 'applied', 'observed', 'stale', 'cancelled', 'replace'])
      await expect(
        ask(`ledger.${method}`, { args: [{ ...foreign, subject: { session: 'ses_own' } }, 'x'] }),
      ).rejects.toMatchObject(refused)
    expect((await ledger.get(foreign.id))?.state).toBe('pending')
  })

  test.each([
    'store.appendAll',
    'store.readAll',
    'store.acquireLease',
    'store.check',
    'blob.get',
    'session.start',
    'x',
  ])('exclude calling %s', async method => {
    await expect(ask(method, {})).rejects.toMatchObject(refused)
  })

  test('allow repeating an append whose answer was lost, which is written once', async () => {
    const params = { stream: 'session/ses_own', expected: 'any', events: [{ ...phase, at: 5 }], after: 1 }
    const first = await ask('store.append', params)
    expect(await ask('store.append', params, { isAgain: true })).toEqual(first)
    expect(await store.streamVersion('session/ses_own')).toBe(2)
    const raised = (await ask('ledger.request', { args: [request('ses_own')] })) as { id: string }
    const again = await ask('ledger.request', { args: [request('ses_own')] }, { isAgain: true })
    expect(again).toMatchObject({ id: raised.id })
  })

  test('give events of a worker with a wrong clock the time of the store', async () => {
    const [wrong, now] = [-600_000, Date.now()]
    const params = (at?: number) => ({ stream: 'session/ses_own', expected: 'any', events: [{ ...phase, at }] })
    for (const at of [now + wrong - 2_000, now + wrong - 1_000, undefined]) {
      const call = { method: 'store.append', params: params(at), isAgain: false, signal: new AbortController().signal }
      await rights.answer(OWN, call, wrong)
    }
    const times = (await store.readStream('session/ses_own', { fromVersion: 2 })).map(({ at }) => at)
    expect(times.slice(0, 2)).toEqual([now - 2_000, now - 1_000])
    expect(Math.abs(times[2]! - Date.now())).toBeLessThan(60_000)
  })

  test('exclude writing an event in the future of the store', async () => {
    await append('session/ses_own', { ...phase, at: Date.now() + 3_600_000 })
    const [event] = await store.readStream('session/ses_own', { fromVersion: 2 })
    expect(event!.at).toBeLessThanOrEqual(Date.now())
  })

  test('include storing blobs within the size limit', async () => {
    const name = await ask('blob.put', { data: Buffer.from('bytes').toString('base64') })
    expect(name).toMatch(/^[0-9a-f]{64}$/)
    const long = Buffer.alloc(4 * 1024 * 1024 + 1).toString('base64')
    await expect(ask('blob.put', { data: long })).rejects.toMatchObject({ code: 'E_LIMIT' })
  })
})
