import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory } from './memory.js'
import type { Menu } from './menu/menu.js'
import type { Observation } from './observation.js'
import { parsePack } from './pack/parse-pack.js'

/* Dialogs of an agent that no pack describes, in the shapes that programs share. */
const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic.toml')
const COLS = 80
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`
const bold = (text: string) => `\u001b[1m${text}\u001b[22m`
const lit = (text: string) => `\u001b[7m${text}\u001b[27m`
const red = (text: string) => `\u001b[31m${text}\u001b[39m`
const WITHOUT_STYLE = /\u001b\[\d+m/gu

const framed = (...texts: string[]) => [
  `╭${'─'.repeat(78)}╮`,
  ...texts.map(text => `│ ${text}${' '.repeat(77 - text.replace(WITHOUT_STYLE, '').length)}│`),
  `╰${'─'.repeat(78)}╯`,
]
const SAID = ['Zwarb 2', '', '> fix it', '', '⏺ I will run the tests.', '']

/** `cursor`: its row and column, from 1; hidden otherwise. */
function observe(rows: readonly string[], cursor: [number, number] | null = null): Observation {
  const emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
  const end = cursor ? `\u001b[${cursor[0]};${cursor[1]}H\u001b[?25h` : '\r\n'
  emulator.feed(new TextEncoder().encode(`\u001b[?25l${rows.join('\r\n')}${end}`), 0, { live: false })
  return classify({ ...emulator.currentFrame(), t: 1 }, initialMemory(), GENERIC).observation
}

function menuOf(rows: readonly string[], cursor: [number, number] | null = null) {
  const { view, awaiting, payload } = observe(rows, cursor)
  const menu = (payload as { menu?: Menu | null }).menu ?? null
  return {
    view,
    awaiting,
    question: menu?.question,
    labels: menu?.options.map(({ label }) => label),
    keys: menu?.options.map(({ accelerator }) => accelerator),
    selected: menu?.selected,
  }
}

describe('options that are chosen with a key each', () => {
  it.each([
    ['in brackets', 'Allow npm test?', ['  [a] allow   [s] allow for the session   [d] deny']],
    ['in the word', 'Allow npm test?', ['  (a)llow   (s)ession   (d)eny']],
    ['in a sentence', 'Allow npm test?', ['  Press a to allow, s to allow for the session, d to deny']],
  ])('may have it %s', (_, question, rows) => {
    expect(menuOf([...SAID, question, '', ...rows])).toMatchObject({
      view: 'tool_menu',
      awaiting: 'permission',
      question,
      keys: ['a', 's', 'd'],
      selected: null,
    })
  })

  it('may have it in front of each label in a box', () => {
    const row = `${bold('a')} allow   ${bold('s')} allow for the session   ${bold('d')} deny`
    expect(menuOf([...SAID, ...framed('Permission required', '', 'npm test', '', row)])).toMatchObject({
      view: 'tool_menu',
      labels: ['allow', 'allow for the session', 'deny'],
      keys: ['a', 's', 'd'],
    })
  })

  it('may have it as their first letter, in a style of its own', () => {
    const row = `Allow? ${bold('y')}es  ${bold('n')}o  ${bold('a')}lways allow shell`
    expect(menuOf([...SAID, ...framed('Tool: shell', 'npm test', '', row)])).toMatchObject({
      view: 'tool_menu',
      labels: ['yes', 'no', 'always allow shell'],
      keys: ['y', 'n', 'a'],
    })
  })

  it('are not read from a sentence of an answer', () => {
    const rows = ['> fix it', '', '⏺ Zwarb says: press a to allow, s for the session, d to deny', '', '> ']
    expect(menuOf(rows, [5, 3]).view).not.toBe('tool_menu')
  })
})

describe('options with round marks', () => {
  it('may have numbers before the marks, behind a gutter', () => {
    const rows = [
      '  ◆ Run the tests… 3.0s',
      '',
      '  ┃',
      '  ┃  Run the tests',
      '  ┃  ← → scope  ·  e edit',
      '  ┃',
      `  ┃  1 ${bold('(●) Yes, always')}`,
      '  ┃  2 (○) Yes, once',
      '  ┃  3 (○) No',
      '  ┃',
      '',
      '  1/3:select  │  Tab:next option  │  Ctrl+c:cancel',
    ]
    expect(menuOf(rows)).toMatchObject({
      view: 'tool_menu',
      question: 'Run the tests',
      labels: ['Yes, always', 'Yes, once', 'No'],
      selected: 0,
    })
  })

  it('may be side by side below a question', () => {
    expect(menuOf(['Zwarb 2', '', 'Send usage data?', '', '○ Yes / ● No'])).toMatchObject({
      view: 'tool_menu',
      labels: ['Yes', 'No'],
      selected: 1,
    })
  })

  it('may have a pointer besides, which shows the selection', () => {
    const rows = [
      ...SAID,
      'Which files?',
      '',
      '  ◉ a.js',
      '❯ ◯ b.js',
      '  ◉ c.js',
      '',
      dim('space to toggle, enter to confirm'),
    ]
    const { payload } = observe(rows)
    const { menu } = payload as { menu: Menu }
    expect(menu.options.map(({ label, checked }) => [label, checked])).toEqual([
      ['a.js', true],
      ['b.js', false],
      ['c.js', true],
    ])
    expect(menu.selected).toBe(1)
  })
})

describe('options that only a style selects', () => {
  it('may be rows above the key that confirms', () => {
    const rows = [
      ...SAID,
      ...framed('Run npm test?', '', ' Allow ', lit(' Deny '), '', dim('↑↓ select  enter confirm')),
    ]
    expect(menuOf(rows)).toMatchObject({ view: 'tool_menu', labels: ['Allow', 'Deny'], selected: 1 })
  })

  it('may be side by side in a box without any key', () => {
    const rows = [...SAID, ...framed('Run npm test?', '', `${lit(' Allow ')}   Always    Deny `)]
    expect(menuOf(rows)).toMatchObject({ view: 'tool_menu', labels: ['Allow', 'Always', 'Deny'], selected: 0 })
  })
})

describe('the first start of a program', () => {
  it('asks for a key in a box of its own', () => {
    const rows = [
      'Zwarb 2',
      '',
      'Enter your API key to get started',
      '',
      ...framed(dim('zw-…')),
      dim('enter to submit · esc to leave'),
    ]
    expect(menuOf(rows, [6, 3])).toMatchObject({
      view: 'tool_menu',
      awaiting: 'api_key',
      question: 'Enter your API key to get started',
    })
  })

  it('asks for a key behind the gutter of a set-up', () => {
    const rows = ['┌  Zwarb', '│', '◆  Enter your API key', '│  _', '└']
    expect(menuOf(rows, [4, 4])).toMatchObject({ view: 'tool_menu', awaiting: 'api_key' })
  })

  it('waits for any key', () => {
    const rows = ['Zwarb 2', '', 'Zwarb is new. Check what it changes.', '', dim('Press any key to continue…')]
    expect(menuOf(rows)).toMatchObject({ view: 'tool_menu' })
  })

  it('is a sign-in that failed and can be tried again', () => {
    const rows = [
      'Zwarb 2',
      '',
      red('Authentication failed:'),
      'could not reach sign-in.example',
      '',
      '> Press Enter to try again',
    ]
    expect(observe(rows)).toMatchObject({ view: 'auth_required', awaiting: 'auth' })
  })
})

describe('a failed request', () => {
  const box = ['  ┃', '  ┃', '  ┃  model-1', `  ╹${'▀'.repeat(70)}`]

  it('is a text behind a gutter in a warning colour', () => {
    const text = [`  ${red('┃')}`, `  ${red('┃')}  The key was refused.`, `  ${red('┃')}`]
    const { view } = observe(['> fix the tests', '', ...text, '', ...box], [8, 6])
    expect(view).toBe('error')
  })

  it('is reported below a remark in a quiet style', () => {
    const rows = [
      ...framed('» fix the tests'),
      '',
      dim(' Started thread 4711'),
      '',
      red(' Error: the key was refused.'),
      '',
    ]
    expect(observe([...rows, ...framed('› ')], [10, 5]).view).toBe('error')
  })
})
