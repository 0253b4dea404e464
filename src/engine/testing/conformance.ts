import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SimulatedClock } from '../../clock/index.js'
import { newEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { createRun } from '../control.js'
import type { RunEngine, TurnResult } from '../run-engine.js'
import { runStream } from '../run-journal.js'
import { listRun } from './list-workflow.js'

export interface EngineSite {
  store: EventStore
  clock: SimulatedClock
  engine: RunEngine
  close(): Promise<void>
}

/** The contract of every `RunEngine`: it calls, and may call twice; it never forgets. */
export function describeRunEngine(open: () => Promise<EngineSite>): void {
  let site: EngineSite
  /** The turns so far, and what the next one of a run does. */
  const turns: string[] = []
  const does = new Map<string, () => Promise<TurnResult>>()

  beforeEach(async () => {
    site = await open()
    turns.length = 0
    does.clear()
  })
  afterEach(async () => {
    await site.engine.close()
    await site.close()
  })

  const create = () => createRun(site.store, listRun([{ do: 'step', name: 'a' }]), site.clock.now())
  const start = () =>
    site.engine.start(async run => {
      turns.push(run)
      return (await does.get(run)?.()) ?? end(run)
    })
  const end = async (run: string): Promise<TurnResult> => {
    await site.store.append(runStream(run), 'any', [newEvent('run.cancelled', { reason: 'done' })])
    return { againAt: null }
  }
  const wait = (run: string, wakeAt: number | null) => async (): Promise<TurnResult> => {
    does.delete(run)
    const events = [newEvent('run.started', { host: 'h', epoch: 1 }), newEvent('run.waiting', { gates: [], wakeAt })]
    await site.store.append(runStream(run), 'any', events)
    return { againAt: wakeAt }
  }

  test('a run that exists and one that is created later each get a turn', async () => {
    const first = await create()
    await start()
    const second = await create()
    await expect.poll(() => [...turns].sort()).toEqual([first, second].sort())
  })

  test('a run gets its next turn at the time that its last one named', async () => {
    const run = await create()
    does.set(run, wait(run, site.clock.now() + 60_000))
    await start()
    await expect.poll(() => turns.length).toBe(1)
    await expect.poll(async () => (await site.engine.status()).turns).toBe(0)
    await expect
      .poll(() => {
        site.clock.advance(5_000)
        return turns.length
      })
      .toBe(2)
    expect(site.clock.now()).toBeGreaterThanOrEqual(1_060_000)
  })

  test('a run that waits gets a turn when its gate is answered', async () => {
    const run = await create()
    does.set(run, wait(run, null))
    await start()
    await expect.poll(async () => [turns.length, (await site.engine.status()).turns]).toEqual([1, 0])
    const data = { gate: 'g', approval: 'apr_1', option: 'yes', by: 'ada' }
    await site.store.append(runStream(run), 'any', [newEvent('gate.answered', data)])
    await expect.poll(() => turns.length).toBe(2)
  })

  test('a turn that fails is tried again later, and does not hold up other runs', async () => {
    const broken = await create()
    does.set(broken, () => Promise.reject(new Error('the disk is full')))
    await start()
    await expect.poll(async () => (await site.engine.status()).failing.map(({ run }) => run)).toEqual([broken])
    const other = await create()
    await expect.poll(() => turns.filter(run => run === other).length).toBe(1)
    does.delete(broken)
    await expect
      .poll(() => {
        site.clock.advance(1_000)
        return turns.filter(run => run === broken).length
      })
      .toBe(2)
    await expect.poll(async () => (await site.engine.status()).failing).toEqual([])
  })

  test('a rebuild looks at every open run', async () => {
    const run = await create()
    does.set(run, () => Promise.reject(new Error('not yet')))
    await start()
    await expect.poll(async () => (await site.engine.status()).failing.length).toBe(1)
    does.delete(run)
    expect(await site.engine.rebuild()).toBe(1)
    await expect.poll(() => turns.length).toBe(2)
  })
}
