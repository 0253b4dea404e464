import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type Frame, TerminalEmulator } from '../../src/terminal/index.js'

/* The frames that `npm run eval:mutations` scores must be frames that a terminal could show. */
type Mutations = Record<string, (frame: Frame) => Frame>
const { MUTATIONS } = (await import(
  pathToFileURL(join(import.meta.dirname, '../../scripts/mutate-recording.mjs')).href
)) as { MUTATIONS: Mutations }

function draw(text: string, cols = 80): Frame {
  const emulator = new TerminalEmulator({ cols, rows: 6 })
  emulator.feed(new TextEncoder().encode(text), 0, { live: false })
  return emulator.currentFrame()
}
const texts = (frame: Frame) => frame.lines.map(row => row.text)

describe('mutated frames', () => {
  test('other words, glyphs and keys keep the place and style of every cell', () => {
    const frame = draw('● \u001b[1mBash\u001b[0m(npm test)\r\n  Press enter to confirm or esc to go back')
    for (const name of ['words', 'glyphs', 'both', 'keys']) {
      const changed = MUTATIONS[name]!(frame)
      expect([name, changed.lines.map(row => row.text.length)]).toEqual([name, frame.lines.map(row => row.text.length)])
      expect(changed.lines.map(row => row.spans.map(span => [span.x, span.width, span.bold]))).toEqual(
        frame.lines.map(row => row.spans.map(span => [span.x, span.width, span.bold])),
      )
      expect(texts(changed)).not.toEqual(texts(frame))
    }
    expect(texts(MUTATIONS.keys!(frame))[1]).toBe('  Press alt+m to confirm or f10 to go back')
  })

  test('narrowing a frame to 60 columns gives what the emulator shows after a resize', () => {
    const drawn = `${'a'.repeat(70)}\r\n\u001b[31m${'b'.repeat(130)}\u001b[0m\r\n> draft`
    const emulator = new TerminalEmulator({ cols: 80, rows: 6 })
    emulator.feed(new TextEncoder().encode(drawn), 0, { live: false })
    const narrowed = MUTATIONS['cols 60']!(emulator.currentFrame())
    emulator.resize(60, 6, 1)
    const real = emulator.currentFrame()
    expect(texts(narrowed).filter(Boolean)).toEqual(texts(real).filter(Boolean))
    expect(narrowed.lines.filter(row => row.text).map(row => row.wrapped)).toEqual(
      real.lines.filter(row => row.text).map(row => row.wrapped),
    )
    expect(texts(narrowed)[narrowed.cursor.y]).toBe('> draft')
    expect(narrowed.cursor.x).toBe(7)
  })

  test('rows of the alternate screen are cut at 60 columns and not wrapped', () => {
    const narrowed = MUTATIONS['cols 60']!(draw(`\u001b[?1049h\u001b[H${'a'.repeat(70)}\r\n> draft`))
    expect(texts(narrowed).slice(0, 2)).toEqual(['a'.repeat(60), '> draft'])
  })
})
