import { expect, test } from 'vitest'
import { TerminalEmulator } from '../../terminal/index.js'
import { classify } from '../classify.js'
import { initialMemory } from '../memory.js'
import { parsePack } from '../pack/parse-pack.js'
import type { Payload } from '../view.js'
import { findQuestion } from './question.js'

const PACK = parsePack(
  `pack = 1
agent = "test"
blocks = [
  { kind = "user", first = '^> \\S', more = '^  \\S', strip = 2 },
  { kind = "prose", first = '^• ', more = '^  ', strip = 2 },
  { kind = "tool_call", first = '^\\? \\S', strip = 2 },
]
menus = [{ kind = "permission", question = '^May it ' }]
`,
  'test.toml',
)

function menuOn(rows: readonly string[]) {
  const emulator = new TerminalEmulator({ cols: 80, rows: 24 })
  emulator.feed(new TextEncoder().encode(`\u001b[?25l${rows.join('\r\n')}`), 1, { live: false })
  const frame = emulator
    .endFrame(2)
    .flatMap(event => (event.type === 'frame' ? [event.frame] : []))
    .at(-1)!
  const { view, payload } = classify(frame, initialMemory(), PACK).observation
  expect(view).toBe('tool_menu')
  return (payload as Payload['tool_menu']).menu!
}

const OPTIONS = ['\u001b[36m❯ 1. Yes\u001b[0m', '  2. No']

test('the last line that asks is the question, and the first line is the title', () => {
  expect(findQuestion(['Bash command', 'npm test', 'Do you want to proceed?'], null)).toEqual({
    title: 'Bash command',
    question: 'Do you want to proceed?',
    body: ['npm test'],
  })
})

test('a field that ends in a question mark is not the question', () => {
  const lines = ['Would you like to run the following command?', 'Reason: Run the slow job?', '$ node slow.js']
  expect(findQuestion(lines, null).question).toBe('Would you like to run the following command?')
})

test('a command, a change or a listing is not the question if another line is there', () => {
  expect(findQuestion(['△ Permission required', '# Shell command', '$ node slow.js'], null).question).toBe(
    'Permission required',
  )
  expect(findQuestion(['$ node slow.js'], null).question).toBe('$ node slow.js')
})

test('the title that a pack knows is the question if no line asks', () => {
  const known = { question: null, title: /Select model/u }
  expect(findQuestion(['Select model', 'Your pick becomes the default.'], known)).toEqual({
    title: '',
    question: 'Select model',
    body: ['Your pick becomes the default.'],
  })
})

test('a menu without text above its options has no question', () => {
  expect(findQuestion([], null)).toEqual({ title: '', question: '', body: [] })
})

test('text above a menu without an edge is not part of it', () => {
  const said = ['> tidy up', '', '• Two folders are left over', '  from the last build.']
  expect(menuOn([...said, '', 'May it remove dist?', '', ...OPTIONS])).toMatchObject({
    question: 'May it remove dist?',
    body: [],
  })
})

test('the call that the menu is about becomes its title', () => {
  const said = ['> tidy up', '', '• I remove it.', '? Shell rm -r dist', '', 'May it run this?', '', ...OPTIONS]
  expect(menuOn(said)).toMatchObject({ title: 'Shell rm -r dist', question: 'May it run this?' })
})

test('a question that the grammar reads as the end of an answer stays the question', () => {
  const said = ['• Two folders are left over.', '', '  May it remove them?', '', '  Folder: dist', '']
  expect(menuOn([...said, ...OPTIONS])).toMatchObject({ question: 'May it remove them?', body: ['Folder: dist'] })
})

test('a rule with a name in it is an upper edge', () => {
  const edge = `${'─'.repeat(60)} medium ──`
  expect(menuOn(['• Done.', edge, 'Rewind', '', 'To which point:', ...OPTIONS])).toMatchObject({
    title: 'Rewind',
    body: [],
  })
})

test('a label that was wrapped inside bold text is one label', () => {
  const long = '  2. Yes, and switch to \u001b[1maccept edits (edits of files and common commands of'
  const rows = ['May it run this?', OPTIONS[0]!, long, '     files)\u001b[0m for this session', '  3. No']
  expect(menuOn(rows).options.map(option => option.label)).toEqual([
    'Yes',
    'Yes, and switch to accept edits (edits of files and common commands of files) for this session',
    'No',
  ])
})

test('dim rows below labels are descriptions', () => {
  const quiet = (text: string) => `\u001b[90m  ${text}\u001b[0m`
  const rows = [
    'May it sign in?',
    '',
    '\u001b[32m› Account\u001b[0m',
    quiet('with a plan'),
    '  Key',
    quiet('pay as you go'),
  ]
  expect(menuOn(rows).options).toMatchObject([
    { label: 'Account', detail: 'with a plan' },
    { label: 'Key', detail: 'pay as you go' },
  ])
})

test('the tick after the current setting is not part of its label', () => {
  expect(menuOn(['May it change?', '\u001b[36m❯ 1. Small ✔\u001b[0m', '  2. Large']).options[0]!.label).toBe('Small')
})

test('other waiting calls do not hide the menu above them', () => {
  const rows = [
    '• I run two.',
    '? Shell npm test',
    '',
    'May it run this?',
    '',
    ...OPTIONS,
    '',
    '? Shell npm run build',
    '',
  ]
  expect(menuOn(rows)).toMatchObject({ question: 'May it run this?', title: 'Shell npm test' })
})

test('the lower edge of a box above is not an upper edge', () => {
  const box = [`╭${'─'.repeat(50)}╮`, `│ ${'A notice.'.padEnd(48)} │`, `╰${'─'.repeat(50)}╯`]
  expect(menuOn([...box, '> tidy up', '• I remove it.', '', 'May it remove dist?', '', ...OPTIONS])).toMatchObject({
    question: 'May it remove dist?',
    body: [],
  })
})
