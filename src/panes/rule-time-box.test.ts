import { expect, it } from 'vitest'
import { parsePack } from '../screen/pack/index.js'
import { type SwitchedOff, timeBox } from './rule-time-box.js'

const RULES = ['a', 'b', 'c']
  .map(id => `[[rule]]\nid = "${id}"\nview = "thinking"\nregion = "screen"\nline = "x"\n`)
  .join('')

function boxed() {
  const pack = parsePack(`pack = 1\nagent = "test"\n${RULES}`, 'test.toml')
  const off: SwitchedOff[] = []
  const watch = timeBox(pack, { now: () => 0, onSwitchedOff: one => off.push(one) })
  const frame = (times: Record<string, number>, again: Record<string, number> = times) =>
    watch.frame(pack.rules.map(rule => ({ rule, ms: times[rule.id] ?? 0, again: () => again[rule.id] ?? 0 })))
  return { pack, off, frame }
}

it('a rule that is slow three times is disabled', () => {
  const { pack, off, frame } = boxed()
  frame({ a: 6 })
  frame({ a: 6 })
  expect(off).toEqual([])
  frame({ a: 6 })
  expect(off).toEqual([{ rule: 'a', ms: 6, reason: 'three times slow' }])
  expect(pack.rules.map(rule => rule.id)).toEqual(['b', 'c'])
})

it('the slowest rule of a very slow frame is disabled at once', () => {
  const { pack, off, frame } = boxed()
  frame({ a: 4.5, b: 4.9, c: 4.8 })
  expect(off).toEqual([])
  frame({ a: 4, b: 30 })
  expect(off).toEqual([{ rule: 'b', ms: 30, reason: 'slowest of a slow frame' }])
  expect(pack.rules).toHaveLength(2)
})

it('a pause of the machine disables no rule', () => {
  const { off, frame } = boxed()
  for (let n = 0; n < 10; n++) frame({ a: 80 }, { a: 0.1 })
  expect(off).toEqual([])
})
