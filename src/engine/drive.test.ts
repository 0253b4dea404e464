import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { validateEvent } from '../events/index.js'
import type { EventStore, Lease } from '../store/index.js'
import { openTestStore, storeSettled } from '../store/testing/open-test-store.js'
import { createRun, getRun, recordCancel, recordPause, recordResume } from './control.js'
import { type DriveEnd, Driver } from './drive.js'
import { readRun, runStream } from './run-journal.js'
import { runsProjection } from './runs-projection.js'
import { storeKilledAt } from './testing/killable-store.js'
import { type ListItem, listRun, listWorkflow } from './testing/list-workflow.js'
import type { GateLedger, Performer, Recovery, StepCall, StepEnd } from './workflow.js'

let directory: string
let store: EventStore
let clock: SimulatedClock
const open: EventStore[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-drive-'))
  clock = new SimulatedClock(1_000_000)
  store = await connect()
})

afterEach(async () => {
  for (const connected of open.splice(0)) await connected.close()
  rmSync(directory, { recursive: true })
})

async function connect(): Promise<EventStore> {
  const connected = await openTestStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [runsProjection, approvalsProjection] as never,
    validate: validateEvent,
    onError: error => {
      throw error
    },
  })
  open.push(connected)
  return connected
}

/** A performer whose steps do what the test says, and that counts calls. */
class Workers implements Performer {
  readonly started: string[] = []
  readonly stopped: string[] = []
  /** What each step does; the default is to end with `ok`. */
  does: Record<string, (call: StepCall) => Promise<StepEnd>> = {}
  recovers: 'success' | 'nothing' = 'nothing'

  async run(call: StepCall): Promise<StepEnd> {
    this.started.push(call.step)
    const { name } = call.input as { name: string }
    const work = this.does[name] ?? (async () => ({ status: 'ok' as const }))
    return work(call)
  }

  async recover(): Promise<Recovery> {
    return { verdict: this.recovers, evidence: [] }
  }

  /** Runs until it is stopped. */
  forever = (call: StepCall): Promise<StepEnd> =>
    new Promise(resolve => {
      call.signal.addEventListener('abort', () => {
        this.stopped.push(call.step)
        resolve({ status: 'failed', reason: 'stopped' })
      })
    })
}

async function lease(id: string, owner = 'host', at: EventStore = store): Promise<Lease> {
  const taken = await at.acquireLease(runStream(id), owner, { ttlMs: 10_000, isGone: () => true })
  if (!taken.isAcquired) throw new Error('held')
  return taken
}

async function driver(
  id: string,
  workers: Performer,
  options: { park?: boolean; at?: EventStore; owner?: string; gates?: GateLedger } = {},
) {
  return new Driver({
    store: options.at ?? store,
    run: id,
    workflow: listWorkflow,
    performers: { work: workers },
    lease: await lease(id, options.owner, options.at),
    clock,
    random: () => 0.5,
    park: options.park ?? false,
    ...(options.gates && { gates: options.gates }),
    onError: () => undefined,
  })
}

const create = (items: ListItem[]) => createRun(store, listRun(items), clock.now())
const steps = (...names: string[]): ListItem[] => names.map(name => ({ do: 'step', name }))

async function types(id: string): Promise<string[]> {
  return (await store.readStream(runStream(id))).map(event => event.type)
}

describe('a run', () => {
  test('runs its steps in order, one transaction per turn', async () => {
    const id = await create(steps('a', 'b', 'c'))
    const workers = new Workers()
    const positions = async () => (await store.readStream(runStream(id))).length
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'ended', status: 'completed' })
    expect(workers.started).toEqual(['a@1#1', 'b@2#1', 'c@3#1'])
    expect(await types(id)).toEqual([
      'run.created',
      'run.started',
      'step.started',
      'step.ended',
      'step.started',
      'step.ended',
      'step.started',
      'step.ended',
      'run.completed',
    ])
    expect(await positions()).toBe(9)
    expect(await getRun(store, id)).toMatchObject({ status: 'completed', steps: 3, step: 'c@3#1' })
  })

  test('does not start a step again that ends while another event of the step is being written', async () => {
    const id = await create(steps('a'))
    const workers = new Workers()
    let end: () => void = () => undefined
    const isOver = new Promise<void>(resolve => {
      end = resolve
    })
    workers.does.a = async call => {
      call.notice('info', 'about to end')
      await storeSettled()
      end()
      return { status: 'ok' }
    }
    const slow = new Proxy(store, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown
        if (key !== 'appendAll') return typeof value === 'function' ? value.bind(target) : value
        return async (...args: Parameters<EventStore['appendAll']>) => {
          if (args[0].some(({ events }) => events.some(({ type }) => type === 'run.notice'))) {
            await isOver
            await storeSettled()
          }
          return target.appendAll(...args)
        }
      },
    })
    expect(await (await driver(id, workers, { at: slow })).drive()).toEqual({ state: 'ended', status: 'completed' })
    expect(workers.started).toEqual(['a@1#1'])
  })

  test('announces a step before it starts it', async () => {
    const id = await create(steps('a'))
    const workers = new Workers()
    workers.does.a = async () => {
      expect(await types(id)).toContain('step.started')
      return { status: 'ok' }
    }
    expect(await (await driver(id, workers)).drive()).toMatchObject({ status: 'completed' })
  })

  test('fails when a step fails, also when the performer throws', async () => {
    const id = await create([{ do: 'step', name: 'a', retries: 2 }])
    const workers = new Workers()
    workers.does.a = async () => {
      throw new Error('no luck')
    }
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'ended', status: 'failed' })
    expect(workers.started).toEqual(['a@1#1', 'a@1#2', 'a@1#3'])
    expect((await getRun(store, id)).reason).toMatch(/no luck/)
  })

  test('does not fail when the store was lost during a step: its end is unknown', async () => {
    const id = await create(steps('a'))
    const workers = new Workers()
    workers.does.a = async ({ step }) => {
      if (step === 'a@1#1') throw new SignalboxError('E_STORE_AWAY', 'the store does not answer')
      return { status: 'ok' }
    }
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'ended', status: 'completed' })
    expect(workers.started).toEqual(['a@1#1', 'a@1#2'])
    expect(await types(id)).toContain('step.lost')
  })

  test('does not take a step for not done when the store was lost while it was examined', async () => {
    const id = await create(steps('a'))
    const workers = new Workers()
    let examined = 0
    workers.recover = async () => {
      if (++examined === 1) throw new SignalboxError('E_STORE_AWAY', 'the store does not answer')
      return { verdict: 'success', evidence: [] }
    }
    workers.does.a = async () => {
      throw new SignalboxError('E_STORE_AWAY', 'the store does not answer')
    }
    const first = await driver(id, workers)
    const driving = first.drive()
    await expect.poll(() => examined).toBe(1)
    first.release()
    expect(await driving).toEqual({ state: 'released' })
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'ended', status: 'completed' })
    expect(workers.started).toEqual(['a@1#1'])
  })

  test('runs several steps at once, and stops those it no longer needs', async () => {
    const id = await create([{ do: 'all', names: ['quick', 'slow', 'slower'], enough: 1 }, ...steps('after')])
    const workers = new Workers()
    workers.does = { slow: workers.forever, slower: workers.forever }
    expect(await (await driver(id, workers)).drive()).toMatchObject({ status: 'completed' })
    expect(workers.stopped).toEqual(['slow@1#1', 'slower@1#1'])
    const ended = (await store.readStream(runStream(id))).filter(event => event.type === 'step.ended')
    expect(Object.fromEntries(ended.map(({ data }) => [data.step, data.status]))).toMatchObject({
      'quick@1#1': 'ok',
      'slow@1#1': 'cancelled',
      'slower@1#1': 'cancelled',
    })
  })

  test('waits for a timer, also in another process', async () => {
    const id = await create([{ do: 'wait', name: 'pause', ms: 60_000 }, ...steps('a')])
    const workers = new Workers()
    expect(await (await driver(id, workers, { park: true })).drive()).toEqual({ state: 'waiting' })
    expect(await getRun(store, id)).toMatchObject({ status: 'waiting', wakeAt: 1_060_000 })
    const second = (await driver(id, workers)).drive()
    await storeSettled()
    clock.advance(59_999)
    await storeSettled()
    expect(workers.started).toEqual([])
    clock.advance(1)
    expect(await second).toMatchObject({ status: 'completed' })
    expect(workers.started).toEqual(['a@2#1'])
  })

  test('fires a timer that became due while the run was parked, and parks again for the next one', async () => {
    const id = await create([
      { do: 'wait', name: 'one', ms: 60_000 },
      ...steps('a'),
      { do: 'wait', name: 'two', ms: 60_000 },
    ])
    const workers = new Workers()
    expect(await (await driver(id, workers, { park: true })).drive()).toEqual({ state: 'waiting' })
    clock.advance(60_000)
    const second = (await driver(id, workers, { park: true })).drive()
    await storeSettled()
    clock.advance(1)
    expect(await second).toEqual({ state: 'waiting' })
    expect(workers.started).toEqual(['a@2#1'])
  })

  test('asks through the ledger, in the same transaction as gate.opened, and continues after the answer', async () => {
    const id = await create([{ do: 'ask', name: 'sure' }, ...steps('a')])
    const workers = new Workers()
    expect(await (await driver(id, workers, { park: true })).drive()).toEqual({ state: 'waiting' })
    const [approval] = await store.documents<{ id: string; state: string }>(approvalsProjection.name)
    expect(approval!.state.state).toBe('pending')
    const { gates } = await getRun(store, id)
    expect(gates).toEqual({ sure: approval!.state.id })
    const going = await driver(id, workers)
    const done = going.drive()
    await storeSettled()
    const answer = { gate: 'sure', approval: gates.sure!, option: 'yes', by: 'someone' }
    const { version } = await store.append(runStream(id), 'any', [{ type: 'gate.answered', data: answer }])
    going.wake(version)
    expect(await done).toMatchObject({ status: 'completed' })
  })

  describe('a run whose gate was answered by an unproven process', () => {
    const gates: GateLedger = {
      stored: request => request,
      answer: async () => false,
      grant: async () => false,
      isProven: async (_, { data }) => data.by === 'person',
    }
    const answered = (approval: string, by: string) => [
      { type: 'gate.answered', data: { gate: 'sure', approval, option: 'yes', by } },
    ]

    test('asks again although the daemon noted since that no process drives the run', async () => {
      const id = await create([{ do: 'ask', name: 'sure' }, ...steps('a')])
      const workers = new Workers()
      await (await driver(id, workers, { park: true, gates })).drive()
      const { gates: before } = await getRun(store, id)
      await store.append(runStream(id), 'any', answered(before.sure!, 'agent'))
      await store.append(runStream(id), 'any', [{ type: 'run.undriven', data: {} }])
      await (await driver(id, workers, { park: true, gates })).drive()
      expect(workers.started).toEqual([])
      expect((await getRun(store, id)).gates.sure).not.toBe(before.sure)
    })

    test.each([
      ['while it waits without a process', false],
      ['while it is driven', true],
    ])('asks again and continues with the answer of a person: %s', async (_, isDriven) => {
      const id = await create([{ do: 'ask', name: 'sure' }, ...steps('a')])
      const workers = new Workers()
      if (!isDriven) await (await driver(id, workers, { park: true, gates })).drive()
      const going = await driver(id, workers, { gates })
      let done = isDriven ? going.drive() : null
      await storeSettled()
      const { gates: before } = await getRun(store, id)
      const forged = await store.append(runStream(id), 'any', answered(before.sure!, 'agent'))
      if (isDriven) going.wake(forged.version)
      done ??= going.drive()
      await storeSettled()
      const { gates: after, status } = await getRun(store, id)
      expect(workers.started).toEqual([])
      expect(after.sure).not.toBe(before.sure)
      expect(status).toBe('waiting')
      expect((await readRun(store, id, listWorkflow)).run.gates.get('sure')?.approval).toBe(after.sure)
      const proven = await store.append(runStream(id), 'any', answered(after.sure!, 'person'))
      going.wake(proven.version)
      expect(await done).toMatchObject({ status: 'completed' })
      expect(workers.started).toHaveLength(1)
      expect(await types(id)).toContain('gate.refused')
    })
  })

  test('expires a gate that is not answered in time, also in the ledger', async () => {
    const id = await create([{ do: 'ask', name: 'sure', timeoutMs: 1_000 }])
    const done = (await driver(id, new Workers())).drive()
    await storeSettled()
    clock.advance(1_000)
    expect(await done).toMatchObject({ status: 'completed' })
    const [approval] = await store.documents<{ state: string }>(approvalsProjection.name)
    expect(approval!.state.state).toBe('expired')
  })

  test('accepts an answer that was written before the gate expired, when both happen at once', async () => {
    const id = await create([{ do: 'ask', name: 'sure', timeoutMs: 1_000 }])
    const going = await driver(id, new Workers())
    const done = going.drive()
    await storeSettled()
    const { gates } = await getRun(store, id)
    const answer = { gate: 'sure', approval: gates.sure!, option: 'yes', by: 'someone' }
    // Written, but not yet noticed when the timer fires.
    await store.append(runStream(id), 'any', [{ type: 'gate.answered', data: answer }])
    clock.advance(1_000)
    expect(await done).toMatchObject({ status: 'completed' })
    expect(await types(id)).not.toContain('gate.expired')
  })

  test('starts child runs, and receives their outcomes', async () => {
    const id = await create([{ do: 'run', name: 'child', items: steps('inner') }, ...steps('after')])
    const workers = new Workers()
    const parent = await driver(id, workers)
    const done = parent.drive()
    await storeSettled()
    const child = [...parent.state!.children.values()][0]!
    expect(await (await driver(child, workers)).drive()).toMatchObject({ status: 'completed' })
    parent.wake(Number.POSITIVE_INFINITY)
    expect(await done).toMatchObject({ status: 'completed' })
    expect(workers.started).toEqual(['inner@1#1', 'after@2#1'])
  })
})

describe('the control of a run by a person', () => {
  test('cancels a run: its steps stop, its gates close, and it stays cancelled', async () => {
    const id = await create([...steps('a'), { do: 'ask', name: 'sure' }])
    const workers = new Workers()
    workers.does.a = workers.forever
    const going = await driver(id, workers)
    const done = going.drive()
    await storeSettled()
    await recordCancel(store, id, { by: 'someone', reason: 'enough' })
    going.wake(Number.POSITIVE_INFINITY)
    expect(await done).toEqual({ state: 'ended', status: 'cancelled' })
    expect(workers.stopped).toEqual(['a@1#1'])
    await expect(recordCancel(store, id, { by: 'other', reason: 'again' })).rejects.toMatchObject({ code: 'E_STATE' })
    await expect(recordResume(store, id, { by: 'other' })).rejects.toMatchObject({ code: 'E_STATE' })
  })

  test('pauses and resumes a run: interrupted steps do not count as ended', async () => {
    const id = await create(steps('a', 'b'))
    const workers = new Workers()
    workers.does.a = workers.forever
    const going = await driver(id, workers)
    const done = going.drive()
    await storeSettled()
    await recordPause(store, id, { by: 'someone', reason: 'sigint' })
    going.wake(Number.POSITIVE_INFINITY)
    expect(await done).toEqual({ state: 'paused' })
    expect(workers.stopped).toEqual(['a@1#1'])
    expect(await types(id)).not.toContain('step.ended')
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'paused' })
    await recordResume(store, id, { by: 'someone' })
    workers.does = {}
    expect(await (await driver(id, workers)).drive()).toMatchObject({ status: 'completed' })
    expect(workers.started).toEqual(['a@1#1', 'a@1#2', 'b@2#1'])
  })

  test('sets limits: a run that exceeds one pauses, also in the middle of a step', async () => {
    const id = await createRun(store, { ...listRun(steps('a', 'b')), limits: { tokens: 100 } }, clock.now())
    const workers = new Workers()
    workers.does.a = async () => ({ status: 'ok', usage: { input: 50, output: 35 } })
    workers.does.b = call => {
      call.spent({ input: 10, output: 5 })
      return workers.forever(call)
    }
    expect(await (await driver(id, workers)).drive()).toEqual({ state: 'paused' })
    expect(workers.stopped).toEqual(['b@2#1'])
    expect(await types(id)).toEqual(expect.arrayContaining(['budget.warned', 'budget.exceeded', 'run.paused']))
    expect((await getRun(store, id)).reason).toBe('budget')
  })
})

describe('two processes that drive the same run', () => {
  test('fence the first one, which stops its step and writes nothing more', async () => {
    const id = await create(steps('a', 'b'))
    const [one, two] = [new Workers(), new Workers()]
    one.does.a = one.forever
    two.recovers = 'nothing'
    const first = await driver(id, one, { owner: 'one' })
    const firstDone = first.drive()
    await storeSettled()
    const other = await connect()
    const second = (await driver(id, two, { owner: 'two', at: other })).drive()
    expect(await second).toMatchObject({ status: 'completed' })
    first.wake(Number.POSITIVE_INFINITY)
    one.does.a = async () => ({ status: 'ok' })
    const end: DriveEnd = await firstDone
    expect(['fenced', 'ended']).toContain(end.state)
    expect(one.stopped).toEqual(['a@1#1'])
    expect(two.started).toEqual(['a@1#2', 'b@2#1'])
  })
})

test('the second report of a step that has ended changes nothing, including its usage', async () => {
  const id = await create(steps('a', 'b'))
  const workers = new Workers()
  workers.does.a = async () => ({ status: 'ok', usage: { input: 5, output: 1 } })
  await (await driver(id, workers)).drive()
  const again = { step: 'a@1#1', status: 'ok', result: null, usage: { input: 5, output: 1 } }
  await store.append(runStream(id), 'any', [{ type: 'step.ended', data: again }])
  const { run } = await readRun(store, id, listWorkflow)
  expect(run.usage).toMatchObject({ input: 5, output: 1 })
})

describe('a crash of the engine', () => {
  const items: ListItem[] = [
    ...steps('a', 'b'),
    { do: 'all', names: ['c', 'd'] },
    { do: 'step', name: 'e', retries: 1 },
    ...steps('f'),
  ]

  test.each(
    Array.from({ length: 9 }, (_, n) => [n + 1, 'before' as const]).concat(
      Array.from({ length: 9 }, (_, n) => [n + 1, 'after' as const]) as never,
    ) as [number, 'before' | 'after'][],
  )('at append %i, %s it is written, leads to the same end, and no ended step runs again', async (at, when) => {
    const id = await create(items)
    const workers = new Workers()
    workers.recovers = 'success'
    let failures = 1
    workers.does.e = async () => ({ status: failures-- > 0 ? 'failed' : 'ok' })
    const first = new Driver({
      store: storeKilledAt(store, at, when),
      run: id,
      workflow: listWorkflow,
      performers: { work: workers },
      lease: await lease(id),
      clock,
      random: () => 0.5,
      park: false,
      onError: () => undefined,
    })
    const died = await first.drive().then(
      () => false,
      () => true,
    )
    const endedBefore = (await store.readStream(runStream(id)))
      .filter(event => event.type === 'step.ended')
      .map(event => event.data.step)
    const startedBefore = workers.started.length
    expect(await (await driver(id, workers)).drive()).toMatchObject({ state: 'ended', status: 'completed' })
    expect(died || startedBefore === 7).toBe(true)
    for (const step of workers.started.slice(startedBefore)) expect(endedBefore).not.toContain(step)
    const events = await store.readStream(runStream(id))
    const ended = events.filter(event => event.type === 'step.ended').map(event => event.data.step)
    expect(new Set(ended).size).toBe(ended.length)
    const { run } = await readRun(store, id, listWorkflow)
    expect(run.steps.size).toBe(0)
  })
})
