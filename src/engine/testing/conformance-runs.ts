import { describe, expect, test } from 'vitest'
import { childrenOf, getRun, recordCancel, recordPause, recordResume } from '../control.js'
import { runStream } from '../run-journal.js'
import type { EngineFixture } from './conformance.js'
import type { ListItem } from './list-workflow.js'
import { TestPerformer } from './test-performer.js'

const steps = (...names: string[]): ListItem[] => names.map(name => ({ do: 'step', name }))

/** Whole runs: what people and workflows do to them arrives, whichever engine wakes them. */
export function describeRuns(fixture: () => EngineFixture): void {
  describe('runs of an engine', () => {
    const done = (run: string) =>
      fixture()
        .performer.done.filter(work => work.startsWith(run))
        .map(work => work.slice(run.length + 1))
    const isDone = (run: string) => fixture().ended(run)

    test('a gate frees the process, and its answer continues the run', async () => {
      const { host } = await fixture().host()
      const run = await fixture().create([...steps('a'), { do: 'ask', name: 'sure' }, ...steps('b')])
      await fixture().until(() => fixture().status(run), 'waiting')
      await fixture().until(() => host.isDriving(run), false)
      await fixture().answer(run, 'sure')
      await isDone(run)
      expect(done(run)).toEqual(['a@1', 'b@3'])
    })

    test('timers fire once each, and none early', async () => {
      await fixture().host()
      const { timerMs } = fixture().site
      const items: ListItem[] = [{ do: 'wait', name: 'one', ms: timerMs }, ...steps('a')]
      const runs = await Promise.all(Array.from({ length: 12 }, () => fixture().create(items)))
      for (const run of runs) await isDone(run)
      for (const run of runs) {
        const events = await fixture().store.readStream(runStream(run))
        const set = events.filter(({ type }) => type === 'timer.set')
        const fired = events.filter(({ type }) => type === 'timer.fired')
        expect([set.length, fired.length]).toEqual([1, 1])
        expect(fired[0]!.at - set[0]!.at).toBeGreaterThanOrEqual(timerMs)
        expect(done(run)).toEqual(['a@2'])
      }
    })

    test('a parent continues when its child has ended', async () => {
      await fixture().host()
      const child: ListItem = { do: 'run', name: 'child', items: steps('inner') }
      const run = await fixture().create([child, ...steps('after')])
      await isDone(run)
      const [inner] = await childrenOf(fixture().store, run)
      expect([done(inner!.id), done(run)]).toEqual([['inner@1'], ['after@2']])
    })

    test('a cancelled run stops its step and its parked children', async () => {
      await fixture().host()
      const { performer, store } = fixture()
      performer.does.slow = performer.forever
      const child: ListItem = { do: 'run', name: 'child', items: [{ do: 'ask', name: 'sure' }] }
      const [busy, parent] = [await fixture().create(steps('slow')), await fixture().create([child])]
      await fixture().until(() => performer.started.length, 1)
      await fixture().until(async () => (await childrenOf(store, parent))[0]?.status, 'waiting')
      for (const run of [busy, parent]) await recordCancel(store, run, { by: 'ada', reason: 'enough' })
      await fixture().until(() => performer.stopped, ['slow@1#1'])
      for (const run of [busy, parent]) expect(await fixture().status(run)).toBe('cancelled')
      expect((await childrenOf(store, parent))[0]?.status).toBe('cancelled')
    })

    test('a paused run stops its step, gets no turn, and continues when it is resumed', async () => {
      const { host } = await fixture().host()
      const { performer, store } = fixture()
      performer.does.a = performer.forever
      const run = await fixture().create(steps('a', 'b'))
      await fixture().until(() => performer.started.length, 1)
      await recordPause(store, run, { by: 'ada', reason: 'later' })
      await fixture().until(() => performer.stopped, ['a@1#1'])
      performer.does = {}
      const other = await fixture().create()
      await isDone(other)
      expect([host.isDriving(run), done(run)]).toEqual([false, []])
      await recordResume(store, run, { by: 'ada' })
      await isDone(run)
      expect(done(run)).toEqual(['a@1', 'b@2'])
    })

    test('a run that exceeds its budget pauses and gets no turn', async () => {
      await fixture().host()
      const { performer, store } = fixture()
      performer.does.a = async () => ({ status: 'ok', usage: { input: 90, output: 35 } })
      const run = await fixture().create(steps('a', 'b'), { limits: { tokens: 100 } })
      await fixture().until(() => fixture().status(run), 'paused')
      expect((await getRun(store, run)).reason).toBe('budget')
      const other = await fixture().create(steps('c'))
      await isDone(other)
      expect(done(run)).toEqual(['a@1'])
    })

    test('two servers share the runs: one drives each run, and no step runs twice', async () => {
      const performers = [new TestPerformer(), new TestPerformer()]
      for (const performer of performers) await fixture().host(performer)
      const names = ['a', 'b', 'c']
      const runs = await Promise.all(Array.from({ length: 12 }, () => fixture().create(steps(...names))))
      for (const run of runs) await isDone(run)
      const all = performers.flatMap(performer => performer.done).sort()
      expect(all).toEqual(runs.flatMap(run => names.map((name, at) => `${run} ${name}@${at + 1}`)).sort())
    })
  })
}
