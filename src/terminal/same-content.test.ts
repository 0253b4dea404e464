import { describe, expect, test } from 'vitest'
import { TerminalEmulator } from './emulator.js'
import type { Frame } from './frame.js'
import { hasSameContent } from './same-content.js'

const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'

/** Frames of updates that are a tenth of a second apart. */
function framesOf(...updates: string[]): Frame[] {
  const emulator = new TerminalEmulator({ cols: 20, rows: 4 })
  return updates.flatMap((text, index) =>
    emulator
      .feed(Buffer.from(`${BEGIN}${text}${END}`), index / 10, { live: false })
      .flatMap(event => (event.type === 'frame' ? [event.frame] : [])),
  )
}

describe('hasSameContent', () => {
  test.each([
    ['when nothing is drawn', ''],
    ['when only the title changes', '\u001b]0;⠙ app\u0007'],
    ['when the cursor returns to its place', '\u001b[1;1H\u001b[1;6H'],
  ])('is true %s', (_when, drawn) => {
    const [before, after] = framesOf('hello', drawn)
    expect(hasSameContent(before!, after!)).toBe(true)
  })

  test.each([
    ['a letter changes', '\u001b[1;1HJ\u001b[1;6H'],
    ['a colour changes', '\u001b[1;1H\u001b[31mh\u001b[0m\u001b[1;6H'],
    ['the cursor moves', '\u001b[2;1H'],
    ['the cursor is hidden', '\u001b[?25l'],
    ['the program switches to the alternate screen', '\u001b[?1049h\u001b[1;6H'],
    ['everything scrolls', '\r\n\n\n\n\u001b[1;6H'],
  ])('is false when %s', (_when, drawn) => {
    const [before, after] = framesOf('hello', drawn)
    expect(hasSameContent(before!, after!)).toBe(false)
  })
})
