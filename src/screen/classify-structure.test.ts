import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory } from './memory.js'
import type { Observation } from './observation.js'
import { parsePack } from './pack/parse-pack.js'

/*
 * Reading when the pack knows the agent's input box, but none of its words, marks and colours
 * match.
 */
const PACK = parsePack(
  `pack = 1
agent = "test"
terminator = "none"
region = [{ name = "composer", kind = "box", top = '^─{8,}', body = '^❯( |$)', bottom = '^─{8,}' }]
blocks = [{ kind = "prose", first = '^§ ', more = '^  ', strip = 2 }]
`,
  'test.toml',
)
const RED = '\u001b[38;2;255;107;128m'
const OFF = '\u001b[0m'
const box = (cols: number) => ['─'.repeat(cols), '❯ ', '─'.repeat(cols)]

/** The last rows of the blocks above the live part. */
function blockEnds(rows: readonly string[]): number[] {
  const emulator = new TerminalEmulator({ cols: 60, rows: 20 })
  emulator.feed(new TextEncoder().encode(`${rows.join('\r\n')}\u001b[?25l`), 30, { live: false })
  return classify(emulator.currentFrame(), initialMemory(), PACK).layout.blocks.map(({ last }) => last)
}

function observe(rows: readonly string[], options: { t?: number; narrow?: number; cursor?: number } = {}): Observation {
  const emulator = new TerminalEmulator({ cols: 60, rows: 20 })
  const cursor = options.cursor ?? rows.findLastIndex(row => row.startsWith('❯'))
  const drawn = `${rows.join('\r\n')}\u001b[${cursor + 1};3H`
  emulator.feed(new TextEncoder().encode(drawn), options.t ?? 30, { live: false })
  if (options.narrow) emulator.resize(options.narrow, 20, 31)
  return classify({ ...emulator.currentFrame(), t: options.t ?? 30 }, initialMemory(), PACK).observation
}

describe('classification by structure alone', () => {
  it('reads a call that shows only its command as running', () => {
    const working = '✻ Zwirbling… (4s · 20 zwoks)'
    const at = (hanging: string) =>
      observe(['❯ go', '', '■ Zwarb', `  ╰  ${hanging}`, '', working, '', ...box(60)]).view
    expect(at('$ npm test')).toBe('tool_running')
    expect(at('3 passed')).toBe('tool_result')
  })

  it('reads a last block in a warning colour as an error after the prompt is back', () => {
    const rule = '─'.repeat(60)
    const at = (...said: string[]) => {
      const rows = [...said, '', rule, '➤ ', rule]
      return observe(rows, { cursor: rows.length - 2 }).view
    }
    expect(at('➤ go', '', `${RED}■ 400 zwarb nicht${OFF}`)).toBe('error')
    expect(at('➤ go', '', '■ 400 zwarb nicht')).toBe('idle_prompt')
    expect(at('Zwarb 1.2', '', `${RED}■ 400 zwarb nicht${OFF}`)).toBe('idle_prompt')
  })

  it('does not read the row that repeats the input box as an answer', () => {
    const rows = (mode: string) => [
      '❯ go',
      '',
      '■ Zwarb(x)',
      '  ╰  $ x',
      '',
      `▩  ${mode}`,
      '',
      '✻ Zwirb… (2s)',
      '',
      '─'.repeat(60),
      '❯ ',
      '  Zwock · Model 5',
      '─'.repeat(60),
    ]
    expect(observe(rows('Zwock · Model 5'), { cursor: 10 }).view).toBe('tool_running')
    expect(observe(rows('Zwack · Madel 6'), { cursor: 10 }).view).toBe('response_content')
  })

  const menu = ['─'.repeat(60), ' Would you like to go on?', '', ' ❯ 1. Yes', '   2. No', '', ' enter to select']

  it('does not read the line above a menu as text, whatever its colour', () => {
    const dashed = '╌'.repeat(60)
    for (const line of [dashed, `\u001b[38;2;80;80;80m${dashed}${OFF}`])
      expect(blockEnds(['§ The plan.', '', ' Move the list', line, '', ...menu])).toEqual([0, 2])
  })

  it('reads grey rows as text in a theme that draws all text in grey', () => {
    const grey = (text: string) => `\u001b[38;2;150;150;150m${text}${OFF}`
    const rows = (first: string) => [first, '', grey(' Three words here'), '', ...menu]
    expect(blockEnds(rows(grey(' Two words here')))).toEqual([0, 2])
    expect(blockEnds(rows(' Two words here'))).toEqual([0])
  })

  it('finds the input box in a terminal that was narrowed and not yet redrawn', () => {
    const rows = ['§ done', '', ...box(60)]
    expect(observe(rows, { narrow: 44 })).toMatchObject({ view: 'idle_prompt', rule: 'test/composer' })
  })

  it('reads a program without its input box as starting, for a while', () => {
    expect(observe(['Zwarb 1.2', '', '⠋ Zwirbling'], { t: 2, cursor: 3 })).toMatchObject({
      view: 'startup',
      busy: null,
    })
    expect(observe(['Zwarb 1.2', '', '⠋ Zwirbling'], { t: 60, cursor: 3 }).view).toBe('unknown')
    expect(observe(['§ words of an answer'], { t: 2, cursor: 3 }).view).toBe('unknown')
  })
})
