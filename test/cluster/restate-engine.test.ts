import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runStream } from '../../src/engine/index.js'
import { describeRunEngine, EngineFixture } from '../../src/engine/testing/conformance.js'
import type { ListItem } from '../../src/engine/testing/list-workflow.js'
import { TestPerformer } from '../../src/engine/testing/test-performer.js'
import { describeNeeding } from '../support/requirements.js'
import { ATTEMPTS, type RestateSite, TestRestate } from './restate-site.js'

const steps = (...names: string[]): ListItem[] => names.map(name => ({ do: 'step', name }))
const wait = (name: string, ms: number): ListItem => ({ do: 'wait', name, ms })

describeNeeding('restate', 'the engine Restate', () => {
  const restate = new TestRestate()
  beforeAll(() => restate.start())
  afterAll(() => restate.close())

  describe('as an engine', () => describeRunEngine(() => restate.site()))

  describe('with a store', () => {
    let site: RestateSite
    let fixture: EngineFixture
    beforeEach(async () => {
      site = await restate.site()
      fixture = new EngineFixture(site)
    })
    afterEach(() => fixture.close())

    /** Calls of this store that Restate has not finished. */
    const open = async () => {
      const sql = `SELECT id, target_service_key AS run, retry_count, last_failure_error_code AS code
        FROM sys_invocation WHERE target_service_name = '${site.object}' AND status != 'completed'`
      return restate.query(sql)
    }
    const isCalled = (run: string) => fixture.until(() => site.calls.includes(run), true)
    /** Until Restate calls, the servers take turns by themselves. */
    const answering = async () => {
      await fixture.host()
      for (let isCalled = false; !isCalled; isCalled = site.calls.length > 0)
        await fixture.ended(await fixture.create(steps('a')))
    }

    test('calls for a new run, and for a run whose timer is due', async () => {
      await answering()
      const run = await fixture.create([wait('pause', 500), ...steps('a')])
      await isCalled(run)
      await fixture.ended(run)
    })

    test('a call that hangs delays no run', async () => {
      await answering()
      let hanging = ''
      let release: () => void = () => undefined
      const hang = new Promise<void>(resolve => {
        release = resolve
      })
      site.onCall = run => (run === hanging ? hang : Promise.resolve())
      hanging = await fixture.create([{ do: 'ask', name: 'sure' }, ...steps('a')])
      await fixture.answer(hanging, 'sure')
      const other = await fixture.create(steps('a'))
      await fixture.ended(other)
      await fixture.ended(hanging)
      release()
    })

    test('a call that keeps failing is given up, and does not block later calls for its run', async () => {
      await answering()
      let broken = ''
      site.onCall = async run => {
        if (run === broken) throw new Error('no luck')
      }
      broken = await fixture.create([{ do: 'ask', name: 'sure' }, ...steps('a')])
      await fixture.until(() => site.calls.filter(run => run === broken).length >= ATTEMPTS, true)
      await fixture.until(open, [])
      site.onCall = async () => undefined
      const before = site.calls.length
      await fixture.answer(broken, 'sure')
      await fixture.ended(broken)
      expect(site.calls.slice(before)).toContain(broken)
    })

    test('a node that is killed during calls leaves none stuck, although each attempt has another result', async () => {
      await answering()
      site.onCall = () => new Promise(resolve => setTimeout(resolve, 50))
      const items = [wait('one', 700), ...steps('a'), wait('two', 900), ...steps('b'), wait('three', 1_100)]
      const runs = await Promise.all(Array.from({ length: 8 }, () => fixture.create(items)))
      for (let kills = 0; kills < 3; kills++) {
        const before = site.calls.length
        await fixture.until(() => site.calls.length > before, true)
        await restate.kill()
      }
      for (const run of runs) await fixture.ended(run)
      expect(fixture.performer.done.filter(work => runs.includes(work.split(' ')[0]!))).toHaveLength(16)
      await fixture.until(open, [])
    })

    test('a node that restarts without its data loses no run, and calls again', async () => {
      await answering()
      const items = [wait('one', 3_000), ...steps('a'), wait('two', 500), ...steps('b')]
      const runs = await Promise.all(Array.from({ length: 4 }, () => fixture.create(items)))
      await fixture.until(() => Promise.all(runs.map(fixture.status)), Array(4).fill('waiting'))
      await restate.kill({ wipe: true })
      for (const run of runs) await fixture.ended(run)
      expect(fixture.performer.done.filter(work => runs.includes(work.split(' ')[0]!))).toHaveLength(8)
      const before = site.calls.length
      while (site.calls.length === before) await fixture.ended(await fixture.create(steps('a')))
    })

    test('two nodes that do not know each other call for the same runs, and each step runs once', async () => {
      const other = new TestRestate()
      await other.start()
      const second = other.siteOn(site)
      const both = new EngineFixture(second)
      try {
        const performers = [fixture.performer, new TestPerformer()]
        await fixture.host(performers[0])
        await both.host(performers[1], 'home_second')
        const items = [...steps('a'), wait('one', 200), ...steps('b'), { do: 'ask', name: 'sure' } as const]
        const runs: string[] = []
        for (let isCalled = false; !isCalled; isCalled = site.calls.length > 0 && second.calls.length > 0) {
          const some = await Promise.all(Array.from({ length: 6 }, () => fixture.create(items)))
          for (const run of some) await fixture.answer(run, 'sure')
          for (const run of some) await fixture.ended(run)
          runs.push(...some)
        }
        const done = performers.flatMap(performer => performer.done)
        expect(done.sort()).toEqual(runs.flatMap(run => [`${run} a@1`, `${run} b@3`]).sort())
        for (const run of runs) {
          const versions = (await site.store.readStream(runStream(run))).map(({ version }) => version)
          expect(versions).toEqual(versions.map((_, index) => index + 1))
        }
      } finally {
        await both.stop()
        await other.close()
      }
    })
  })
})
