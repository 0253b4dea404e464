import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../../terminal/index.js'
import { classify } from '../classify.js'
import { initialMemory } from '../memory.js'
import type { Observation } from '../observation.js'
import { parsePack } from '../pack/parse-pack.js'
import type { Payload } from '../view.js'

const PACK = parsePack(
  `pack = 1
agent = "test"
region = [{ name = "composer", kind = "box", top = '^─+$', body = '^>( |$)', bottom = '^─+$' }]
blocks = [{ kind = "prose", first = '^• ', more = '^  ', strip = 2 }]
`,
  'test.toml',
)
const COLS = 80
const at = (row: number, column: number, text: string) => `\u001b[${row};${column}H${text}`
const CONVERSATION = [
  at(1, 1, `• ${'The words of an answer go on and on behind the window. '.repeat(1)}`),
  at(3, 1, `  ${'More of it, in every row, up to the right edge of the screen.'.padEnd(74, '.')}`),
  at(5, 1, `  ${'And still more of it.'.padEnd(74, '.')}`),
  at(18, 1, '─'.repeat(COLS)),
  at(19, 1, '> '),
  at(20, 1, '─'.repeat(COLS)),
  at(21, 1, '  esc to cancel'),
].join('')

function button(text: string, isLit: boolean): string {
  return `\u001b[${isLit ? '48;2;90;80;250' : '48;2;60;60;60'}m  ${text}  \u001b[0m`
}

/** A box with a question, two buttons and key hints, its left edge in this column. */
function dialog(left: number, width: number): string {
  const row = (y: number, text: string) => at(y, left, `│ ${text.padEnd(width - 4)} │`)
  return [
    at(4, left, `╭${'─'.repeat(width - 2)}╮`),
    row(5, 'May it delete the folder?'),
    row(6, ''),
    row(7, ''),
    at(7, left + 2, `${button('Delete', true)}  ${button('Keep', false)}`),
    row(8, ''),
    row(9, '←/→ choose • enter confirm • esc leave'),
    at(10, left, `╰${'─'.repeat(width - 2)}╯`),
  ].join('')
}

function observe(drawn: string): Observation {
  const emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
  emulator.feed(new TextEncoder().encode(`${CONVERSATION}${drawn}${at(19, 3, '')}`), 0, { live: false })
  return classify(emulator.currentFrame(), initialMemory(), PACK).observation
}

/**
 * As whiptail and dialog draw it: no key hints, buttons in brackets, the selected one with another
 * background.
 */
function box(pressed: 0 | 1 | null): string {
  const [ground, lit, off] = ['\u001b[30;47m', '\u001b[37;41m', '\u001b[0m']
  const buttons = ['<Yes>', '<No>'].map((text, index) => (index === pressed ? `${lit}${text}${ground}` : text))
  const row = (y: number, text: string, width: number) =>
    at(y, 16, `${ground}│ ${text}${' '.repeat(46 - width)} │${off}`)
  return [
    at(9, 16, `${ground}┌${'─'.repeat(48)}┐${off}`),
    row(10, 'Remove the old build?', 21),
    row(11, '', 0),
    row(12, `          ${buttons.join('              ')}`, 33),
    at(13, 16, `${ground}└${'─'.repeat(48)}┘${off}`),
  ].join('')
}

function observeAlone(drawn: string): Observation {
  const emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
  emulator.feed(new TextEncoder().encode(`\u001b[?1049h${drawn}`), 0, { live: false })
  return classify(emulator.currentFrame(), initialMemory(), parsePack('pack = 1\nagent = "generic"\n', 'generic'))
    .observation
}

describe('a dialog box with buttons', () => {
  it.each([0, 1] as const)('is a request, and its highlighted button is selected (%i)', pressed => {
    const observation = observeAlone(box(pressed))
    expect(observation.view).toBe('tool_menu')
    const { menu } = observation.payload as Payload['tool_menu']
    expect(menu).toMatchObject({ layout: 'horizontal', question: 'Remove the old build?', selected: pressed })
    expect(menu!.options.map(option => option.label)).toEqual(['Yes', 'No'])
  })

  it('is a drawing if no button is highlighted', () => {
    expect(observeAlone(box(null)).awaiting).toBeNull()
  })
})

describe('a window over the conversation', () => {
  it('is a request, although the input box and the conversation are visible around it', () => {
    const observation = observe(dialog(16, 50))
    expect(observation).toMatchObject({ view: 'tool_menu', busy: false })
    const { menu } = observation.payload as Payload['tool_menu']
    expect(menu).toMatchObject({
      layout: 'horizontal',
      question: 'May it delete the folder?',
      selected: 0,
      rows: [3, 8],
    })
    expect(menu!.options.map(option => option.label)).toEqual(['Delete', 'Keep'])
  })

  it('is not found if the box is not centred, because text can draw one too', () => {
    expect(observe(dialog(3, 50))).toMatchObject({ view: 'idle_prompt', awaiting: null })
  })

  it('is not found without its lower edge', () => {
    const torn = dialog(16, 50).slice(0, dialog(16, 50).lastIndexOf(at(10, 16, '')))
    expect(observe(torn)).toMatchObject({ view: 'idle_prompt', awaiting: null })
  })
})
