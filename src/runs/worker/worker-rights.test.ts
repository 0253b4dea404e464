import { createHash, createPrivateKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApprovalRecord,
  LEDGER_OPERATIONS,
  LEDGER_STREAMS,
  Ledger,
  ledgerProjections,
} from '../../approvals/index.js'
import { requestOf } from '../../approvals/testing/fixtures.js'
import { SimulatedClock } from '../../clock/index.js'
import { plainInput } from '../../engine/graph/graph-run.js'
import { createRun, runStream, runsProjection } from '../../engine/index.js'
import { newEvent, validateEvent } from '../../events/index.js'
import { SessionRights } from '../../host/remote/session-rights.js'
import { SessionRecords } from '../../host/session-records.js'
import { sessionsProjection } from '../../sessions/index.js'
import { openBlobs } from '../../store/blobs/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { newWorkerKey, type ServerMessage, type WorkerHub, type WorkerSessionsPort } from '../../workers/index.js'
import type { WorkerConnection } from '../../workers/worker-connection.js'
import { proveWorker } from '../../workers/worker-proof.js'
import { workersProjection } from '../../workers/worker-record.js'
import { openWorkerHub } from './server-calls.js'

const NAMES = ['ada', 'bob'] as const
type Name = (typeof NAMES)[number]

/** What belongs to each worker, and to the server. */
interface Owned {
  session: string
  run: string
  /** Of the workspace that the run saved. */
  blob: string
  approval: ApprovalRecord
}

interface Dialog {
  connection: WorkerConnection
  messages: ServerMessage[]
  /** Resolves with the first message of this kind. */
  first<T extends ServerMessage['type']>(type: T, id?: number): Promise<Extract<ServerMessage, { type: T }>>
  id: string
  privatePem: string
  publicKey: string
}

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let records: SessionRecords
let hub: WorkerHub
const errors: unknown[] = []
const dialogs = {} as Record<Name, Dialog>
const owned = {} as Record<Name | 'server', Owned>

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-worker-rights-'))
  clock = new SimulatedClock(1_800_000_000_000)
  const projections = [runsProjection, workersProjection, sessionsProjection, ...ledgerProjections] as never
  const chained = LEDGER_STREAMS
  store = await openTestStore({ path: join(directory, 's.db'), clock, projections, chained, validate: validateEvent })
  ledger = new Ledger(store)
  records = new SessionRecords(store, ledger, { owner: 'daemon', worker: 'home_server' })
  hub = await openHub()
  for (const name of NAMES) dialogs[name] = await joined(name)
  for (const name of NAMES) owned[name] = await belongings(name, dialogs[name].id)
  owned.server = await belongings('server', null)
})
afterAll(async () => {
  hub.close()
  await store.close()
  rmSync(directory, { recursive: true })
  expect(errors).toEqual([])
})

async function openHub(): Promise<WorkerHub> {
  const blobs = await openBlobs(null, { dataDirectory: directory, env: {} })
  const isStarting = () => false
  const rights = new SessionRights({ store, clock, ledger, records, blobs: () => blobs, isStarting })
  const sessions: WorkerSessionsPort = {
    workerConnected: async () => [],
    ready: () => undefined,
    workerDisconnected: () => undefined,
    live: () => undefined,
    call: (worker, call, aheadMs) => rights.answer(worker, call, aheadMs),
    lost: async () => undefined,
    forget: () => undefined,
    sessionsOn: () => [],
    logged: async () => new Map(),
  }
  return openWorkerHub({
    store,
    ledger,
    clock,
    lostAfterMs: 600_000,
    childPlacement: 'same',
    dataDirectory: directory,
    blobs,
    sessions,
    wake: () => undefined,
    onError: error => void errors.push(error),
  }).hub
}

async function joined(name: string): Promise<Dialog> {
  const { privatePem, publicKey } = newWorkerKey()
  const token = await hub.registry.invite({ pool: 'default', labels: {}, validMs: 60_000, by: 'owner' })
  const { id } = await hub.registry.join(token, { name: `machine-of-${name}`, key: publicKey })
  const dialog = dial(hub)
  await hello(dialog, { id, privatePem })
  await dialog.first('welcome')
  return { ...dialog, id, privatePem, publicKey }
}

function dial(to: WorkerHub): Pick<Dialog, 'connection' | 'messages' | 'first'> {
  const messages: ServerMessage[] = []
  const waiting = new Set<() => void>()
  const send = (text: string | Uint8Array) => {
    messages.push(JSON.parse(String(text)) as ServerMessage)
    for (const look of waiting) look()
  }
  const first = (type: string, id?: number) =>
    new Promise<never>(resolve => {
      const look = () => {
        const found = messages.find(
          message => message.type === type && (id === undefined || (message as { id: number }).id === id),
        )
        if (found) waiting.delete(look)
        if (found) resolve(found as never)
      }
      waiting.add(look)
      look()
    })
  return { connection: to.accept({ proof: '', send, close: () => undefined }), messages, first }
}

/** @param given by default the nonce of the server that is asked. */
async function hello(
  { connection: to, first }: Pick<Dialog, 'connection' | 'first'>,
  { id, privatePem }: Pick<Dialog, 'id' | 'privatePem'>,
  given?: string,
): Promise<void> {
  const nonce = given ?? (await first('challenge')).nonce
  const signature = proveWorker(createPrivateKey(privatePem), { worker: id, nonce, channel: '' })
  const about = { boot: id, version: '1', maxSteps: 4, agents: [], runs: [], maxSessions: 4, sessions: [] }
  to.message(JSON.stringify({ type: 'hello', worker: id, signature, ...about }))
}

async function belongings(name: string, worker: string | null): Promise<Owned> {
  const session = `ses_${name}`
  const place = { project: '/p', cwd: '/p', recording: '/r', size: { cols: 80, rows: 24 }, args: [], pid: 1 }
  const started = { agent: 'demo', person: 'local', owner: 'daemon', worker: worker ?? 'home_server', ...place }
  await records.recordStart(session, started, clock.now())
  const dot = 'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'
  const about = { kind: 'graph', title: name, project: directory, cwd: directory, person: 'ada', placement: {} }
  const run = await createRun(store, { ...about, input: plainInput(dot, directory) }, clock.now())
  if (worker !== null) {
    const placed = newEvent('run.placed', { worker, name, epoch: 1, why: 'test' })
    await store.append(runStream(run), 'any', [placed])
  }
  const blob = createHash('sha256').update(name).digest('hex')
  const saved = newEvent('workspace.saved', { head: 'a'.repeat(40), wip: 'b'.repeat(40), blob })
  await store.append(runStream(run), 'any', [saved])
  const request = requestOf()
  const approval = await ledger.request({ ...request, subject: { ...request.subject, session } })
  return { session, run, blob, approval }
}

let calls = 0

async function ask(
  name: Name,
  method: string,
  params: object,
): Promise<{ result?: unknown; error?: { code: string } }> {
  const { connection, first } = dialogs[name]
  const id = ++calls
  connection.message(JSON.stringify({ type: 'call', id, method, params }))
  return (await first('answer', id)) as never
}

/** The methods of a class, as an attacker would list them. */
const methodsOf = (value: object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter(
    name => name !== 'constructor' && typeof (value as Record<string, unknown>)[name] === 'function',
  )

const OF_A_RUN = ['run.events', 'step.needs', 'approval.ask', 'approval.withdraw', 'blob.read', 'blob.write']
const FREE = ['store.now', 'blob.put']
const UNKNOWN = ['session.start', 'session.send', 'session.type', 'runs.start', 'run.place', 'worker.invite', 'x']
const phase = { type: 'session.phase', data: { from: 'dormant', to: 'thinking', event: 'x' } }

/** Every call of the store, the ledger and runs about something; and whether it is about that. */
function callsAbout({ session, run, blob, approval }: Owned): { method: string; params: object }[] {
  const stream = `session/${session}`
  const document = { projection: 'sessions', key: session }
  const args: Record<string, unknown[]> = {
    list: [],
    recent: [session],
    get: [approval.id],
    request: [{ ...requestOf(), subject: { session } }],
    replace: [{ id: approval.id }, { ...requestOf(), subject: { session } }],
  }
  return [
    ...methodsOf(store).map(name => ({
      method: `store.${name}`,
      params: { stream, ...document, expected: 'any', events: [phase] },
    })),
    ...methodsOf(ledger).map(name => ({
      method: `ledger.${name}`,
      params: { args: args[name] ?? [{ id: approval.id }, 'x'] },
    })),
    ...OF_A_RUN.map(method => ({ method, params: { run, step: 'a@1#1', key: 'a@1#1/1', blob, offset: 0 } })),
    ...[...FREE, ...UNKNOWN, 'session.record'].map(method => ({ method, params: { session, started: {}, at: 1 } })),
  ]
}

const OF_THE_STORE = ['append', 'readStream', 'streamVersion', 'document', 'documents'].map(name => `store.${name}`)
/** Its answer holds what is the worker's own, whatever was asked for. */
const FILTERED = ['store.documents', 'ledger.list']

/** The table of what a worker may ask. */
function isAllowed(method: string, isOwn: boolean): boolean {
  if (FREE.includes(method) || FILTERED.includes(method)) return true
  const ledgerCalls = LEDGER_OPERATIONS.map(name => `ledger.${name}`)
  // An own session is recorded already: repeated, the call has no effect.
  return isOwn && [...OF_THE_STORE, ...ledgerCalls, ...OF_A_RUN, 'session.record'].includes(method)
}

describe('every call of a worker', () => {
  test.each([
    ['ada', 'ada'],
    ['ada', 'bob'],
    ['bob', 'ada'],
    ['bob', 'server'],
  ] as const)('%s about what %s has is answered or refused as the table says', async (worker, owner) => {
    const all = callsAbout(owned[owner])
    expect(all.length).toBeGreaterThan(50)
    for (const { method, params } of all) {
      const [before, head] = [hub.refusedCalls, await foreignEvents()]
      const { error } = await ask(worker, method, params)
      const isRefused = error?.code === 'E_ROLE'
      expect([method, isRefused]).toEqual([method, !isAllowed(method, owner === worker)])
      expect([method, hub.refusedCalls - before]).toEqual([method, isRefused ? 1 : 0])
      if (owner !== worker) expect([method, await foreignEvents()]).toEqual([method, head])
    }
  })

  /** Events, without the records of what was refused. */
  const foreignEvents = async () =>
    (await store.readAll({ after: 0, limit: 10_000 })).filter(({ type }) => type !== 'worker.refused').length

  test('to any other stream is refused, for reading and for writing', async () => {
    const { run, approval, session } = owned.ada
    const foreign = [`session/${owned.bob.session}`, `run/${owned.bob.run}`, `approval/${owned.bob.approval.id}`]
    const own = [`run/${run}`, `approval/${approval.id}`, `worker/${dialogs.ada.id}`]
    const kinds = ['grant/all', 'numbers/local', 'trust/p', 'project/p', 'invite/x', 'schedule/s', 'server/s']
    const hosts = [`host/${dialogs.bob.id}`, 'telegram/cursor', 'webhook/w', '', session, `session/${session}/x`]
    for (const stream of [...foreign, ...own, ...kinds, ...hosts])
      for (const method of ['append', 'readStream', 'streamVersion'])
        expect([
          stream,
          method,
          await ask('ada', `store.${method}`, { stream, expected: 'any', events: [phase] }),
        ]).toEqual([stream, method, expect.objectContaining({ error: expect.objectContaining({ code: 'E_ROLE' }) })])
    expect(await ask('ada', 'store.readStream', { stream: 'host' })).toMatchObject({ error: { code: 'E_ROLE' } })
  })

  test('that is refused is counted, and recorded once a minute', async () => {
    const recorded = async () =>
      (await store.readStream(`worker/${dialogs.bob.id}`)).filter(({ type }) => type === 'worker.refused')
    const before = (await recorded()).length
    expect(before).toBe(1)
    const count = hub.refusedCalls
    clock.advance(60_000)
    for (let n = 0; n < 3; n++) await ask('bob', 'ledger.decide', { args: [owned.bob.approval.id] })
    clock.advance(60_000)
    await ask('bob', 'store.readAll', {})
    expect(hub.refusedCalls - count).toBe(4)
    await expect.poll(async () => (await recorded()).length).toBe(3)
    const [, second, third] = await recorded()
    expect(second!.data).toMatchObject({ what: 'ledger.decide' })
    expect(third!.data).toEqual({ what: 'store.readAll', times: 3 })
  })
})

describe('a stolen key of a worker', () => {
  test('can lie about its own sessions', async () => {
    const { session } = owned.ada
    const said = { turn: 't', message: 'm', markdown: 'all tests pass', blocks: [] }
    const events = [{ type: 'message.final', data: { session, ...said } }]
    const written = await ask('ada', 'store.append', { stream: `session/${session}`, expected: 'any', events })
    expect(written.error).toBeUndefined()
  })

  test('cannot lie about the session of another worker, also not in a stream of its own', async () => {
    const [own, other] = [owned.ada.session, owned.bob.session]
    const events = [{ type: 'session.noticed', data: { session: other, kind: 'k', text: 'log in here' } }]
    for (const stream of [`session/${own}`, `session/${other}`])
      expect(await ask('ada', 'store.append', { stream, expected: 'any', events })).toMatchObject({
        error: { code: 'E_ROLE' },
      })
  })

  test('can read the journal of a run that it has, and no other', async () => {
    const { result } = await ask('ada', 'run.events', { run: owned.ada.run })
    expect(result).toMatchObject([{ type: 'run.created' }, { type: 'run.placed' }, { type: 'workspace.saved' }])
    expect(await ask('ada', 'run.events', { run: owned.bob.run })).toMatchObject({ error: { code: 'E_ROLE' } })
    // The hash of what another run saved is of no use either.
    const foreign = { run: owned.ada.run, blob: owned.bob.blob, offset: 0 }
    expect(await ask('ada', 'blob.read', foreign)).toMatchObject({ error: { code: 'E_ROLE' } })
  })

  test('cannot decide a request of its own, or raise its budget', async () => {
    const { session, approval } = owned.ada
    const decide = { args: [approval.id, { option: 'Yes', fingerprint: approval.fingerprint }] }
    expect(await ask('ada', 'ledger.decide', decide)).toMatchObject({ error: { code: 'E_ROLE' } })
    const budget = { type: 'session.budget-set', data: { usd: null, tokens: null, person: 'owner' } }
    const params = { stream: `session/${session}`, expected: 'any', events: [budget] }
    expect(await ask('ada', 'store.append', params)).toMatchObject({ error: { code: 'E_ROLE' } })
    expect((await ledger.get(approval.id))?.decision).toBeUndefined()
  })

  test('cannot grant anything', async () => {
    const grant = { type: 'grant.made', data: {} }
    for (const stream of ['grant/all', `session/${owned.ada.session}`, `approval/${owned.ada.approval.id}`, 'host'])
      expect(await ask('ada', 'store.append', { stream, expected: 'any', events: [grant] })).toMatchObject({
        error: { code: 'E_ROLE' },
      })
    expect(await ask('ada', 'ledger.addStanding', { args: [{}] })).toMatchObject({ error: { code: 'E_ROLE' } })
    expect(await ledger.grants.list()).toEqual([])
  })

  test('cannot start work on another worker, or move its own there', async () => {
    const { run } = owned.ada
    const worker = dialogs.bob.id
    const events = [{ type: 'run.placed', data: { worker, name: 'bob', epoch: 2, why: 'x' } }]
    const tries = [
      ask('ada', 'store.append', { stream: `run/${run}`, expected: 'any', events }),
      ask('ada', 'run.place', { run, worker }),
      ask('ada', 'run.move', { run, to: worker }),
      ask('ada', 'session.start', { session: 'ses_new', worker, request: {} }),
      ask('ada', 'session.record', { session: 'ses_new', started: { worker }, at: 1 }),
      ask('ada', 'session.send', { session: owned.bob.session, text: 'rm -rf /' }),
    ]
    for (const { error } of await Promise.all(tries)) expect(error).toMatchObject({ code: 'E_ROLE' })
    expect(dialogs.bob.messages.filter(({ type }) => type === 'wanted' || type === 'call')).toEqual([])
  })

  test('learns nothing about other workers', () => {
    const all = JSON.stringify(dialogs.ada.messages)
    for (const secret of [dialogs.bob.id, dialogs.bob.publicKey, 'machine-of-bob']) expect(all).not.toContain(secret)
    expect(all).toContain(dialogs.ada.id)
  })

  test('cannot be proven to another server with what was signed for this one', async () => {
    const other = await openHub()
    const [here, there] = [dial(hub), dial(other)]
    await hello(there, dialogs.ada, (await here.first('challenge')).nonce)
    expect(await there.first('refused')).toMatchObject({ code: 'E_LOGIN' })
    other.close()
  })

  test('is worth nothing after its worker was removed', async () => {
    const again = dial(hub)
    const { id } = dialogs.bob
    const record = (await hub.registry.get(id))!
    await store.append(runStream(owned.bob.run), 'any', [newEvent('run.cancelled', { by: 'owner', reason: 'test' })])
    await hub.remove(record, 'owner')
    await hello(again, dialogs.bob)
    expect(await again.first('refused')).toMatchObject({ code: 'E_LOGIN' })
    // Its socket may still deliver what it sends: the other end closes it when it likes.
    const head = await store.head()
    const params = { stream: `session/${owned.bob.session}`, expected: 'any', events: [phase] }
    dialogs.bob.connection.message(JSON.stringify({ type: 'call', id: ++calls, method: 'store.append', params }))
    await ask('ada', 'store.now', {})
    expect(await store.head()).toBe(head)
  })
})

test('an invitation that two machines use at two servers at once admits one of them', async () => {
  const other = await openHub()
  const token = await hub.registry.invite({ pool: 'default', labels: {}, validMs: 60_000, by: 'owner' })
  const both = await Promise.allSettled([
    hub.registry.join(token, { name: 'one', key: 'k1' }),
    other.registry.join(token, { name: 'two', key: 'k2' }),
  ])
  const refused = both.filter(({ status }) => status === 'rejected')
  expect(refused).toMatchObject([{ reason: { code: 'E_JOIN' } }])
  await expect(other.registry.join(token, { name: 'three', key: 'k3' })).rejects.toMatchObject({ code: 'E_JOIN' })
  other.close()
})
