import { expect, expectTypeOf, test } from 'vitest'
import { SignalboxError } from '../errors/index.js'
import {
  type ActionOf,
  defineMachine,
  everyPair,
  lookup,
  rulesToDot,
  type StateOf,
  toDot,
  toMarkdown,
  transition,
} from './index.js'

interface Context {
  coin: number
  kicks: number
}

const turnstile = defineMachine({
  name: 'turnstile',
  about: 'Lets people through for a coin.',
  states: ['locked', 'unlocked', 'broken'],
  events: ['coin', 'push', 'kick', 'repair', 'rain'],
  initial: 'locked',
  actions: {
    thank: 'Say thanks.',
    alarm: 'Ring the bell.',
    lock: 'Lock it.',
    unlock: 'Unlock it.',
    'call-mechanic': 'Call a mechanic.',
    'light-on': 'Switch the light on.',
    'light-off': 'Switch the light off.',
  },
  guards: {
    isRealCoin: { about: 'The coin is real.', holds: ({ coin }: Context) => coin > 0 },
    isStrong: { about: 'The third kick.', holds: ({ kicks }: Context) => kicks > 2 },
  },
  rows: [
    ['locked', 'coin', 'unlocked', ['unlock'], 'isRealCoin'],
    ['locked', 'push', '=', ['alarm']],
    ['unlocked', 'coin', '=', ['thank']],
    ['unlocked', 'push', 'locked', ['lock']],
    ['broken', 'repair', 'locked', []],
    ['broken', 'kick', '=', []],
    ['*', 'kick', 'broken', ['call-mechanic'], 'isStrong'],
    ['*', 'kick', '=', ['alarm']],
    ['broken', '*', '=', ['alarm']],
  ],
  entry: { unlocked: ['light-on'] },
  exit: { unlocked: ['light-off'] },
})

const context = { coin: 1, kicks: 0 }

test('a row gives the next state and its actions, with exit before and entry after them', () => {
  expect(transition(turnstile, 'locked', 'coin', context)).toEqual(['unlocked', ['unlock', 'light-on']])
  expect(transition(turnstile, 'unlocked', 'push', context)).toEqual(['locked', ['light-off', 'lock']])
  expect(transition(turnstile, 'unlocked', 'coin', context)).toEqual(['unlocked', ['thank']])
})

test('a refusing guard is reported by name and changes nothing', () => {
  const found = lookup(turnstile, 'locked', 'coin', { coin: 0, kicks: 0 })
  expect(found).toEqual({ unlisted: true, refusedBy: ['isRealCoin'] })
})

test('rows of one pair are checked in order', () => {
  expect(transition(turnstile, 'unlocked', 'kick', { coin: 0, kicks: 3 })[0]).toBe('broken')
  expect(transition(turnstile, 'unlocked', 'kick', context)).toEqual(['unlocked', ['alarm']])
})

test('an exact row wins over a star, and any-state over any-event', () => {
  expect(transition(turnstile, 'broken', 'kick', context)).toEqual(['broken', []])
  expect(transition(turnstile, 'broken', 'repair', context)[0]).toBe('locked')
  expect(transition(turnstile, 'broken', 'push', context)).toEqual(['broken', ['alarm']])
})

test('a star row does not bypass a guard that refuses a named pair', () => {
  const gate = defineMachine({
    name: 'gate',
    states: ['shut', 'open'],
    events: ['go'],
    initial: 'shut',
    about: '',
    actions: {},
    guards: { hasKey: { about: 'There is a key.', holds: (context: boolean) => context } },
    rows: [
      ['shut', 'go', 'open', [], 'hasKey'],
      ['*', 'go', 'open'],
    ],
  })
  expect(lookup(gate, 'shut', 'go', false)).toEqual({ unlisted: true, refusedBy: ['hasKey'] })
})

test('naming the same state leaves and enters it, while "=" stays in it', () => {
  const lamp = defineMachine({
    name: 'lamp',
    states: ['on'],
    events: ['flash', 'look'],
    initial: 'on',
    about: '',
    actions: { dark: '', bright: '' },
    rows: [
      ['on', 'flash', 'on'],
      ['on', 'look', '='],
    ],
    entry: { on: ['bright'] },
    exit: { on: ['dark'] },
  })
  expect(transition(lamp, 'on', 'flash')).toEqual(['on', ['dark', 'bright']])
  expect(transition(lamp, 'on', 'look')).toEqual(['on', []])
})

test('an unlisted pair keeps the state and has no actions', () => {
  expect(transition(turnstile, 'locked', 'repair', context)).toEqual(['locked', []])
})

test('a machine is drawn with its states, its events and the guards of their rows', () => {
  const dot = toDot(turnstile)
  expect(dot).toContain('"start" -> "locked";')
  expect(dot).toContain('"locked" -> "unlocked" [label="coin [isRealCoin]"];')
  expect(dot).toContain('"unlocked" -> "broken" [label="kick [isStrong]"];')
  expect(dot).not.toContain('"locked" -> "locked"')
})

test('a table in Markdown has a cell for every pair, and describes guards and actions', () => {
  const lines = toMarkdown(turnstile).split('\n')
  expect(lines).toContain('| `coin` | unlocked: unlock [isRealCoin] | =: thank | =: alarm |')
  expect(lines).toContain('| `rain` |  |  | =: alarm |')
  expect(lines).toContain('Leaving `unlocked` also executes `light-off`, before the other actions.')
  expect(lines).toContain('| `isRealCoin` | The coin is real. |')
  expect(lines).toContain('| `thank` | Say thanks. |')
})

test('a list of rules is drawn as questions, each with the next one for "no"', () => {
  const dot = rulesToDot('r', [
    { when: 'a', result: 'x' },
    { when: 'b', result: 'y' },
    { when: 'otherwise', result: 'z' },
  ])
  expect(dot).toContain('"rule 0" -> "x" [label="yes"];')
  expect(dot).toContain('"rule 0" -> "rule 1" [label="no"];')
  expect(dot).toContain('"rule 1" -> "z" [label="no"];')
})

test('everyPair visits every pair once, and every target is a state', () => {
  const pairs = [...everyPair(turnstile)]
  expect(pairs).toHaveLength(turnstile.states.length * turnstile.events.length)
  expect(new Set(pairs.map(pair => `${pair.state} ${pair.event}`)).size).toBe(pairs.length)
  for (const { rows } of pairs) for (const row of rows) expect(turnstile.states).toContain(row.next)
})

test('names are inferred as unions, and a wrong name does not compile', () => {
  expectTypeOf<StateOf<typeof turnstile>>().toEqualTypeOf<'locked' | 'unlocked' | 'broken'>()
  expectTypeOf<ActionOf<typeof turnstile>>().toExtend<string>()
  // @ts-expect-error 'jump' is not an event of the turnstile
  expect(lookup(turnstile, 'locked', 'jump', context)).toEqual({ unlisted: true, refusedBy: [] })
})

/**
 * A small valid machine whose parts a test may replace by wrong ones, as a caller without types
 * could.
 */
function broken(change: Record<string, unknown>): () => unknown {
  const legal = {
    name: 'm',
    states: ['a', 'b'],
    events: ['go', 'back'],
    initial: 'a',
    actions: { do: '' },
    guards: { g: { about: '', holds: () => true } },
    rows: [
      ['a', 'go', 'b', ['do'], 'g'],
      ['b', 'back', 'a'],
    ],
  }
  return () => defineMachine({ ...legal, ...change } as never)
}

test.each([
  ['an unknown action', { rows: [['a', 'go', 'b', ['dance']]] }, 'row 1 (a, go) names the unknown action "dance"'],
  ['an unknown state', { rows: [['c', 'go', 'b']] }, 'unknown state "c"'],
  ['an unknown target', { rows: [['a', 'go', 'c']] }, 'unknown state "c"'],
  ['an unknown event', { rows: [['a', 'stop', 'b']] }, 'unknown event "stop"'],
  ['an unknown guard', { rows: [['a', 'go', 'b', [], 'h']] }, 'unknown guard "h"'],
  ['an unknown initial state', { initial: 'z' }, 'initial names the unknown state "z"'],
  ['an unknown exit action', { exit: { a: ['dance'] } }, 'exit of a names the unknown action "dance"'],
  ['an unreachable state', { rows: [['a', 'go', '=']] }, 'state "b" cannot be reached from "a"'],
  [
    'a pair listed twice',
    {
      rows: [
        ['a', 'go', 'b'],
        ['a', 'go', '='],
      ],
    },
    'row 2 (a, go) can never apply: row 1 (a, go) already covers (a, go)',
  ],
  [
    'a pair listed twice with the same guard',
    {
      rows: [
        ['a', 'go', 'b', [], 'g'],
        ['a', 'go', '=', [], 'g'],
      ],
    },
    'row 2',
  ],
  [
    'a star row without a remaining pair',
    {
      rows: [
        ['a', ['go', 'back'], 'b'],
        ['b', ['go', 'back'], 'a'],
        ['*', 'go', 'a'],
      ],
    },
    'row 3 (*, go) applies to no pair',
  ],
  ['an action that no row names', { actions: { do: '', dance: '' } }, 'no row names the action "dance"'],
  ['a guard that no row names', { rows: [['a', 'go', 'b', ['do']]] }, 'no row names the guard "g"'],
  ['a state named like a sign of the table', { states: ['a', 'b', '*'] }, '"*" cannot be the name of a state'],
  ['a state declared twice', { states: ['a', 'b', 'a'] }, 'declared twice'],
])('a table with %s is refused when it loads', (_, change, message) => {
  let thrown: unknown
  try {
    broken(change)()
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(SignalboxError)
  expect((thrown as SignalboxError).code).toBe('E_MACHINE')
  expect((thrown as SignalboxError).message).toContain(message)
})
