import { createPrivateKey } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { createRun, runStream, runsProjection } from '../engine/index.js'
import { listRun, listWorkflow } from '../engine/testing/list-workflow.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent, validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import type { PlacedSteps } from './placed-steps.js'
import type { ServerMessage } from './protocol.js'
import type { WorkerConnection } from './worker-connection.js'
import { WorkerHub, type WorkerHubOptions, type WorkerSessionsPort } from './worker-hub.js'
import { newWorkerKey, proveWorker } from './worker-proof.js'
import { workersProjection } from './worker-record.js'

const LOST_AFTER_MS = 600_000

let directory: string
let clock: SimulatedClock
let store: EventStore
let hub: WorkerHub
let woken: string[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-hub-'))
  clock = new SimulatedClock(1_000_000)
  const projections = [runsProjection, workersProjection] as never
  store = await openTestStore({ path: join(directory, 'store.db'), clock, projections, validate: validateEvent })
  hub = openHub()
})
afterEach(async () => {
  hub.close()
  await store.close()
  rmSync(directory, { recursive: true })
})

const NO_SESSIONS: WorkerSessionsPort = {
  workerConnected: async () => [],
  ready: () => undefined,
  workerDisconnected: () => undefined,
  live: () => undefined,
  call: async () => null,
  lost: async () => undefined,
  forget: () => undefined,
  sessionsOn: () => [],
  logged: async () => new Map(),
}

function openHub(childPlacement: 'same' | 'spread' = 'same', more: Partial<WorkerHubOptions> = {}): WorkerHub {
  woken = []
  return new WorkerHub({
    store,
    clock,
    lostAfterMs: LOST_AFTER_MS,
    childPlacement,
    workflows: [],
    performers: {},
    call: async method => `answer to ${method}`,
    workspaceOf: async () => null,
    sessions: NO_SESSIONS,
    wake: run => void woken.push(run),
    ...more,
    onError: error => {
      throw error
    },
  })
}

interface Machine {
  id: string
  privatePem: string
}

async function joined(name: string, { pool = 'default', labels = {} } = {}): Promise<Machine> {
  const { privatePem, publicKey } = newWorkerKey()
  const token = await hub.registry.invite({ pool, labels, validMs: 60_000, by: 'ada' })
  const { id } = await hub.registry.join(token, { name, key: publicKey })
  return { id, privatePem }
}

interface Dialog {
  connection: WorkerConnection
  messages: ServerMessage[]
  isClosed(): boolean
  of<T extends ServerMessage['type']>(type: T): Extract<ServerMessage, { type: T }>[]
}

function dial(): Dialog {
  const messages: ServerMessage[] = []
  let isClosed = false
  const connection = hub.accept({
    proof: '',
    send: text => void messages.push(JSON.parse(String(text)) as ServerMessage),
    close: () => {
      isClosed = true
    },
  })
  const of = (type: string) => messages.filter(message => message.type === type) as never[]
  return { connection, messages, isClosed: () => isClosed, of }
}

function hello(dialog: Dialog, machine: Machine, boot: string, more: object = {}): void {
  const { nonce } = dialog.of('challenge')[0]!
  const words = { worker: machine.id, nonce, channel: '' }
  const signature = proveWorker(createPrivateKey(machine.privatePem), words)
  const about = { boot, version: '1', maxSteps: 4, agents: [], runs: [], maxSessions: 0, sessions: [], ...more }
  dialog.connection.message(JSON.stringify({ type: 'hello', worker: machine.id, signature, ...about }))
}

async function connect(machine: Machine, boot = 'boot-1', runs: string[] = [], more: object = {}): Promise<Dialog> {
  const dialog = dial()
  hello(dialog, machine, boot, { runs, ...more })
  await expect.poll(() => dialog.of('welcome').length + dialog.of('refused').length).toBe(1)
  return dialog
}

const stateOf = async ({ id }: Machine) => (await hub.registry.get(id))?.state
const beat = (dialog: Dialog) => dialog.connection.message(JSON.stringify({ type: 'beat', steps: 0 }))

async function placed(machine: Machine): Promise<string> {
  const id = await createRun(store, { ...listRun([]), placement: {} }, clock.now())
  await store.append(runStream(id), 'any', [
    newEvent('run.placed', { worker: machine.id, name: 'w', epoch: 1, why: 'test' }),
  ])
  return id
}

describe('the placement of a child run', () => {
  const choices = async (childPlacement: 'same' | 'spread') => {
    hub = openHub(childPlacement)
    const [idle, busy] = [await joined('w1'), await joined('w2')]
    await connect(idle, 'boot-1')
    await connect(busy, 'boot-2')
    const parent = await placed(busy)
    const child = { placement: {}, placed: null, moveTo: null, parent: { run: parent, child: 'c' } }
    return [await hub.place(child as never), await hub.place({ ...child, parent: null } as never)]
  }

  test('selects the worker of its parent', async () => {
    expect(await choices('same')).toMatchObject([{ name: 'w2' }, { name: 'w1' }])
  })

  test('selects the least loaded worker if runs are spread', async () => {
    expect(await choices('spread')).toMatchObject([{ name: 'w1' }, { name: 'w1' }])
  })
})

describe('a run whose worker is lost', () => {
  const unsaved = { steps: ['a@1#1'], reason: 'the disk is full' }

  async function lost(): Promise<{ run: object; other: Machine }> {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    ;(await connect(machine)).connection.closed()
    await connect(other, 'boot-2')
    clock.advance(10_000)
    await hub.declareLost((await hub.registry.get(machine.id))!, 'test')
    const run = { placement: { worker: 'w1' }, parent: null, placed: { worker: machine.id, epoch: 1 }, moveTo: null }
    return { run: { ...run, unsaved: null, onLoss: null }, other }
  }

  test('is not moved without files that were not saved, until a person says so', async () => {
    const { run, other } = await lost()
    const at = (more: object) => hub.place({ ...run, unsaved, ...more } as never)
    const asks = { lost: { name: 'w1', since: clock.now() - 10_000, mayReturn: true } }
    expect(await at({})).toEqual(asks)
    expect(await at({ onLoss: { option: 'wait', by: 'ada' } })).toEqual(asks)
    expect(await at({ moveTo: { worker: null, isLossy: false } })).toEqual(asks)
    const moved = { worker: other.id, name: 'w2' }
    expect(await at({ onLoss: { option: 'move', by: 'ada' } })).toMatchObject(moved)
    expect(await at({ moveTo: { worker: null, isLossy: true } })).toMatchObject(moved)
    expect(await at({ moveTo: { worker: other.id, isLossy: true } })).toMatchObject(moved)
    expect(await hub.place({ ...run, placement: {} } as never)).toMatchObject(moved)
    expect(await hub.place(run as never)).toMatchObject({ waits: expect.stringContaining('w1 is lost') })
  })

  test('leaves the worker that it is bound to when a person moves it with its losses', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    ;(await connect(machine)).connection.closed()
    await connect(other, 'boot-2')
    const run = await createRun(store, { ...listRun([]), placement: { worker: 'w1' } }, clock.now())
    const at = { worker: machine.id, name: 'w1', epoch: 1, why: 'test' }
    await store.append(runStream(run), 'any', [newEvent('run.placed', at)])
    await hub.placer.move(run, { by: 'ada', isLossy: true })
    const bound = { placement: { worker: 'w1' }, parent: null, placed: at, unsaved, onLoss: null }
    const choice = await hub.place({ ...bound, moveTo: { worker: null, isLossy: true } } as never)
    expect(choice).toMatchObject({ worker: other.id })
  })

  test('cannot wait for a worker that was removed', async () => {
    const { run } = await lost()
    await hub.remove((await hub.registry.find('w1'))!, 'ada')
    expect(await hub.place({ ...run, unsaved } as never)).toMatchObject({ lost: { mayReturn: false } })
  })
})

describe('a worker', () => {
  test('is refused with a key other than the one with which it joined', async () => {
    const machine = await joined('w1')
    const dialog = await connect({ id: machine.id, privatePem: newWorkerKey().privatePem })
    expect(dialog.of('refused')).toMatchObject([{ code: 'E_LOGIN' }])
    expect([dialog.isClosed(), await stateOf(machine)]).toEqual([true, 'joined'])
  })

  test('has the pool and labels of its settings, unless its invitation named them', async () => {
    const [free, bound] = [await joined('w1'), await joined('w2', { pool: 'build', labels: { gpu: 'no' } })]
    const own = { pool: 'mine', labels: { gpu: 'yes', os: 'linux' } }
    for (const machine of [free, bound]) await connect(machine, machine.id, [], own)
    expect(await hub.registry.get(free.id)).toMatchObject({ pool: 'mine', labels: { gpu: 'yes', os: 'linux' } })
    expect(await hub.registry.get(bound.id)).toMatchObject({ pool: 'build', labels: { gpu: 'no', os: 'linux' } })
    await connect(free, free.id)
    expect(await hub.registry.get(free.id)).toMatchObject({ pool: 'default', labels: {} })
  })

  test('is told which of its heartbeats have renewed its lease', async () => {
    const machine = await joined('w1')
    const dialog = await connect(machine)
    expect(dialog.of('welcome')).toMatchObject([{ renews: true }])
    clock.advance(20_000)
    const before = (await store.leaseHolder(`worker/${machine.id}`))!.until
    dialog.connection.message(JSON.stringify({ type: 'beat', steps: 0, sent: 12_345 }))
    await expect.poll(() => dialog.of('beat').map(({ renewed }) => renewed)).toEqual([undefined, 12_345])
    expect((await store.leaseHolder(`worker/${machine.id}`))!.until).toBeGreaterThan(before)
  })

  test('has its lease renewed when it connects to another server', async () => {
    const machine = await joined('w1')
    await connect(machine)
    clock.advance(20_000)
    const before = (await store.leaseHolder(`worker/${machine.id}`))!.until
    await connect(machine)
    expect((await store.leaseHolder(`worker/${machine.id}`))!.until).toBeGreaterThan(before)
  })

  test('is not told that its runs are gone while the store does not answer', async () => {
    const machine = await joined('w1')
    const run = await placed(machine)
    const before = store
    let isAway = true
    const failing = new Proxy(before, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown
        if (key === 'document' && isAway)
          return async (projection: string, id: string) => {
            if (projection !== 'runs') return target.document(projection, id)
            throw new SignalboxError('E_STORE_AWAY', 'the store does not answer')
          }
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    hub = openHub('same', { store: failing, workspaceOf: async () => null })
    const refused = dial()
    hello(refused, machine, 'boot-1', { runs: [run] })
    await expect.poll(() => refused.isClosed()).toBe(true)
    expect(refused.of('wanted')).toEqual([])
    const dialog = await connect(machine)
    const ask = (id: number) =>
      dialog.connection.message(JSON.stringify({ type: 'call', id, method: 'run.events', params: { run } }))
    ask(1)
    await expect.poll(() => dialog.of('answer')).toMatchObject([{ id: 1, error: { code: 'E_STORE_AWAY' } }])
    isAway = false
    ask(2)
    await expect.poll(() => dialog.of('answer')[1]).toMatchObject({ id: 2, result: 'answer to run.events' })
    expect(hub.refusedCalls).toBe(0)
  })

  test('is shown with the offset of its clock if that is wrong', async () => {
    const machine = await joined('w1')
    const slow = (await store.now()) - 600_000
    const dialog = await connect(machine, machine.id, [], { clock: slow })
    expect((await hub.list())[0]?.clockOffsetMs).toBeLessThan(-590_000)
    const clockOfWorker = (await store.now()) + 61_000
    dialog.connection.message(JSON.stringify({ type: 'beat', steps: 0, clock: clockOfWorker }))
    await expect.poll(async () => (await hub.list())[0]?.clockOffsetMs).toBeGreaterThan(60_000)
  })

  test('shows since when it drains, and since when it is ready again', async () => {
    const machine = await joined('w1')
    await connect(machine)
    const times: number[] = []
    for (const isDraining of [true, true, false]) {
      clock.advance(1_000)
      await hub.registry.drain((await hub.registry.get(machine.id))!, isDraining, 'ada')
      times.push((await hub.registry.get(machine.id))!.changedAt)
    }
    expect(times.map(at => at - times[0]!)).toEqual([0, 0, 2_000])
  })

  test('keeps its runs while it is away, unless unsaved work may be lost', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    const dialog = await connect(machine)
    const run = await placed(machine)
    dialog.connection.close('gone')
    clock.advance(31_000)
    await connect(other, 'boot-2')
    await expect(hub.placer.move(run, { by: 'ada' })).rejects.toMatchObject({
      code: 'E_STATE',
      message: expect.stringMatching(/^worker w1 is away since .+ would be lost$/),
    })
    await hub.placer.move(run, { by: 'ada', isLossy: true })
    const asked = (await store.readStream(runStream(run))).filter(({ type }) => type === 'run.move-asked')
    expect(asked).toHaveLength(1)
  })

  test('keeps a run whose last files were not saved, unless they may be lost', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    await connect(machine)
    await connect(other, 'boot-2')
    const run = await placed(machine)
    const note = (type: 'workspace.saved' | 'workspace.unsaved', data: object) =>
      store.append(runStream(run), 'any', [newEvent(type, data as never)])
    await note('workspace.unsaved', { step: 'a@1#1', reason: 'the disk is full' })
    await expect(hub.placer.move(run, { by: 'ada' })).rejects.toMatchObject({
      code: 'E_STATE',
      message: 'files of step a@1#1 were not saved: the disk is full',
    })
    await note('workspace.saved', { head: 'a'.repeat(40), wip: 'b'.repeat(40), blob: 'c'.repeat(64) })
    await hub.placer.move(run, { by: 'ada' })
    await note('workspace.unsaved', { step: 'b@2#1', reason: 'the disk is full' })
    await hub.placer.move(run, { by: 'ada', isLossy: true })
    const asked = (await store.readStream(runStream(run))).filter(({ type }) => type === 'run.move-asked')
    expect(asked.map(({ data }) => data)).toEqual([{ by: 'ada' }, { by: 'ada', isLossy: true }])
  })

  test('accepts no new runs after it drains itself, and is notified when none is left', async () => {
    const machine = await joined('w1')
    const run = await placed(machine)
    const dialog = await connect(machine, 'boot-1', [run], { isDraining: true })
    expect(await hub.registry.get(machine.id)).toMatchObject({ isDraining: true })
    beat(dialog)
    await expect.poll(() => dialog.of('beat')).toHaveLength(1)
    expect(dialog.of('drained')).toEqual([])
    await store.append(runStream(run), 'any', [newEvent('run.cancelled', { by: 'ada', reason: 'test' })])
    await expect
      .poll(() => {
        beat(dialog)
        return dialog.of('drained').length
      })
      .toBeGreaterThan(0)
  })

  test('gets no runs while its disk is full', async () => {
    const machine = await joined('w1')
    const dialog = await connect(machine)
    dialog.connection.message(JSON.stringify({ type: 'beat', steps: 0, isFull: true }))
    await expect.poll(async () => (await hub.list())[0]?.isFull).toBe(true)
    expect(await hub.placer.placeSession({}, null)).toMatchObject({ waits: expect.stringContaining('free disk space') })
  })

  test('is refused when its invitation was used or has expired', async () => {
    const token = await hub.registry.invite({ pool: 'default', labels: {}, validMs: 60_000, by: 'ada' })
    await hub.registry.join(token, { name: 'w1', key: 'k' })
    await expect(hub.registry.join(token, { name: 'w2', key: 'k' })).rejects.toMatchObject({ code: 'E_JOIN' })
    const late = await hub.registry.invite({ pool: 'default', labels: {}, validMs: 60_000, by: 'ada' })
    clock.advance(60_001)
    await expect(hub.registry.join(late, { name: 'w2', key: 'k' })).rejects.toMatchObject({ code: 'E_JOIN' })
  })

  test('is away when its lease has ended and lost much later, when its runs are woken', async () => {
    const machine = await joined('w1')
    const run = await placed(machine)
    const dialog = await connect(machine)
    await expect.poll(() => woken.splice(0)).toEqual([run])
    clock.advance(20_000)
    beat(dialog)
    await hub.sweep()
    dialog.connection.closed()
    clock.advance(29_000)
    await hub.sweep()
    expect(await stateOf(machine)).toBe('ready')
    clock.advance(2_000)
    await hub.sweep()
    expect([await stateOf(machine), woken]).toEqual(['away', []])
    clock.advance(LOST_AFTER_MS)
    await hub.sweep()
    expect([await stateOf(machine), woken]).toEqual(['lost', [run]])
    expect(
      await hub.place({ placement: {}, parent: null, placed: { worker: machine.id, epoch: 1 } } as never),
    ).toHaveProperty('waits')
  })

  test('is not declared lost by a server that has just started', async () => {
    const machine = await joined('w1')
    ;(await connect(machine)).connection.closed()
    clock.advance(2 * LOST_AFTER_MS)
    hub = openHub()
    await hub.sweep()
    expect(await stateOf(machine)).toBe('away')
    clock.advance(31_000)
    await hub.sweep()
    expect(await stateOf(machine)).toBe('lost')
  })

  test('gives up the runs that this server drives when another server declares it lost', async () => {
    const machine = await joined('w1')
    const [lost, other] = [(await hub.registry.get(machine.id))!, hub]
    hub = openHub()
    hub.start()
    hub.changed({ id: 'run_1', term: 1, worker: machine.id, wanted: [] } as unknown as PlacedSteps)
    await Promise.all([other.declareLost(lost, 'test'), other.declareLost(lost, 'test')])
    await expect.poll(() => woken).toEqual(['run_1'])
    const events = await store.readStream(`worker/${machine.id}`)
    expect(events.filter(({ type }) => type === 'worker.lost')).toHaveLength(1)
    other.close()
  })

  test('has its runs driven by another server if only that one reaches it', async () => {
    const [machine, left] = [await joined('w1'), [] as string[]]
    const dialog = await connect(machine)
    const servers = { self: 'a', addresses: () => [], onChange: () => undefined }
    hub = openHub('same', { servers, handOver: run => void left.push(run) })
    hub.changed({ id: 'run_1', term: 1, worker: machine.id, wanted: [] } as unknown as PlacedSteps)
    const sweeps = async () => {
      for (let n = 0; n < 2; n++) await hub.sweep()
    }
    await sweeps()
    expect([left, hub.isAtOtherServer(machine.id)]).toEqual([['run_1'], true])
    // No server reaches it: this one may as well keep them.
    clock.advance(10_000)
    await sweeps()
    expect(hub.isAtOtherServer(machine.id)).toBe(false)
    beat(dialog)
    await expect.poll(async () => (await store.leaseHolder(`worker/${machine.id}`))!.until - clock.now()).toBe(30_000)
    await sweeps()
    expect(hub.isAtOtherServer(machine.id)).toBe(true)
    await connect(machine)
    expect(hub.isAtOtherServer(machine.id)).toBe(false)
  })

  test('returns at once after it was killed, and after the server was killed', async () => {
    const machine = await joined('w1')
    ;(await connect(machine, 'boot-1')).connection.closed()
    const again = await connect(machine, 'boot-2')
    expect(again.of('welcome')).toHaveLength(1)
    hub = openHub()
    expect((await connect(machine, 'boot-2')).of('welcome')).toHaveLength(1)
  })

  test('is refused while another machine with its key is connected', async () => {
    const machine = await joined('w1')
    const first = await connect(machine, 'boot-1')
    const clone = await connect(machine, 'boot-2')
    expect(clone.of('refused')).toMatchObject([{ code: 'E_WORKER_TWICE' }])
    expect(first.isClosed()).toBe(false)
  })

  test('drops runs that ended or moved, and keeps those that wait for a driver', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    const [kept, moved] = [await placed(machine), await placed(other)]
    const dialog = await connect(machine, 'boot-1', [kept, moved, 'run_unknown'])
    await expect.poll(() => dialog.of('wanted').length).toBe(2)
    expect(dialog.of('wanted').map(({ run, term, steps }) => [run, term, steps])).toEqual([
      [moved, null, []],
      ['run_unknown', null, []],
    ])
  })

  test('stops its steps when the run moves to another worker', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    const [first, second] = [await connect(machine), await connect(other, 'boot-9')]
    const steps = (worker: string) => ({ id: 'run_1', term: 1, worker, wanted: [] }) as unknown as PlacedSteps
    hub.changed(steps(machine.id))
    hub.changed(steps(other.id))
    expect(first.of('wanted').map(({ term }) => term)).toEqual([1, null])
    expect(second.of('wanted').map(({ term }) => term)).toEqual([1])
  })

  test('may request only its own runs', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    const [own, foreign] = [await placed(machine), await placed(other)]
    const dialog = await connect(machine)
    for (const [id, run] of [own, foreign].entries())
      dialog.connection.message(JSON.stringify({ type: 'call', id, method: 'run.events', params: { run } }))
    await expect.poll(() => dialog.of('answer').length).toBe(2)
    expect(dialog.of('answer').sort((a, b) => a.id - b.id)).toMatchObject([
      { result: 'answer to run.events' },
      { error: { code: 'E_ROLE' } },
    ])
  })

  test('is not connected if its connection breaks during the proof', async () => {
    const [machine, other] = [await joined('w1'), await joined('w2')]
    const dialog = dial()
    hello(dialog, machine, 'boot-1')
    dialog.connection.closed()
    // It started later, and takes as long.
    await connect(other, 'boot-2')
    expect(hub.isConnected(machine.id)).toBe(false)
  })

  test('cannot send any message before it has proven its key', async () => {
    const dialog = dial()
    beat(dialog)
    await expect.poll(() => dialog.isClosed()).toBe(true)
    expect(dialog.of('refused')).toMatchObject([{ code: 'E_LOGIN' }])
  })

  test('cannot be removed while it has open runs', async () => {
    const machine = await joined('w1')
    await placed(machine)
    const record = (await hub.registry.get(machine.id))!
    const refused = { code: 'E_STATE', message: 'worker w1 has 1 open run' }
    await expect(hub.remove(record, 'ada')).rejects.toMatchObject(refused)
    await hub.declareLost(record, 'test')
    const lost = (await hub.registry.get(machine.id))!
    await expect(hub.remove(lost, 'ada')).rejects.toMatchObject({
      ...refused,
      next: expect.stringContaining('signalbox cancel'),
    })
  })
})

describe('a worker compared with the log', () => {
  const NOTHING = { sessions: [], steps: [], recordings: [], workspaces: [] }

  /** Answers each time that it is asked what it has; time passes as the comparison waits. */
  async function compare(dialog: Dialog, answers: readonly object[]): Promise<unknown> {
    const comparing = hub.compare()
    const asked = dialog.of('call').length
    for (const [index, result] of answers.entries()) {
      await expect
        .poll(() => {
          clock.advance(500)
          return dialog.of('call').length
        })
        .toBeGreaterThan(asked + index)
      const { id, method } = dialog.of('call').at(-1)!
      expect(method).toBe('worker.inventory')
      dialog.connection.message(JSON.stringify({ type: 'answer', id, result }))
    }
    return comparing
  }

  test('has the differences that last, in what it has and in what it should perform', async () => {
    hub = openHub('same', { workflows: [listWorkflow] as never })
    const machine = await joined('w1')
    const dialog = await connect(machine)
    const run = await placed(machine)
    await store.append(runStream(run), 'any', [
      newEvent('run.started', { host: 'daemon', epoch: 1 }),
      newEvent('step.started', { step: 'a', effect: 'work', input: null }),
      newEvent('step.started', { step: 'b', effect: 'graph.child_look', input: null }),
    ])
    const has = { ...NOTHING, sessions: ['ses_1', 'ses_2'] }
    expect(await compare(dialog, [has, { ...has, sessions: ['ses_1'] }])).toEqual([
      {
        worker: 'w1',
        notCompared: null,
        sessions: 1,
        steps: 0,
        // The server performs the other step itself.
        differences: [
          { what: 'session', id: 'ses_1', is: 'unknown' },
          { what: 'step', id: `${run}/a`, is: 'missing' },
        ],
      },
    ])
    const { version } = (await store.readStream(runStream(run))).find(({ data }) => data.step === 'a')!
    const steps = [{ run, step: 'a', key: `a/${version}` }]
    expect(await compare(dialog, [{ ...NOTHING, steps }])).toMatchObject([{ steps: 1, differences: [] }])
  })

  test('is not compared if it is away, or answers nothing that this version knows', async () => {
    const machine = await joined('w1')
    const dialog = await connect(machine)
    expect(await compare(dialog, [{ sessions: ['\u001b[2J'] }])).toMatchObject([
      { notCompared: 'its program is of another version', differences: [] },
    ])
    dialog.connection.closed()
    expect(await hub.compare()).toMatchObject([{ notCompared: expect.stringContaining('w1 is away since') }])
  })
})
