import { expect, test } from 'vitest'
import type { EventStore } from '../store/index.js'
import { APPROVED, plan, rejected, writesPlan } from './testing/scripted-agents.js'
import { bench, useBench } from './testing/use-bench.js'

useBench()

const script = () =>
  bench.script({
    architect: [writesPlan(plan(1))],
    reviewer: [{ text: JSON.stringify(rejected()) }, { text: JSON.stringify(APPROVED) }],
  })

/** Dies at its nth append: before it is written, or just after. */
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

/** What happened, without what only a second life adds. */
const facts = (types: readonly string[]) =>
  types.filter(type => /^(plan|task|items|evaluation|run\.completed|node\.finished|history)/.test(type))

test('events only in memory; history written at the end: wherever the machine goes off, the next life ends the same, and nothing is committed or told twice', async () => {
  script()
  const whole = await bench.implement()
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
    bench.newRepository()
    script()
    const id = await bench.create({ autoApprove: true })
    await bench.drive(id, dyingAt(bench.store, at, when)).catch(() => deaths++)
    const run = await bench.drive(id)
    expect(run.record.status, `${when} append ${at}`).toBe('completed')
    expect(bench.commits(), `${when} append ${at}`).toHaveLength(1)
    expect(facts(run.types), `${when} append ${at}`).toEqual(expected)
    expect(run.pipeline.state.history.map(({ message }) => message.replace(/[0-9a-f]{12}/, 'x'))).toEqual(history)
  }
  expect(deaths).toBeGreaterThan(3)
}, 60_000)
