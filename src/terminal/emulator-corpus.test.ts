import { expect, test } from 'vitest'
import { describeNeeding } from '../../test/support/requirements.js'
import { TerminalEmulator } from './emulator.js'
import { type Moment, parseSize, type Recording, readRecording, recordingNames } from './testing/corpus.js'
import { byteByByte, bytes, framesOf, randomPieces, replay, seededRandom } from './testing/drive.js'

/**
 * Here the programs and the recorder's emulator disagreed about emoji widths; ours agrees with the
 * programs.
 */
const OTHER_WIDTHS = /(chat-)?unicode/

/**
 * Moments have times in milliseconds, events in microseconds: an event in the same half millisecond
 * may be on either side.
 */
const STAMP_ROUNDING = 0.0006

/** All recordings take minutes; a fixed sample takes seconds. `SIGNALBOX_CORPUS_ALL=1` uses all. */
const every = (stride: number) => (_: unknown, index: number) =>
  process.env.SIGNALBOX_CORPUS_ALL || index % stride === stride >> 1
const sample = recordingNames().filter(every(20))

describeNeeding('corpus', 'recordings of real agents', () => {
  test('every labelled moment shows exactly the screen that was recorded', () => {
    const wrong: string[] = []
    let moments = 0
    for (const name of recordingNames().filter(every(3))) {
      if (OTHER_WIDTHS.test(name)) continue
      const recording = readRecording(name)
      moments += recording.moments.length
      for (const moment of wrongMoments(recording)) wrong.push(`${name} at ${moment.t}`)
    }
    expect(wrong).toEqual([])
    expect(moments).toBeGreaterThan(400)
  })

  test.each(sample)('%s gives the same events however its bytes are cut', name => {
    const recording = readRecording(name)
    const whole = JSON.stringify(replay(recording))
    expect(JSON.stringify(replay(recording, { cut: byteByByte })) === whole).toBe(true)
    expect(JSON.stringify(replay(recording, { cut: randomPieces(11) })) === whole).toBe(true)
  })

  test.each(sample)('%s gives the same events when the host restarts at any moment', name => {
    const recording = readRecording(name)
    const random = seededRandom(23)
    const restarts = Array.from({ length: 4 }, () => Math.floor(random() * recording.events.length))
    const restarted = replay(recording, { restartBefore: new Set(restarts) })
    expect(JSON.stringify(restarted) === JSON.stringify(replay(recording))).toBe(true)
  })
})

function wrongMoments(recording: Recording): Moment[] {
  const terminal = new TerminalEmulator({ cols: recording.cols, rows: recording.rows })
  const wrong: Moment[] = []
  let next = 0
  const feedUntil = (t: number) => {
    for (let event = recording.events[next]; event && event.t <= t; event = recording.events[++next]) {
      if (event.kind === 'o') terminal.feed(bytes(event.data), event.t, { live: false })
      const size = event.kind === 'r' ? parseSize(event.data) : null
      if (size) terminal.resize(size.cols, size.rows, event.t)
    }
  }
  for (const moment of recording.moments.toSorted((a, b) => a.t - b.t)) {
    if (!moment.screen) continue
    feedUntil(moment.t - STAMP_ROUNDING)
    const before = shows(terminal, moment)
    feedUntil(moment.t)
    if (!before && !shows(terminal, moment)) wrong.push(moment)
  }
  return wrong
}

function shows(terminal: TerminalEmulator, moment: Moment): boolean {
  const { lines, cols } = framesOf(terminal.endFrame(moment.t)).at(-1)!
  return lines.every((row, index) => {
    const recorded = (moment.screen?.[index] ?? '').replace(/ +$/, '')
    // The recorder read rows with the length that they had before the terminal became narrower.
    return row.text === recorded || row.text === recorded.slice(0, cols).trimEnd()
  })
}
