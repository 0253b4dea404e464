import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CommandContext } from '../context.js'
import { main } from '../main.js'

/** The demo agent's screen, small: banner and box; work; a request; idle. */
const RULE = '─'.repeat(40)
const BOX = `${RULE}\r\n▷ \r\n${RULE}\r\n`
const clear = '\u001b[2J\u001b[H'
const IDLE = `${clear} Signalbox demo agent 1.0.0\r\n\r\n${BOX}  enter to send\r\n`
const WORKING = `${clear}▷ run the tests\r\n\r\n◆ I look.\r\n\r\n◜ Reading… 2s · 10 tokens\r\n${BOX}`
const MENU = `${clear}▷ run the tests\r\n\r\n${RULE}\r\n Run a command\r\n May I run npm test?\r\n\r\n ▶ 1. Yes\r\n   2. No\r\n\r\n enter to choose · esc to deny\r\n`
const DONE = `${clear}▷ run the tests\r\n\r\n◆ All 12 tests pass.\r\n\r\n◈ Finished in 4s\r\n\r\n${BOX}`

const HEADER = { version: 2, width: 40, height: 16 }
const EVENTS: [number, string, string][] = [
  [0.5, 'o', IDLE],
  [1, 'i', '\u001b[?1;2c'],
  [1.5, 'i', 'run the tests\r'],
  [2, 'o', WORKING],
  [3, 'o', MENU],
  [5, 'o', WORKING],
  [6, 'o', DONE],
]

const CHANGE = [
  't',
  'view',
  'confidence',
  'authority',
  'rule',
  'payload',
  'settled',
  'claim',
  'busy',
  'awaiting',
  'composer',
  'facets',
  'terminator',
  'ambiguous',
  'phase',
  'status',
  'title',
  'frame',
  'contradicts',
]

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-replay-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function write(name: string, text: string): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

function cast(events = EVENTS, header: object = HEADER): string {
  return write('x.cast', [header, ...events].map(line => `${JSON.stringify(line)}\n`).join(''))
}

async function signalbox(argv: string[], more: Partial<CommandContext> = {}) {
  const out: string[] = []
  const notes: string[] = []
  const context: CommandContext = {
    env: { SIGNALBOX_HOME: directory, HOME: directory },
    cwd: directory,
    isInteractive: false,
    isOutputTty: false,
    columns: 100,
    out: line => out.push(line),
    write: text => out.push(String(text)),
    note: line => notes.push(line),
    progress: () => undefined,
    json: value => out.push(JSON.stringify(value)),
    style: (_, text) => text,
    ...more,
  }
  const code = await main(argv, context)
  return { code, out, notes, lines: () => out.map(line => JSON.parse(line) as Record<string, unknown>) }
}

describe('signalbox replay', () => {
  it('prints a first line, the changes and a last line, each with its fields in order', async () => {
    const { code, lines } = await signalbox(['replay', cast()])
    const [first, ...rest] = lines()
    const last = rest.pop()!
    expect(code).toBe(0)
    expect(Object.entries(first!)).toEqual(
      Object.entries({
        type: 'replay',
        format: 'asciicast-v2',
        cols: 40,
        rows: 16,
        agent: 'demo',
        agentVersion: '1.0.0',
        pack: 'demo/demo.toml',
        events: 7,
        duration: 6,
      }),
    )
    for (const line of rest) expect(Object.keys(line)).toEqual(['type', ...CHANGE])
    expect(rest.map(line => [line.view, line.awaiting, line.settled, line.phase, line.status])).toEqual([
      ['idle_prompt', null, true, 'dormant', 'idle'],
      ['response_content', null, true, 'streaming', 'running'],
      ['tool_menu', 'permission', true, 'tool-pending', 'waiting-approval'],
      ['response_content', null, true, 'streaming', 'running'],
      // The agent has closed its turn with its own end row: the status changes at once, the
      // conversation waits for a stable screen.
      ['idle_prompt', null, false, 'streaming', 'done'],
      ['idle_prompt', null, true, 'dormant', 'done'],
    ])
    expect(Object.keys(last)).toEqual(['type', 't', 'exit', 'truncated', 'counters'])
    expect(last).toEqual({
      type: 'end',
      t: 6,
      exit: null,
      truncated: false,
      counters: { frames: 5, changes: 6, anchored: 5, structural: 0, unknown: 0, flicker: 0, replies: 1 },
    })
  })

  it('prints only the requested states, in order, also after the end', async () => {
    const { lines } = await signalbox(['replay', cast(), '--json', '--at', '99,0.1,3,2.5'])
    expect(lines().map(line => [line.type, line.at, line.view])).toEqual([
      ['at', 0.1, 'unknown'],
      ['at', 2.5, 'response_content'],
      ['at', 3, 'tool_menu'],
      ['at', 99, 'idle_prompt'],
    ])
    expect(Object.keys(lines()[0]!)).toEqual(['type', 'at', ...CHANGE])
    expect(lines()[2]).toMatchObject({ frame: { cause: 'forced' }, awaiting: 'permission', status: 'waiting-approval' })
  })

  it('prints the state after a number of events', async () => {
    const { lines } = await signalbox(['replay', cast(), '--at-event', '0,5,7'])
    expect(lines().map(line => [line.at, line.view])).toEqual([
      [0, 'unknown'],
      [5, 'tool_menu'],
      [7, 'idle_prompt'],
    ])
  })

  it('reads version 3, whose times are intervals, and a process exit', async () => {
    const events = EVENTS.map(
      ([t, ...rest], index) => [t - (EVENTS[index - 1]?.[0] ?? 0), ...rest] as [number, string, string],
    )
    const { lines } = await signalbox([
      'replay',
      cast([...events, [0.5, 'x', '3']], { version: 3, term: { cols: 40, rows: 16 } }),
    ])
    expect(lines()[0]).toMatchObject({ format: 'asciicast-v3', duration: 6.5 })
    expect(lines().at(-2)).toMatchObject({
      t: 6.5,
      view: 'unknown',
      authority: 'exit',
      claim: 'exited',
      payload: { exit: { code: 3, signal: null } },
      status: 'failed',
      phase: 'dormant',
    })
    expect(lines().at(-1)).toMatchObject({ exit: { code: 3, signal: null } })
  })

  it('reports a truncated recording, and reads the rest', async () => {
    const file = cast()
    writeFileSync(file, '[7,"o","cut', { flag: 'a' })
    expect((await signalbox(['replay', file])).lines().at(-1)).toMatchObject({ truncated: true })
  })

  it('reads raw bytes of a given size', async () => {
    const file = write('bytes.raw', MENU)
    const { lines } = await signalbox([
      'replay',
      file,
      '--size',
      '40x16',
      '--agent',
      'demo',
      '--agent-version',
      '1.0.0',
    ])
    expect(lines()[0]).toMatchObject({ format: 'raw', cols: 40, events: 1, agentVersion: '1.0.0' })
    expect(lines()[1]).toMatchObject({ view: 'tool_menu', awaiting: 'permission' })
  })

  it.each([
    [['bytes.raw'], 'is not an asciicast recording'],
    [['gone.cast'], 'cannot read'],
    [['x.cast', '--at', 'soon'], 'invalid time "soon"'],
    [['x.cast', '--size', 'big'], 'invalid terminal size "big"'],
  ])('exits with 2 and an explanation for %j', async (argv, message) => {
    cast()
    write('bytes.raw', 'just text\n')
    const { code, notes, out } = await signalbox(['replay', join(directory, argv[0]!), ...argv.slice(1)])
    expect([code, out]).toEqual([2, []])
    expect(notes.join()).toContain(message)
  })

  it('reads an agent without a pack by structure, with a note', async () => {
    const { code, notes, lines } = await signalbox(['replay', cast([[0, 'o', 'hello']]), '--agent', 'nobody'])
    expect([code, lines()[0]!.agent, lines()[0]!.pack]).toEqual([0, 'nobody', 'generic'])
    expect(notes.join()).toContain('no pack for "nobody"')
  })

  it('prints messages by block and as Markdown', async () => {
    const growing = WORKING.replace('◆ I look.', '◆ All 12 tests pass.\r\n\r\n  Nothing else to do.')
    const ended = DONE.replace('pass.', 'pass.\r\n\r\n  Nothing else to do.')
    const spoken = [EVENTS[0]!, [2, 'o', growing], [6, 'o', ended]] as typeof EVENTS
    const { lines } = await signalbox(['replay', cast(spoken), '--blocks', '--json'])
    const blocks = lines().filter(line => line.type === 'block')
    expect(Object.keys(blocks[0]!)).toEqual(['type', 't', 'id', 'kind', 'provisional', 'markdown'])
    expect(blocks.filter(block => block.provisional === false).map(block => block.markdown)).toContain(
      'All 12 tests pass.',
    )
    const { out } = await signalbox(['replay', cast(spoken), '--markdown'])
    expect(out.join('\n')).toContain('All 12 tests pass.')
    expect(out.join('\n')).not.toContain('{')
  })

  it('explains a moment: the rules in order, and why each matched', async () => {
    const { lines } = await signalbox(['replay', cast(), '--at', '3', '--explain'])
    const [at, ...rest] = lines()
    expect(at!.type).toBe('at')
    expect([...new Set(rest.map(line => line.type))]).toEqual(['evidence', 'region', 'rule', 'menu'])
    const priorities = rest.filter(line => line.type === 'rule').map(line => Number(line.priority))
    expect(priorities.length).toBeGreaterThan(3)
    expect(priorities).toEqual(priorities.toSorted((a, b) => b - a))
  })

  it('prints a time line on a terminal', async () => {
    const { out } = await signalbox(['replay', cast()], { isOutputTty: true })
    expect(out[0]).toContain('demo 1.0.0 · pack demo/demo.toml · 40x16 · 7 events')
    expect(
      out.some(line =>
        /3\.0\d\d {2}tool_menu +needs you: permission +demo\/menu\.permission .*May I run npm test\? \[Yes \| No\]/.test(
          line,
        ),
      ),
    ).toBe(true)
    expect(out.at(-1)).toContain('5 frames, 6 changes')
  })
})

describe('signalbox explain', () => {
  it('prints reading, evidence, regions, rules, menus and history of a recording', async () => {
    const { code, lines } = await signalbox(['explain', '--file', cast(), '--at', '4'])
    expect(code).toBe(0)
    expect([...new Set(lines().map(line => line.type))]).toEqual([
      'reading',
      'evidence',
      'region',
      'rule',
      'menu',
      'history',
    ])
    expect(Object.keys(lines()[0]!)).toEqual(['type', ...CHANGE, 'since', 'age'])
    expect(lines()[1]).toMatchObject({
      type: 'evidence',
      authority: 'screen',
      says: 'blocked',
      verdict: 'won',
      expires: null,
    })
    expect(lines().find(line => line.type === 'menu')).toMatchObject({
      live: true,
      failed: null,
      question: 'May I run npm test?',
    })
    expect(
      lines()
        .filter(line => line.type === 'history')
        .map(line => line.view),
    ).toEqual(['idle_prompt', 'response_content', 'tool_menu'])
  })

  it('reads a screen from a text file', async () => {
    const screen = write('screen.txt', WORKING.replace(clear, '').replaceAll('\r', ''))
    const { lines } = await signalbox(['explain', '--screen', screen, '--agent', 'demo'])
    expect(lines()[0]).toMatchObject({ type: 'reading', view: 'response_content', rule: 'demo/working.spinner' })
    expect(lines().find(line => line.type === 'rule' && line.id === 'working.spinner')).toMatchObject({
      matched: true,
      why: 'holds',
    })
  })

  it('takes exactly one source', async () => {
    expect((await signalbox(['explain'])).code).toBe(2)
    expect((await signalbox(['explain', '1', '--file', 'x.cast'])).code).toBe(2)
  })
})

describe('signalbox packs', () => {
  const own = (text: string) => {
    const folder = join(directory, 'config', 'packs', 'demo')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'mine.toml'), text)
  }

  it('lists shipped and own packs, with their errors', async () => {
    own('pack = 1\nagent = "demo"\nnonsense = 1\n')
    const { code, out } = await signalbox(['packs', '--json'])
    expect(code).toBe(0)
    const packs = JSON.parse(out.join('')) as Record<string, unknown>[]
    expect(packs.find(pack => pack.agent === 'claude')).toMatchObject({ source: 'shipped', problem: null })
    expect(packs.find(pack => pack.source === 'own')).toMatchObject({
      agent: 'demo',
      problem: { line: 3, message: 'there is no field "nonsense"' },
    })
  })

  it('exits with 1 if a fixture fails, and with 6 if a pack is broken', async () => {
    own('pack = 1\nagent = "demo"\nfixtures = [{ cast = "x.cast", at = 3, expect = { view = "error" } }]\n')
    const fixtures = join(directory, 'config', 'packs', 'demo', 'fixtures')
    mkdirSync(fixtures)
    copyFileSync(cast(), join(fixtures, 'x.cast'))
    const failed = await signalbox(['packs', 'check', 'demo'])
    expect(failed.code).toBe(1)
    expect(failed.out.join('\n')).toContain('x.cast at 3: view is tool_menu, not error')
    own('pack = 1\nagent = "demo"\nnonsense = 1\n')
    expect((await signalbox(['packs', 'check', 'demo'])).code).toBe(6)
  })

  it('suggests the nearest agent name', async () => {
    const { code, notes } = await signalbox(['packs', 'check', 'cloude'])
    expect([code, notes.join()]).toEqual([2, expect.stringContaining('did you mean "claude"?')])
  })
})
