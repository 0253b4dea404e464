import { describe, expect, it } from 'vitest'
import { frameFromText } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory } from './memory.js'
import type { Observation } from './observation.js'
import { parsePack } from './pack/parse-pack.js'
import type { Payload } from './view.js'

/*
 * A frame from plain text has no colours, no motion and no cursor, and may show only part of a
 * screen: pasted text, or a snapshot of a program's own tests. Reading it depends on the form of
 * the rows alone.
 */
const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic')
const BOXED = parsePack(
  `pack = 1
agent = "boxed"
terminator = "none"
region = [{ name = "composer", kind = "open_box", body = '^›( (?!\\d)|$)', below = "indented", footer = '^hints' }]
blocks = [{ kind = "user", first = '^› \\S', more = '^  \\S', strip = 2 }, { kind = "prose", first = '^• ', more = '^  ', strip = 2 }]

[[rule]]
id = "working.row"
view = "thinking"
region = "status"
line = '^• \\S+ \\(\\d+s'
busy = true
`,
  'boxed.toml',
)

function observe(text: string, pack = GENERIC): Observation {
  return classify(frameFromText(text), initialMemory(), pack).observation
}

function menuOf(observation: Observation) {
  expect(observation.view).toBe('tool_menu')
  return (observation.payload as Payload['tool_menu']).menu!
}

const labels = (observation: Observation) => menuOf(observation).options.map(option => option.label)

describe('menus in plain text', () => {
  it('may show their keys above the options', () => {
    const text = `${'─'.repeat(60)}
 Trust this folder?
 ↑↓ navigate · Enter select · Esc exit

 /tmp/app

  ❯ Trust this folder
    Remembered for this folder.

    Don't trust
    Asked again next launch.

${'─'.repeat(60)}`
    expect(labels(observe(text))[0]).toBe('Trust this folder')
    expect(observe(text).awaiting).toBe('trust')
  })

  it('are live if a pointer is on consecutive numbers and nothing is below', () => {
    const menu = menuOf(observe('Delete the branch?\n\n● 1. Delete\n  2. Keep it'))
    expect(menu).toMatchObject({ question: 'Delete the branch?', selected: 0 })
    expect(menu.live.proofs).toEqual(['nothing-below', 'no-input-box', 'outside-transcript', 'pointer'])
  })

  it('are text if other rows are below them, or no row has a pointer', () => {
    expect(observe('● 1. Delete\n  2. Keep it\n\nThat is what you will see.').view).toBe('unknown')
    expect(observe('Do this:\n\n1. Delete\n2. Keep it').view).toBe('unknown')
  })

  it('are live with a pointer and without numbers if the options name their keys', () => {
    const menu = menuOf(observe('Run this command?\n\n  $ npm test\n\n→ Run (once) (y) (enter)\n  Skip (esc or n)'))
    expect(menu.options.map(({ label, accelerator }) => [label, accelerator])).toEqual([
      ['Run (once)', 'enter'],
      ['Skip', 'esc or n'],
    ])
    expect(observe('Run this command?\n\n→ Run\n  Skip').view).toBe('unknown')
  })

  it('are live in a box, although the pack only describes them without one', () => {
    const framed = parsePack(
      `pack = 1\nagent = "framed"\nmenus = [{ kind = "permission", question = '^ ?Proceed\\?$', column = 1 }]\n`,
      'framed.toml',
    )
    const box = (rows: readonly string[]) =>
      ['╭──────────────────────╮', ...rows.map(row => `│ ${row.padEnd(21)}│`), '╰──────────────────────╯'].join('\n')
    expect(labels(observe(box(['Proceed?', '❯ Yes', '  No']), framed))).toEqual(['Yes', 'No'])
    expect(observe('    Proceed?\n    ❯ Yes\n      No', framed).view).toBe('unknown')
  })

  it('may be a question in the last line, with the cursor after it', () => {
    expect(observe('Applied edit to a.py\nAdd b.py to the chat? (Y)es/(N)o [Yes]: \n').awaiting).not.toBeNull()
    expect(observe('Proceed? (y/n)').awaiting).not.toBeNull()
    expect(observe('It asks "Proceed? (y/n)" and waits.').awaiting).toBeNull()
  })

  it('keep the description of an option apart from its label', () => {
    const menu = menuOf(
      observe(
        'Which store?\n\n● 1.  SQLite\n      One file\n  2.  PostgreSQL\n      Many hosts\n\nEnter to select · Esc to leave',
      ),
    )
    expect(menu.options.map(({ label, detail }) => [label, detail])).toEqual([
      ['SQLite', 'One file'],
      ['PostgreSQL', 'Many hosts'],
    ])
  })

  it('join a label that was wrapped at the end of its row', () => {
    const long = 'Yes, and let it write into this folder for the rest of the week without'
    expect(labels(observe(`Go on?\n\n❯ 1. ${long}\n     asking\n  2. No\n\nenter to confirm · esc to leave`))).toEqual([
      `${long} asking`,
      'No',
    ])
  })

  it('read labels and descriptions that wrap side by side', () => {
    const menu = menuOf(
      observe(
        [
          'How shall it report?',
          '',
          '❯ 1. Every state it goes through,   For people who',
          '     with the time of each          watch it closely.',
          '  2. Only the end                   For all others.',
          '',
          'enter to choose · esc to leave',
        ].join('\n'),
      ),
    )
    expect(menu.options.map(({ label, detail }) => [label, detail])).toEqual([
      ['Every state it goes through, with the time of each', 'For people who watch it closely.'],
      ['Only the end', 'For all others.'],
    ])
  })

  it('read a filled round mark as the selection', () => {
    const menu = menuOf(
      observe('Pick a colour\n\n  ( ) Red\n  (x) Green\n  ( ) Blue\n\n↑/↓ move | Enter: take it | Esc: leave'),
    )
    expect(menu).toMatchObject({ selected: 1, multi: false })
    expect(menu.options.map(option => option.label)).toEqual(['Red', 'Green', 'Blue'])
  })

  it('do not include a list of round marks without keys below it', () => {
    expect(observe('Open:\n\n  ( ) Red\n  (x) Green\n  ( ) Blue').view).toBe('unknown')
  })

  it('are one group although a wrapped label lost blanks of its indent', () => {
    const rows = [
      'Run this command?',
      '',
      '❯ 1. Yes',
      ' 2. No, and tell it what it should do instead of',
      ' that',
      '',
      '↑/↓ to navigate · enter to select · esc to cancel',
    ]
    const box = ['╭', ...rows.map(row => `│ ${row.padEnd(50)} │`), '╰'].map(row =>
      row.length > 1 ? row : row + '─'.repeat(52) + (row === '╭' ? '╮' : '╯'),
    )
    expect(labels(observe(box.join('\n')))).toEqual(['Yes', 'No, and tell it what it should do instead of that'])
  })

  it('join a label that was wrapped for a narrower screen', () => {
    const text =
      'Run the following?\n\n› 1. Yes, do\n  2. No, and say what to do instead\n     of running it\n\n  enter to confirm or esc to cancel'
    expect(labels(observe(text))).toEqual(['Yes, do', 'No, and say what to do instead of running it'])
  })

  it('may have entries of several rows with blank rows between; the first row is the label', () => {
    const entry = (name: string, mark = ' ') => `${mark} ${name}\n  nothing has changed\n`
    const text = [
      'Go back to',
      '',
      entry('third'),
      entry('second', '●'),
      entry('first'),
      'Enter to select · Esc to close',
    ]
    const menu = menuOf(observe(text.join('\n')))
    expect(menu.options.map(({ label, detail }) => [label, detail])).toEqual([
      ['third', 'nothing has changed'],
      ['second', 'nothing has changed'],
      ['first', 'nothing has changed'],
    ])
    expect(menu.selected).toBe(1)
  })

  it('stay aligned although the pointer moves a number to the right', () => {
    const text = '1. Foo\n   the first\n› 2. Bar\n     the second\n3. Baz\n   the third'
    const menu = menuOf(observe(text))
    expect(menu.options.map(({ label, detail }) => [label, detail])).toEqual([
      ['Foo', 'the first'],
      ['Bar', 'the second'],
      ['Baz', 'the third'],
    ])
    expect(menu.selected).toBe(1)
  })

  it('may have an explanation between the options and the keys, but not text of the agent', () => {
    const menu = (words: string) =>
      observe(
        `Permissions\n\n❯ 1. Read only\n  2. Everything\n\n${words}\n  Press enter to confirm or esc to go back`,
        BOXED,
      )
    expect(labels(menu('  The first protects your files.\n  The second does not.'))).toEqual([
      'Read only',
      'Everything',
    ])
    expect(menu('• That is how it looks.').view).not.toBe('tool_menu')
  })

  it('have two options, not entries, if text follows two rows', () => {
    const text = '❯ Yes\n  No\n\n  More about this\n  in the guide\n\nEnter to select · Esc to close'
    expect(labels(observe(text)).slice(0, 2)).toEqual(['Yes', 'No'])
  })

  it('may be buttons in brackets if keys are named below and there is no input box', () => {
    const rule = '─'.repeat(60)
    const buttons = `Review your answers\n\nColour: red\n\n[ Submit ]  [ Cancel ]\n\n${rule}\n↑/↓ move | enter select | esc cancel\n${rule}`
    expect(labels(observe(buttons, BOXED))).toEqual(['Submit', 'Cancel'])
    expect(observe(`Press [ Submit ]  [ Cancel ]\n\n› `, BOXED).view).toBe('idle_prompt')
    expect(observe('[ Submit ]  [ Cancel ]', BOXED).view).toBe('unknown')
  })

  it('may be in a box that is not at the left edge, or after a bar', () => {
    const frame = [
      '╭───────────────────╮',
      '│ Apply the change? │',
      '│                   │',
      '│ ● 1. Apply        │',
      '│   2. Leave it     │',
      '╰───────────────────╯',
    ]
    expect(labels(observe(frame.map(row => `      ${row}`).join('\n')))).toEqual(['Apply', 'Leave it'])
    expect(
      labels(observe('▌ Run it?\n▌\n▌ > 1. Run\n▌   2. Cancel\n\nPress Enter to confirm or Esc to leave')),
    ).toEqual(['Run', 'Cancel'])
  })
})

describe('a text field', () => {
  it('is read as a question without options', () => {
    const menu = menuOf(observe('What shall it be called?\n\n> e.g. report\n\n\nEnter to submit · Esc to cancel'))
    expect(menu).toMatchObject({
      question: 'What shall it be called?',
      options: [],
      text: { option: null, value: '', placeholder: 'e.g. report', secret: false },
    })
  })

  it('contains the typed text', () => {
    const menu = menuOf(observe('What shall it be called?\n\n> summary\n\nEnter to submit · Esc to cancel'))
    expect(menu.text).toMatchObject({ value: 'summary', placeholder: '' })
  })

  it('may have its own frame, and hide a key', () => {
    const menu = menuOf(
      observe(
        [
          '╭──────────────────────────────────────────╮',
          '│ Enter the API Key                        │',
          '│                                          │',
          '│ ╭──────────────────────────────────────╮ │',
          '│ │ Paste your key here                  │ │',
          '│ ╰──────────────────────────────────────╯ │',
          '│                                          │',
          '│ (Press Enter to submit, Esc to cancel)   │',
          '╰──────────────────────────────────────────╯',
        ].join('\n'),
      ),
    )
    expect(menu).toMatchObject({ kind: 'api_key', text: { placeholder: 'Paste your key here', secret: true } })
  })
})

describe('the input box in plain text', () => {
  const edge = '─'.repeat(60)
  it.each([
    ['between rules', `${edge}\n> Type here\n${edge}\n  hints`],
    ['in a frame', `╭${edge}╮\n│ > Type here${' '.repeat(48)}│\n╰${edge}╯\n~/app   model`],
    ['on a band', `${'▄'.repeat(60)}\n > Type here\n${'▀'.repeat(60)}`],
    ['on a band drawn the other way round', `${'▀'.repeat(60)}\n > Type here\n${'▄'.repeat(60)}`],
    ['as a bare row', '› Type here\n\n  model · ~/app'],
  ])('is found %s', (_, text) => {
    expect(observe(text)).toMatchObject({ view: 'idle_prompt', busy: false, awaiting: null, confidence: 0.5 })
  })

  it('is not found above the box of a tool, which is the echo of a prompt', () => {
    const band = `${'▄'.repeat(60)}\n > count the lines\n${'▀'.repeat(60)}`
    const tool = '╭──────────────────╮\n│ ≡ Counting…      │\n╰──────────────────╯'
    expect(observe(`${band}\n\n${tool}`).view).not.toBe('idle_prompt')
  })

  it('is not found above keys that confirm or cancel, which belong to a list with one entry', () => {
    const list = 'Sessions\n\n› the only one   2 hours ago\n\n  Press enter to open or esc to go back'
    expect(observe(list, BOXED)).toMatchObject({
      view: 'unknown',
      payload: { recognised: true, screen: 'overlay' },
      busy: null,
    })
  })

  it('is found although a completion list with keys is visible', () => {
    const open = '› $sa\n\n\n  Sample  a plugin\n\n  Press enter to insert or esc to close'
    expect(observe(open, BOXED)).toMatchObject({ view: 'idle_prompt', composer: { draft: '$sa' } })
  })

  it('may have footer rows at the left edge that the pack names', () => {
    expect(observe('• done\n\n› \n\nhints', BOXED).view).toBe('idle_prompt')
    expect(observe('• done\n\n› \n\nother words', BOXED).view).not.toBe('idle_prompt')
  })
})

describe('work in plain text', () => {
  it('is recognised by the working row, whatever is attached below it', () => {
    const below = ['  └ reading src/a.ts', '', '  ↳ and then the tests', '  ↳ and the docs']
    const text = `› make it faster\n\n• Working (4s • esc to stop)\n${below.join('\n')}\n\n› `
    expect(observe(text, BOXED)).toMatchObject({ view: 'thinking', rule: 'boxed/working.row', busy: true })
    expect(observe(text)).toMatchObject({ view: 'thinking', busy: true })
  })

  it('continues while a count next to a time is incomplete', () => {
    const at = (count: string) =>
      observe(
        `❯ go\n\n✻ The service is busy · again in 2s · attempt ${count}\n\n${'─'.repeat(80)}\n❯ \n${'─'.repeat(80)}`,
      )
    expect(at('1/5')).toMatchObject({ view: 'thinking', busy: true })
    expect(at('5/5')).toMatchObject({ view: 'idle_prompt', busy: false })
  })
})
