import { describe, expect, test } from 'vitest'
import { bytes, emulator, framesOf, repliesOf, screenOf } from './testing/drive.js'

const LIVE = { live: true }
const summary = (events: Parameters<typeof framesOf>[0]) =>
  framesOf(events).map(({ t, cause, torn, lines }) => ({ t: Number(t.toFixed(3)), cause, torn, text: lines[0]!.text }))

describe('the end of a frame', () => {
  test('follows silence, at the time at which the silence was long enough', () => {
    const terminal = emulator()
    expect(terminal.feed(bytes('hi'), 1, LIVE)).toEqual([])
    expect(terminal.nextDeadline()).toBeCloseTo(1.016)
    expect(terminal.tick(1.015)).toEqual([])
    expect(summary(terminal.tick(9))).toEqual([{ t: 1.016, cause: 'quiet', torn: false, text: 'hi' }])
    expect(terminal.nextDeadline()).toBeNull()
  })

  test('follows the cap while bytes keep arriving; bytes at the deadline belong to the frame', () => {
    const terminal = emulator()
    const events = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.055].flatMap(t => terminal.feed(bytes('x'), t, LIVE))
    expect(summary(events)).toEqual([{ t: 0.05, cause: 'cap', torn: false, text: 'xxxxxx' }])
  })

  test('is the byte that ends a synchronized update', () => {
    const terminal = emulator()
    const events = terminal.feed(bytes('\x1b[?2026hone\x1b[?2026l rest'), 2, { live: true })
    expect(summary(events)).toEqual([{ t: 2, cause: 'sync', torn: false, text: 'one' }])
  })

  test('comes once for a burst of synchronized updates: for the newest, after the gap', () => {
    const terminal = emulator()
    const burst = terminal.feed(
      bytes('\x1b[?2026hone\x1b[?2026l\x1b[?2026h\rTWO\x1b[?2026l\x1b[?2026h\rsix\x1b[?2026l'),
      2,
      { live: true },
    )
    expect(summary(burst)).toEqual([{ t: 2, cause: 'sync', torn: false, text: 'one' }])
    expect(summary(terminal.tick(2.015))).toEqual([])
    expect(summary(terminal.tick(2.1))).toEqual([{ t: 2.016, cause: 'sync', torn: false, text: 'six' }])
  })

  test('never comes inside a synchronized update before that is cut and torn; a late end still counts', () => {
    const terminal = emulator()
    terminal.feed(bytes('\x1b[?2026hhalf'), 0, LIVE)
    expect(terminal.tick(0.49)).toEqual([])
    expect(summary(terminal.tick(0.5))).toEqual([{ t: 0.5, cause: 'cap', torn: true, text: 'half' }])
    expect(summary(terminal.feed(bytes(' whole\x1b[?2026l'), 0.6, LIVE))).toMatchObject([
      { cause: 'sync', text: 'half whole' },
    ])
  })

  test('does not follow an update that never started', () => {
    expect(emulator().feed(bytes('a\x1b[?2026l'), 0, LIVE)).toEqual([])
  })

  test('can be forced, and the frame is torn inside an update', () => {
    const terminal = emulator()
    terminal.feed(bytes('\x1b[?2026hx'), 0, LIVE)
    expect(summary(terminal.endFrame(0.1))).toEqual([{ t: 0.1, cause: 'forced', torn: true, text: 'x' }])
  })
})

describe('a frame of the emulator', () => {
  test('is suppressed for a while after a resize', () => {
    const terminal = emulator()
    terminal.resize(30, 6, 1)
    expect(terminal.suppressedUntil).toBe(1.25)
    expect(framesOf(terminal.tick(1.1))[0]).toMatchObject({ suppressed: true, cols: 30, rows: 6 })
    terminal.feed(bytes('x'), 1.3, LIVE)
    expect(framesOf(terminal.tick(2))[0]).toMatchObject({ suppressed: false })
  })

  test('has cursor, title, progress and buffer', () => {
    const terminal = emulator()
    terminal.feed(bytes('\x1b[?1049h\x1b[?25l\x1b[3;4H\x1b]0;busy \x07\x1b]9;4;1;40\x07'), 0, LIVE)
    expect(framesOf(terminal.tick(1))[0]).toMatchObject({
      buffer: 'alternate',
      cursor: { x: 3, y: 2, visible: false },
      title: 'busy',
      progress: { state: 'value', percent: 40 },
    })
  })

  test('has default modes after a reset', () => {
    const terminal = emulator()
    terminal.feed(bytes('\x1b[?25l\x1b[?2026h\x1b[>5u\x1bc'), 0, LIVE)
    expect(repliesOf(terminal.feed(bytes('\x1b[?u'), 0, LIVE))).toEqual(['\x1b[?0u'])
    expect(framesOf(terminal.tick(1))[0]).toMatchObject({ cause: 'quiet', cursor: { visible: true } })
    expect(screenOf(terminal)).toEqual(['', '', '', '', ''])
  })
})
