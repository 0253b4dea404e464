import { describe, expect, test } from 'vitest'
import { newEvent } from '../../events/index.js'
import type { RunEngine, TurnResult } from '../run-engine.js'
import { runStream } from '../run-journal.js'
import type { EngineFixture } from './conformance.js'

/** Which runs get turns, and when: the turns are the test's. */
export function describeTurns(fixture: () => EngineFixture): void {
  describe('turns of an engine', () => {
    /** The turns so far, and what the next one of a run does. */
    const begin = async () => {
      const engine = await fixture().engine()
      const turns: string[] = []
      const does = new Map<string, () => Promise<TurnResult>>()
      const start = () =>
        engine.start(async run => {
          turns.push(run)
          return (await does.get(run)?.()) ?? end(run)
        })
      const of = (run: string) => turns.filter(id => id === run).length
      const wait = (run: string, wakeAt: number | null) =>
        does.set(run, async () => {
          does.delete(run)
          const waiting = newEvent('run.waiting', { gates: [], wakeAt })
          const events = [newEvent('run.started', { host: 'h', epoch: 1 }), waiting]
          await fixture().store.append(runStream(run), 'any', events)
          return { againAt: wakeAt }
        })
      return { engine, turns, does, start, of, wait }
    }
    const end = async (run: string): Promise<TurnResult> => {
      await fixture().store.append(runStream(run), 'any', [newEvent('run.cancelled', { reason: 'done' })])
      return { againAt: null }
    }
    const failing = async (engine: RunEngine) => (await engine.status()).failing.map(({ run }) => run)

    test('an existing run and a run that is created later each get a turn', async () => {
      const { turns, start } = await begin()
      const first = await fixture().create()
      await start()
      const second = await fixture().create()
      await fixture().until(() => [...turns].sort(), [first, second].sort())
    })

    test('a run gets its next turn at the time that its last one requested', async () => {
      const { engine, turns, start, of, wait } = await begin()
      const run = await fixture().create()
      const at = fixture().now() + fixture().site.timerMs
      wait(run, at)
      await start()
      await expect.poll(async () => [of(run), (await engine.status()).turns]).toEqual([1, 0])
      let second = 0
      await fixture().until(() => {
        if (turns.length > 1 && second === 0) second = fixture().now()
        return of(run)
      }, 2)
      expect(second).toBeGreaterThanOrEqual(at)
    })

    test('a run that waits gets a turn when its gate is answered', async () => {
      const { engine, start, of, wait } = await begin()
      const run = await fixture().create()
      wait(run, null)
      await start()
      await fixture().until(async () => [of(run), (await engine.status()).turns], [1, 0])
      const data = { gate: 'g', approval: 'apr_1', option: 'yes', by: 'ada' }
      await fixture().store.append(runStream(run), 'any', [newEvent('gate.answered', data)])
      await fixture().until(() => of(run), 2)
    })

    test('a turn that fails is repeated later, and does not delay other runs', async () => {
      const { engine, does, start, of } = await begin()
      const broken = await fixture().create()
      does.set(broken, () => Promise.reject(new Error('the disk is full')))
      await start()
      await expect.poll(() => failing(engine)).toEqual([broken])
      const other = await fixture().create()
      await fixture().until(() => of(other), 1)
      does.delete(broken)
      await fixture().until(() => of(broken) >= 2, true)
      await fixture().until(() => failing(engine), [])
    })

    test('a turn that hangs delays no other run and is not started twice', async () => {
      const { does, start, of } = await begin()
      const hanging = await fixture().create()
      does.set(hanging, () => new Promise(() => undefined))
      await start()
      await fixture().until(() => of(hanging), 1)
      for (let n = 0; n < 3; n++) {
        const other = await fixture().create()
        await fixture().until(() => of(other), 1)
      }
      expect(of(hanging)).toBe(1)
    })

    test('a rebuild calls every open run', async () => {
      const { engine, does, start, of } = await begin()
      const run = await fixture().create()
      does.set(run, () => Promise.reject(new Error('not yet')))
      await start()
      await expect.poll(() => failing(engine)).toEqual([run])
      does.delete(run)
      await fixture().until(() => engine.rebuild().catch(() => 0), 1)
      await fixture().until(() => of(run) >= 2, true)
    })
  })
}
