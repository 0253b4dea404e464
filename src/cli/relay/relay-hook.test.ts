import { expect, it } from 'vitest'
import { terminalOfStat } from './relay-hook.js'

it.each([
  ['4711 (node) S 1 4711 4711 34816 4711 0', '/dev/pts/0'],
  ['4711 (a) b (c) S 1 4711 4711 34819 4711 0', '/dev/pts/3'],
  ['4711 (node) S 1 4711 4711 35084 4711 0', '/dev/pts/268'],
  ['4711 (node) S 1 4711 4711 0 -1 0', null],
  ['4711 (getty) S 1 4711 4711 1025 4711 0', null],
  ['nonsense', null],
] as const)('the terminal of the process %s is %s', (stat, tty) => {
  expect(terminalOfStat(stat)).toBe(tty)
})
