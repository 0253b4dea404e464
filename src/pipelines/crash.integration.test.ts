import { expect, test } from 'vitest'
import type { EventStore } from '../store/index.js'
import { APPROVED, plan, rejected, writesPlan } from './testing/scripted-agents.js'
import { fixture, useFixture } from './testing/use-fixture.js'

useFixture()

const script = () =>
  fixture.script({
    architect: [writesPlan(plan(1))],
    reviewer: [{ text: JSON.stringify(rejected()) }, { text: JSON.stringify(APPROVED) }],
  })

/** Fails at its n-th append: before it is written, or just after. */
function dyingAt(store: EventStore, count: number, when: 'before' | 'after'): EventStore {
  let left = count
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown
      if (typeof value !== 'function') return value
      if (key !== 'appendAll') return value.bind(target)
      return async (...args: unknown[]) => {
        left--
        if (left < 0 || (left === 0 && when === 'before')) throw new Error('the machine is off')
        const done = await (value as (...given: unknown[]) => Promise<unknown>).apply(target, args)
        if (left === 0) throw new Error('the machine is off')
        return done
      }
    },
  })
}

/** Event types, without those that only a restart adds. */
const facts = (types: readonly string[]) =>
  types.filter(type => /^(plan|task|items|evaluation|run\.completed|node\.finished|history)/.test(type))

test('a run that dies at any append ends the same after a restart and repeats no commit or report', async () => {
  script()
  const whole = await fixture.implement()
  const expected = facts(whole.types)
  const history = whole.pipeline.state.history.map(({ message }) => message.replace(/[0-9a-f]{12}/, 'x'))
  expect(expected.filter(type => type === 'task.finished')).toHaveLength(1)
  let deaths = 0
  for (const [at, when] of [
    [3, 'after'],
    [5, 'before'],
    [8, 'after'],
    [11, 'before'],
    [13, 'after'],
  ] as const) {
    fixture.newRepository()
    script()
    const id = await fixture.create({ autoApprove: true })
    await fixture.drive(id, dyingAt(fixture.store, at, when)).catch(() => deaths++)
    const run = await fixture.drive(id)
    expect(run.record.status, `${when} append ${at}`).toBe('completed')
    expect(fixture.commits(), `${when} append ${at}`).toHaveLength(1)
    expect(facts(run.types), `${when} append ${at}`).toEqual(expected)
    expect(run.pipeline.state.history.map(({ message }) => message.replace(/[0-9a-f]{12}/, 'x'))).toEqual(history)
  }
  expect(deaths).toBeGreaterThan(3)
})
