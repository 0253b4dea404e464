import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory, type ScreenMemory } from './memory.js'
import { updateTracks } from './motion.js'
import { parsePack } from './pack/parse-pack.js'
import type { ScreenRow } from './screen-row.js'

/* Shapes that agents share, drawn by an agent that no pack describes. */
const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic.toml')
const COLS = 60

/** `cursor`: its row and column, from 1; hidden otherwise. */
function draw(rows: readonly string[], memory: ScreenMemory = initialMemory(), cursor: [number, number] | null = null) {
  const emulator = new TerminalEmulator({ cols: COLS, rows: 20 })
  const drawn = `\u001b[?25l${rows.join('\r\n')}\r\n${cursor ? `\u001b[${cursor[0]};${cursor[1]}H\u001b[?25h` : ''}`
  emulator.feed(new TextEncoder().encode(drawn), 30, { live: false })
  return classify({ ...emulator.currentFrame(), t: 30 }, memory, GENERIC)
}

const framed = (...texts: string[]) => [
  `╭${'─'.repeat(58)}╮`,
  ...texts.map(text => `│ ${text.padEnd(57)}│`),
  `╰${'─'.repeat(58)}╯`,
]
const RULE = '─'.repeat(COLS)

function menuOf(rows: readonly string[], cursor: [number, number] | null = null) {
  const { view, payload } = draw(rows, initialMemory(), cursor).observation
  const menu = view === 'tool_menu' ? (payload as { menu: Menu | null }).menu : null
  return { view, question: menu?.question, labels: menu?.options.map(({ label }) => label), selected: menu?.selected }
}

interface Menu {
  question: string
  options: { label: string }[]
  selected: number | null
}

describe('a program that prints lines', () => {
  const asked = ['Zwarb 1.0', '', '🦊 fix the test']

  function sent(...below: string[]) {
    const fresh = draw(['Zwarb 1.0', '', '🦊 '], initialMemory(), [3, 4])
    const typed = draw(asked, fresh.memory, [3, 16])
    return draw([...asked, ...below], typed.memory, [4 + below.length, 1]).observation
  }

  it('is at work while its prompt is gone and the typed text is repeated', () => {
    expect(sent('', 'I look at the test.')).toMatchObject({ view: 'response_content', busy: true })
  })

  it('is idle when its prompt is back', () => {
    const fresh = draw(['Zwarb 1.0', '', '🦊 '], initialMemory(), [3, 4])
    const typed = draw(asked, fresh.memory, [3, 16])
    const rows = [...asked, '', 'Done.', '', '🦊 ']
    expect(draw(rows, typed.memory, [7, 4]).observation).toMatchObject({ view: 'idle_prompt', busy: false })
  })

  it('does not read a quotation at the cursor as its prompt', () => {
    expect(sent('', 'The note says:', '> keep it simple').composer).toBeNull()
  })

  it('is at work on a row with a mark, an ellipsis and the key that interrupts', () => {
    expect(sent('', '◓  Reading the map...  (Ctrl+C to interrupt)')).toMatchObject({ view: 'thinking', busy: true })
  })
})

describe('a dialog of an unknown agent', () => {
  it('may have a gutter instead of a box, and round marks instead of a pointer', () => {
    const rows = ['◆  Run the tool?', '│  ● Allow', '│  ○ Always allow', '│  ○ Deny', '└']
    expect(menuOf(rows)).toEqual({
      view: 'tool_menu',
      question: 'Run the tool?',
      labels: ['Allow', 'Always allow', 'Deny'],
      selected: 0,
    })
  })

  it('may have its numbers in brackets and status rows below its lower line', () => {
    const rows = [
      RULE,
      ' ? Which runner?',
      '',
      '    [1] one',
      '  → [2] two',
      '',
      '  ↑↓ select  ↵ choose  esc cancel',
      RULE,
    ]
    expect(menuOf([...rows, ' model thinking  /app  main'])).toEqual({
      view: 'tool_menu',
      question: 'Which runner?',
      labels: ['one', 'two'],
      selected: 1,
    })
  })

  it('is live although a status row below its box asks for the person', () => {
    const box = framed('Allow execution?', '', '● Yes, allow once', '○ No (esc)')
    const rows = [...box, '', '⠏ Waiting for user confirmation...', '', '/app      model']
    expect(menuOf(rows)).toMatchObject({ view: 'tool_menu', labels: ['Yes, allow once', 'No'], selected: 0 })
  })

  it('may have its question and its options in two parts of one box', () => {
    const [top, question, one, two, keys, bottom] = framed(
      'Which runner?',
      '❯ ○ one',
      '  ○ two',
      'Enter select · Esc cancel',
    )
    const divider = `├${'─'.repeat(58)}┤`
    const rows = ['◆ zwarb', '', top!, question!, divider, one!, two!, divider, keys!, bottom!]
    expect(menuOf(rows)).toMatchObject({ question: 'Which runner?', labels: ['one', 'two'], selected: 0 })
  })

  it('is not read from a sentence below a box', () => {
    const rows = [...framed('Allow execution?', '', '> Yes', '  No'), '', 'This is what the dialog looks like.']
    expect(menuOf(rows).view).not.toBe('tool_menu')
  })
})

describe('the input box of an unknown agent', () => {
  it('is found above a footer that has its own rule', () => {
    const rows = ['◆ zwarb', '', RULE, ' ❯ ', RULE, '  Workspace · ready', `  ${'─'.repeat(56)}`, '  app@main']
    expect(draw(rows, initialMemory(), [4, 4]).observation.view).toBe('idle_prompt')
  })

  it('keeps a draft of several lines after its glyph', () => {
    const { view, composer } = draw([
      'Zwarb',
      '',
      ...framed('● first line', '  second line'),
      '  /app  main',
    ]).observation
    expect(view).toBe('idle_prompt')
    expect(composer?.draft).toMatch(/^first line\n *second line$/)
  })

  it('stays live while commands are listed below a status row', () => {
    const rows = ['Zwarb', '', ...framed('❯ /'), '', '  auto-edit: off', '', '  /help Show help', '  /exit Leave', '']
    expect(draw([...rows, '  ↑↓ navigate • Enter select • Esc cancel']).observation.view).toBe('idle_prompt')
  })
})

describe('a prompt in the corner of a frame', () => {
  const figures = ` π > model > app ─────────12%${'─'.repeat(24)}128K─`
  const box = (...draft: string[]) => ['An answer.', '', figures, ...draft]

  it('is an input box below a row of figures', () => {
    const { view, composer } = draw(box('╰─ '), initialMemory(), [4, 4]).observation
    expect([view, composer?.empty, composer?.rows]).toEqual(['idle_prompt', true, [2, 3]])
  })

  it('has the text after the corner as its draft, also in several rows', () => {
    expect(draw(box('╰─ fix the test'), initialMemory(), [4, 16]).observation.composer?.draft).toBe('fix the test')
    const rows = box('│  fix the test', '╰─ and the docs')
    expect(draw(rows, initialMemory(), [5, 16]).observation.composer?.draft).toBe('fix the test\nand the docs')
  })

  it('shows work in the row of figures', () => {
    const rows = (sign: string) => ['> fix it', '', figures.replace('π', sign), '╰─ ']
    const signs = ['⠋ 1s', '⠙ 1s', '⠹ 2s']
    const read = (shown: readonly string[]) =>
      shown.reduce(
        (memory, sign) => draw(rows(sign), memory, [4, 4]).memory,
        draw(rows('π'), initialMemory(), [4, 4]).memory,
      )
    expect(draw(rows('⠸ 2s'), read(signs), [4, 4]).observation.busy).toBe(true)
    expect(draw(rows('π'), read(['π', 'π', 'π']), [4, 4]).observation.busy).not.toBe(true)
  })

  it('is not the last row of a tree of files', () => {
    const tree = ['src', '├── a.ts', '└── ']
    expect(draw(tree, initialMemory(), [3, 5]).observation.composer).toBeNull()
    expect(draw(box('╰─ ', 'Text below it', 'goes on.'), initialMemory(), [6, 9]).observation.composer).toBeNull()
  })
})

describe('work and failure of an unknown agent', () => {
  const titled = (title: string) =>
    draw([`\u001b]0;${title}\u0007Zwarb`, '', RULE, ' ❯ ', RULE], initialMemory(), [4, 4]).observation.busy

  it('may turn behind the name in the title', () => {
    expect(titled('π ⠹ app')).toBe(true)
    expect(titled('π > app')).toBe(false)
  })

  it('may be a status code after a sign, in place of an answer', () => {
    const rows = (report: string) => ['❯ fix it', '', report, '   settings.', '', RULE, ' ❯ ', RULE]
    const report = ' ✘ 401 Incorrect API key. You can find it in your account'
    expect(draw(rows(report), initialMemory(), [7, 4]).observation.view).toBe('error')
    expect(draw(rows(' • 401 rows were read from the file'), initialMemory(), [7, 4]).observation.view).toBe(
      'idle_prompt',
    )
  })
})

describe('a row of an unknown agent', () => {
  it('is a tool if it is in a frame after a mark', () => {
    const { layout } = draw(['> fix it', '', ...framed('✔  Shell npm test', '', '  ok'), '', '', ...framed('> ')])
    expect(layout.blocks.map(({ kind }) => kind)).toContain('tool_call')
  })

  it('is a trace of a spinner and not motion if it differs only in its mark', () => {
    const row = (text: string) => ({ text }) as ScreenRow
    expect(updateTracks([], [row('◓  Reading'), row('◒  Reading')], 1)).toEqual([])
    expect(updateTracks([], [row('◓  Reading')], 1)).toHaveLength(1)
  })
})

describe('a list that a slash command opened', () => {
  const list = ['Select a theme', '', '❯ Dark', '  Light', '  Sepia', '', 'Enter to select · Esc to cancel']

  function opened(command: string, rows: readonly string[] = list) {
    const fresh = draw(framed('> '))
    const typed = draw(framed(`> ${command}`), fresh.memory)
    return draw(rows, typed.memory).observation
  }

  it('causes no notification after the command', () => {
    expect(opened('/theme')).toMatchObject({ view: 'tool_menu', awaiting: 'picker' })
  })

  it('is a question if no command was typed', () => {
    expect(draw(list).observation).toMatchObject({ view: 'tool_menu', awaiting: 'question' })
    expect(opened('choose a theme')).toMatchObject({ view: 'tool_menu', awaiting: 'question' })
  })

  it('does not hide a request for permission', () => {
    const asking = ['Run npm test?', '', '❯ Yes', '  No', '', 'Enter to select · Esc to cancel']
    expect(opened('/review', asking)).toMatchObject({ view: 'tool_menu', awaiting: 'permission' })
  })
})

describe('a box that contains one spinning row', () => {
  const asked = ['user', 'fix the test', '']

  function boxed(text: string) {
    const typed = draw(framed('fix the test'))
    return draw([...asked, ...framed(text), '  press enter to send'], typed.memory).observation
  }

  it('is work that replaces the input box', () => {
    expect(boxed('(  ●   )  Thinking')).toMatchObject({ view: 'thinking', busy: true, composer: null })
    expect(boxed('⠹ Reading files')).toMatchObject({ view: 'thinking', busy: true, composer: null })
  })

  it('is not an option of a list', () => {
    expect(boxed('(●) Dark')).not.toMatchObject({ view: 'thinking' })
  })
})

describe('the first rows of a program', () => {
  function printed(rows: readonly string[], memory = initialMemory()) {
    const emulator = new TerminalEmulator({ cols: COLS, rows: 20 })
    emulator.feed(new TextEncoder().encode(rows.map(row => `${row}\r\n`).join('')), 2, { live: false })
    return classify({ ...emulator.currentFrame(), t: 2 }, memory, GENERIC).observation
  }

  it('are its startup, even if they announce work', () => {
    expect(printed(['🤖 Starting Zwarb...'])).toMatchObject({ view: 'startup', busy: null })
  })

  it('are not its startup after a key was pressed', () => {
    expect(printed(['🤖 Starting Zwarb...'], { ...initialMemory(), lastInputAt: 1 }).view).not.toBe('startup')
  })
})

describe('a failed request of an agent', () => {
  const asked = ['> fix the test', '']

  it('is an error if its report has a status code or a sign', () => {
    const reports = ['⏺ Sorry, I encountered an error: 401 wrong key', '✕ [API Error: 500 try again]']
    for (const report of reports) expect(draw([...asked, report, '', ...framed('> ')]).observation.view).toBe('error')
  })

  it('is not read from an answer about errors', () => {
    const answer = ['⏺ The page is missing.', '  Its server says error 404.']
    expect(draw([...asked, ...answer, '', ...framed('> ')]).observation.view).toBe('idle_prompt')
  })
})

describe('a question at the cursor that offers a sign-in', () => {
  it('is a sign-in with its options', () => {
    const rows = ['No key found.', 'Would you like to log in? [(y)es, (n)o]: ']
    const { view, payload } = draw(rows, initialMemory(), [2, 43]).observation
    expect({ view, payload }).toMatchObject({
      view: 'auth_required',
      payload: { menu: { question: 'Would you like to log in?', options: [{ label: 'yes' }, { label: 'no' }] } },
    })
  })
})

describe('a filled window without edges', () => {
  const filled = (text: string) => `\u001b[48;2;13;13;13m${text.padEnd(50)}\u001b[0m`
  const window = (beside: string) =>
    ['Welcome', '', '→ Continue', '  Skip', ''].map(text => `${beside.padEnd(5)}${filled(`  ${text}`)}`)

  it('has the keyboard if it covers words', () => {
    expect(menuOf(window('Vers'))).toMatchObject({ view: 'tool_menu', labels: ['Continue', 'Skip'], selected: 0 })
  })

  it('is code if nothing is beside it', () => {
    const rows = ['> show me a menu', '', ...window(''), '', ...framed('> ')]
    expect(draw(rows).observation.view).not.toBe('tool_menu')
  })
})
