import { describe, expect, it } from 'vitest'
import { parsePack } from '../screen/pack/index.js'
import { DriftDetector } from './drift-detector.js'
import { Replay } from './replay.js'

const PACK = parsePack(
  `pack = 1\nagent = "test"\nregion = [{ name = "composer", kind = "box", top = '^─+$', body = '^>( |$)', bottom = '^─+$' }]\n\n[[rule]]\nid = "skip.help"\nskip = "help"\nregion = "screen"\nline = '^Help'\n`,
  'test.toml',
)
const BOX = `${'─'.repeat(40)}\r\n> \r\n${'─'.repeat(40)}`
const bytes = (text: string) => new TextEncoder().encode(`\u001b[2J\u001b[H${text}`)

/** Feeds screens at their times and returns the reports and the detector. */
function watching(screens: [t: number, text: string][]) {
  const watch = new DriftDetector()
  const replay = new Replay({ pack: PACK, cols: 40, rows: 10 })
  const reports = screens.flatMap(([t, text]) =>
    [...replay.apply({ kind: 'output', t, bytes: bytes(text) }), ...replay.runTimers(t + 0.9)].flatMap(step =>
      step.type === 'look' ? watch.observe(step.look) : [],
    ),
  )
  return { watch, reports }
}

describe('DriftDetector', () => {
  it('counts settled frames by how they were recognised, and skips blank ones', () => {
    const { watch } = watching([
      [1, 'nothing known\r\nat all'],
      [2, BOX],
      [3, 'Help\r\nfor nothing'],
      [4, ''],
      [5, `${BOX}\r\n  hint`],
    ])
    expect(watch.counts).toMatchObject({ anchored: 2, unknown: 1 })
  })

  it('counts frames on which another source contradicts the screen', () => {
    const watch = new DriftDetector()
    const replay = new Replay({ pack: PACK, cols: 40, rows: 10 })
    const looks = [BOX, `${BOX}\r\n  hint`].flatMap((text, t) =>
      [...replay.apply({ kind: 'output', t: t + 1, bytes: bytes(text) }), ...replay.runTimers(t + 1.9)].flatMap(step =>
        step.type === 'look' && step.look.isSettled ? [step.look] : [],
      ),
    )
    looks.forEach((look, index) => watch.observe(look, index === 0))
    expect(watch.counts.disagreements).toBe(1)
  })

  it('reports an unrecognised screen once, after it has stayed for ten seconds', () => {
    const { watch, reports } = watching([[1, 'what is this 1']])
    expect(reports).toEqual([])
    const due = watch.nextDeadline()!
    expect(due).toBeCloseTo(11, 0)
    expect(watch.tick(due - 0.01)).toEqual([])
    expect(watch.tick(due)).toMatchObject([
      { reason: 'screen', counts: { unknown: 1 }, screenHash: expect.stringMatching(/^[0-9a-f]{16}$/) },
    ])
    expect([watch.tick(due + 50), watch.nextDeadline()]).toEqual([[], null])
  })

  it('counts screens that differ only in numbers as one', () => {
    const { watch } = watching([
      [1, 'step 1 of 9'],
      [6, 'step 2 of 9'],
    ])
    expect(watch.nextDeadline()).toBeCloseTo(11, 0)
  })

  it('forgets a screen that disappeared', () => {
    expect(
      watching([
        [1, 'what is this'],
        [2, BOX],
      ]).watch.nextDeadline(),
    ).toBeNull()
  })

  it('reports rules that match less than a fifth of at least 50 frames', () => {
    const screens = (unknown: number, all: number): [number, string][] =>
      Array.from({ length: all }, (_, n) => [
        n + 1,
        n < unknown ? `strange ${'x'.repeat(n + 1)}` : `${BOX}\r\n  hint ${'y'.repeat(n)}`,
      ])
    expect(watching(screens(10, 50)).reports).toEqual([])
    expect(watching([...screens(10, 49), [60, 'strange again']]).reports).toMatchObject([
      { reason: 'screens', counts: { anchored: 39, unknown: 11 } },
    ])
  })
})
