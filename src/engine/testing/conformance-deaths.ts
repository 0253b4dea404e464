import { describe, expect, test } from 'vitest'
import { getRun } from '../control.js'
import { runStream } from '../run-journal.js'
import type { EngineFixture } from './conformance.js'
import type { ListItem } from './list-workflow.js'

const ITEMS: ListItem[] = [
  { do: 'step', name: 'a' },
  { do: 'step', name: 'b' },
  { do: 'ask', name: 'sure' },
  { do: 'step', name: 'd' },
]
const WORK = ['a@1', 'b@2', 'd@4']

/** A server that dies at any append: another one continues its runs. */
export function describeDeaths(fixture: () => EngineFixture): void {
  describe('a server that dies', () => {
    const answerIfOpen = async (run: string) => {
      const isOpen = 'sure' in (await getRun(fixture().store, run)).gates
      if (isOpen) await fixture().answer(run, 'sure')
    }

    /** @returns false if the server wrote fewer appends before it ended. */
    const dieAt = async (n: number, when: 'before' | 'after') => {
      const { performer, store } = fixture()
      const first = await fixture().host()
      first.server.killable.dieAt(n, when)
      const run = await fixture().create(ITEMS)
      await fixture().until(async () => {
        await answerIfOpen(run)
        return first.server.killable.isDead || (await fixture().status(run)) === 'completed'
      }, true)
      const { isDead } = first.server.killable
      await first.stop()
      const second = await fixture().host()
      await fixture().until(async () => {
        await answerIfOpen(run)
        return fixture().status(run)
      }, 'completed')
      await second.stop()
      const done = performer.done.filter(work => work.startsWith(run)).map(work => work.slice(run.length + 1))
      expect(done.sort(), `${when} append ${n}`).toEqual(WORK)
      const versions = (await store.readStream(runStream(run))).map(({ version }) => version)
      expect(versions).toEqual(versions.map((_, index) => index + 1))
      return isDead
    }

    // `npm run storm:cluster -- --only appends` kills processes.
    test.each(['before', 'after'] as const)(
      'loses no run and repeats no step if it dies at any append, %s it is written',
      async when => {
        let deaths = 0
        while (await dieAt(deaths + 1, when)) deaths++
        expect(deaths).toBeGreaterThanOrEqual(5)
      },
    )
  })
}
