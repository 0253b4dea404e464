import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory, type ScreenMemory } from './memory.js'
import type { Observation } from './observation.js'
import { parsePack } from './pack/parse-pack.js'

/*
 * Agents that no pack describes, as they draw: the cursor is hidden or below the output, boxes have
 * any glyph or none, and prompts are repeated in any form.
 */
const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic.toml')
const COLS = 60

function draw(rows: readonly string[], memory: ScreenMemory = initialMemory()) {
  const emulator = new TerminalEmulator({ cols: COLS, rows: 20 })
  const drawn = `\u001b[?25l${rows.join('\r\n')}\r\n`
  emulator.feed(new TextEncoder().encode(drawn), 30, { live: false })
  return classify({ ...emulator.currentFrame(), t: 30 }, memory, GENERIC)
}

const observe = (rows: readonly string[]): Observation => draw(rows).observation

const framed = (text: string) => [`╭${'─'.repeat(58)}╮`, `│ ${text.padEnd(57)}│`, `╰${'─'.repeat(58)}╯`]

describe('the input box of an unknown agent', () => {
  it('is found by its frame and glyph if the cursor is hidden', () => {
    const { view, composer } = observe(['Zwarb 1.0', '', ...framed('● zwirbel den Plan'), '  /app  main'])
    expect(view).toBe('idle_prompt')
    expect(composer?.draft).toBe('zwirbel den Plan')
  })

  it('has no draft if a block character precedes dim text', () => {
    const { composer } = observe(['Zwarb 1.0', '', ...framed('● ▋\u001b[2mAsk anything\u001b[0m')])
    expect({ draft: composer?.draft, placeholder: composer?.placeholder }).toEqual({
      draft: '',
      placeholder: 'Ask anything',
    })
  })

  it('is found after a gutter with an empty row above and below', () => {
    const { view, composer } = observe(['Zwarb?', '', '┃', '┃ > zwirbel', '┃', '', '▶ normal mode'])
    expect({ view, draft: composer?.draft }).toEqual({ view: 'idle_prompt', draft: 'zwirbel' })
  })

  it('is not the field of a dialog that a key closes', () => {
    expect(observe(['Rules', '', ...framed('⌕ Search'), '', '  Esc to cancel']).composer).toBeNull()
  })
})

describe('work of an unknown agent', () => {
  it.each([
    ['a spinner and the key that interrupts', ' ⠹ Press Esc to cancel · ctrl-o expand'],
    ['a time next to a key', ' ⡿⣿⣿  ( 3s • esc to interrupt )'],
  ])('is shown by %s', (_, row) => {
    expect(observe(['● zwarb', '', row, ...framed('● ▋Ask anything')]).busy).toBe(true)
  })

  it('is shown by a key in the footer that interrupts', () => {
    expect(observe(['● zwarb', '', ...framed('● ▋Ask'), '  ⬝⬝⬝⬝  esc interrupt']).busy).toBe(true)
  })

  it('is not shown by the same row inside an answer', () => {
    const rows = ['● It prints', '', '  ⠹ Thinking... (esc to cancel, 3s)', '', '  and then rests.', '']
    expect(observe([...rows, ...framed('● ▋Ask anything')]).busy).toBe(false)
  })
})

describe('the prompt of an unknown agent', () => {
  const typed = () => draw(['Zwarb 1.0', '', ...framed('● what is zwarb?')]).memory

  it('is found by the typed text, whatever the agent puts before it', () => {
    const rows = ['You:', '', '| what is zwarb?', '', ' ⠹ (2s • esc to interrupt)', ...framed('● ▋Ask anything')]
    const { observation } = draw(rows, typed())
    expect({ user: observation.user, view: observation.view }).toEqual({ user: 'what is zwarb?', view: 'thinking' })
  })

  it('is not part of the answer below it', () => {
    const rows = ['● what is zwarb?', '', '● A plan.', '', ' ⠹ (2s • esc to interrupt)', ...framed('● ▋Ask')]
    expect(draw(rows, typed()).observation.view).toBe('response_content')
  })
})
