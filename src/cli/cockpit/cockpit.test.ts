import { describe, expect, it } from 'vitest'
import type { PaneInfo } from '../../supervision/index.js'
import { displayWidth } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import { notificationCodes } from '../watch/notification-codes.js'
import { matchesFilter, plainLine, sortPanes } from '../watch/watch-rows.js'
import type { PaneScreenText } from './detail.js'
import { clampSelection, drawCockpit, listed } from './draw.js'
import { HELP } from './help.js'
import { type Input, InputReader } from './input.js'
import { wordsOf } from './line-cockpit.js'
import { press, type ShownScreen } from './press.js'
import { rowsOf, stopReasonOf } from './rows.js'
import { logText } from './run-log.js'
import { type CockpitView, INITIAL_VIEW } from './view.js'

const NOW = 1_000_000
const pane = (id: string, more: Partial<PaneInfo> = {}): PaneInfo => ({
  id,
  source: 'tmux',
  place: `main:${id}.0`,
  name: 'w',
  agent: 'claude',
  job: 'claude',
  command: 'claude',
  cwd: '/work/shop',
  title: '',
  status: 'idle',
  shown: more.status ?? 'idle',
  since: NOW - 5_000,
  startedAt: NOW - 5_000,
  needsYou: more.status === 'waiting-approval',
  doing: '',
  seen: true,
  background: 0,
  stuck: null,
  isFaded: false,
  isRecent: false,
  isFocused: false,
  isInMode: false,
  why: { claim: 'idle', authority: 'screen', rule: 'claude/idle.hint', confidence: 0.95, staleForS: null },
  heuristics: 'auto',
  isMuted: false,
  heuristicsOff: null,
  flicker: 0,
  generation: 0,
  stateId: 1,
  ...more,
})
const request = (id: string, more: Partial<ApprovalInfo> & { session?: string; lines?: number } = {}): ApprovalInfo => {
  const { session, lines = 1, ...fields } = more
  const content = Array.from({ length: lines }, (_, n) => `line ${n}`).join('\n')
  return {
    id,
    state: 'pending',
    kind: 'permission',
    fingerprint: 'f00dfeed00000000',
    requestedAt: NOW - 1000,
    subject: { agent: 'demo', project: '/work/shop', cwd: '/work/shop', ...(session && { session }) },
    source: { channel: 'screen' },
    request: {
      tool: 'Edit',
      input: null,
      questions: [],
      options: [
        { key: 'yes', label: 'Yes', meaning: 'allow-once' },
        { key: 'no', label: 'No', meaning: 'deny' },
      ],
    },
    display: {
      title: 'Edit a file',
      hash: 'h',
      blocks: [
        { kind: 'label', text: 'old_string' },
        { kind: 'value', text: `same\nold\n${content}` },
        { kind: 'label', text: 'new_string' },
        { kind: 'value', text: `same\nnew\n${content}` },
      ],
    },
    risk: { level: 'elevated', reasons: ['writes'] },
    ...fields,
  } as unknown as ApprovalInfo
}
const screen = (id: string): PaneScreenText => ({
  pane: id,
  cols: 80,
  rows: 3,
  cursor: { x: 0, y: 2, visible: true },
  lines: ['the agent says', '', '▷ its input'].map(text => [
    {
      x: 0,
      width: text.length,
      text,
      fg: 2,
      bg: null,
      bold: true,
      dim: false,
      italic: false,
      underline: false,
      inverse: false,
      strike: false,
    },
  ]),
})
const SIZES = [
  { cols: 60, rows: 12 },
  { cols: 60, rows: 24 },
  { cols: 80, rows: 24 },
  { cols: 120, rows: 30 },
  { cols: 200, rows: 50 },
  { cols: 30, rows: 5 },
]
const text = (drawn: ReturnType<typeof drawCockpit>) => drawn.lines.map(cells => cells.map(cell => cell.text).join(''))

/** Presses keys one after the other; the last command counts. */
function type(
  chunk: string,
  rows: ReturnType<typeof rowsOf>,
  shown: Partial<ShownScreen> = {},
  from: Partial<CockpitView> = {},
) {
  const at: ShownScreen = {
    rows,
    size: { cols: 80, rows: 24 },
    maxScroll: 0,
    isRead: true,
    isNew: false,
    refusal: null,
    ...shown,
  }
  let view: CockpitView = { ...INITIAL_VIEW, selected: rows[0]?.id ?? null, ...from }
  let command: ReturnType<typeof press>['command'] = null
  const inputs: Input[] = new InputReader().push(chunk)
  for (const input of inputs) ({ view, command } = press(view, input, at))
  return { view, command }
}

describe('the cockpit', () => {
  it('sorts by urgency: requests by waiting time, failed, done, stuck, working, idle', () => {
    const panes = [
      pane('1'),
      pane('2', { status: 'running' }),
      pane('3', { status: 'running', stuck: 'no-progress' }),
      pane('4', { status: 'done' }),
      pane('5', { status: 'failed' }),
      pane('6', { status: 'waiting-approval', since: NOW - 1 }),
      pane('7', { status: 'waiting-approval', since: NOW - 9 }),
    ]
    expect(sortPanes(panes).map(({ id }) => id)).toEqual(['7', '6', '5', '4', '3', '2', '1'])
  })

  it('fills the terminal exactly at every size, with 200 panes, in every mode', () => {
    const panes = Array.from({ length: 200 }, (_, n) =>
      pane(String(n), {
        name: 'May I edit 文件 and \u001b[31mmore\u0007 of it? '.repeat(4),
        status: n % 3 === 0 ? 'waiting-approval' : 'running',
        doing: 'May I edit 文件 and \u001b[31mmore\u0007 of it? '.repeat(4),
      }),
    )
    const rows = rowsOf(panes, [request('apr_1', { session: '0', lines: 300 }), request('apr_2')])
    const modes: CockpitView['mode'][] = [
      { kind: 'list' },
      { kind: 'filter' },
      { kind: 'line', label: 'Prompt', value: '文件'.repeat(80), done: () => ({}) },
      { kind: 'confirm', question: 'Really?', command: { do: 'leave' } },
      {
        kind: 'choose',
        question: 'Which?',
        choices: Array.from({ length: 30 }, () => ({ label: 'x\u001b'.repeat(90), step: {} })),
        at: 29,
      },
      { kind: 'page', lines: ['y'.repeat(500)], top: 3 },
    ]
    for (const size of SIZES)
      for (const mode of modes)
        for (const isZoomed of [false, true]) {
          const view = clampSelection(
            { ...INITIAL_VIEW, selected: '0', isZoomed, mode },
            listed({ rows }, INITIAL_VIEW),
            size,
          )
          const lines = text(drawCockpit({ rows, screen: screen('0') }, view, { ...size, now: NOW }))
          expect(lines).toHaveLength(size.rows)
          for (const line of lines) {
            expect(displayWidth(line)).toBe(size.cols)
            expect(line).not.toMatch(/\p{Cc}/u)
          }
          expect(lines[0]).toContain('68 need you')
        }
  })

  it('shows the request of the selected session as a diff, above its screen', () => {
    const rows = rowsOf([pane('1', { name: 'Fix the cart', place: '3' })], [request('apr_1', { session: '1' })])
    for (const size of SIZES.slice(1, 5)) {
      const lines = text(
        drawCockpit({ rows, screen: screen('1') }, { ...INITIAL_VIEW, selected: '1' }, { ...size, now: NOW }),
      )
      const shown = lines.join('\n')
      for (const expected of ['Fix the cart', 'shop', '- old', '+ new', '  same', 'medium risk', 'a allow'])
        expect(shown).toContain(expected)
      if (size.rows > 24) expect(shown).toContain('▷ its input')
    }
  })

  it('shows halted runs and sessions with their reason, and counts them like the dashboard', () => {
    const at = { next: 'signalbox resume x', endedAt: null, updatedAt: NOW - 9_000 }
    const failed = stopReasonOf({ ...at, status: 'failed', isUndriven: false, why: 'exit 3' })
    const interrupted = stopReasonOf({ ...at, status: 'running', isUndriven: true, why: 'its process has ended' })
    const paused = { word: 'paused', why: 'The session has used its budget.', next: at.next, since: NOW - 9_000 }
    const rows = rowsOf(
      [pane('1', { status: 'running' }), pane('2', { source: 'session' }), pane('3', { status: 'waiting-approval' })],
      [request('apr_1', { session: '3' }), request('apr_2', { session: '3', behind: 'apr_1' })],
      new Map(),
      new Map(),
      {
        runs: [
          { id: 'run_1', title: 'Pack it', project: '/work/shop', halt: failed },
          { id: 'run_2', title: 'Ship it', project: '/work/shop', halt: interrupted },
        ],
        sessions: new Map([['2', paused]]),
      },
    )
    expect(rows.map(({ id }) => id)).toEqual(['run_1', 'run_2', '3', '2', '1'])
    const drawn = drawCockpit({ rows, screen: null }, { ...INITIAL_VIEW, selected: '2' }, { ...SIZES[3]!, now: NOW })
    const [head, ...lines] = text(drawn)
    expect(head).toContain('5 need you · 1 working · 1 failed')
    expect(lines.join('\n')).toMatch(/✗ failed +9s[\s\S]*▲ interrupted +9s[\s\S]*paused +9s/)
    expect(lines.join('\n')).toContain('The session has used its budget.')
    expect(lines.join('\n')).toContain('signalbox resume x')
  })

  it('resumes a halted run by a key, cancels a working one after a question, and opens its log', () => {
    const rows = rowsOf([], [], new Map(), new Map(), {
      runs: [
        {
          id: 'run_1',
          title: 'Pack it',
          project: '/work/shop',
          halt: { word: 'failed', isFailed: true, why: 'exit 3', next: 'signalbox resume run_1', since: NOW },
        },
      ],
      working: [{ id: 'run_2', title: 'Sort it', project: '/work/shop', work: { word: 'working', since: NOW } }],
      sessions: new Map(),
    })
    const shown: ShownScreen = { rows, size: SIZES[3]!, maxScroll: 0, isRead: true, isNew: false, refusal: null }
    const on = (selected: string, name: string, mode: CockpitView['mode'] = { kind: 'list' }) =>
      press({ ...INITIAL_VIEW, selected, mode }, { kind: 'key', key: name }, shown)
    expect(on('run_1', 'e').command).toEqual({ do: 'resume-run', run: 'run_1', title: 'Pack it' })
    expect(on('run_2', 'e')).toMatchObject({
      command: null,
      view: { notice: expect.stringContaining('nothing to resume') as string },
    })
    expect(on('run_2', 'enter').command).toEqual({ do: 'run-log', run: 'run_2', title: 'Sort it' })
    expect(on('run_1', 'x').view.notice).toBe('This run has ended.')
    const asked = on('run_2', 'x')
    expect(asked.command).toBeNull()
    expect(on('run_2', 'y', asked.view.mode).command).toEqual({ do: 'cancel-run', run: 'run_2', title: 'Sort it' })
    const drawn = text(
      drawCockpit({ rows, screen: null }, { ...INITIAL_VIEW, selected: 'run_1' }, { ...SIZES[3]!, now: NOW }),
    )
    expect(drawn.join('\n')).toContain('e resume')
  })

  it('shows the output of steps under their names; a log opens at its end and scrolls up from there', () => {
    const line = (node: string | null, source: 'agent' | 'run', text: string, level: 'info' | 'error' = 'info') => ({
      at: '2026-01-01T00:00:00Z',
      level,
      node,
      step: null,
      source,
      type: 'text',
      text,
    })
    const lines = logText(
      [
        line('a', 'run', 'status running'),
        line('a', 'agent', 'one\ntwo'),
        // Its result repeats what it said.
        line('a', 'agent', 'one\ntwo'),
        line('a', 'run', 'exit 3', 'error'),
        line('b:security', 'agent', 'three'),
      ],
      new Map([
        ['a', 'Sort'],
        ['b', 'Review'],
      ]),
    )
    expect(lines).toEqual(['▸ Sort', '  one', '  two', '  ✗ exit 3', '▸ Review', '  three'])
    const long = Array.from({ length: 90 }, (_, index) => `line ${index}`)
    const mode = { kind: 'page', lines: long, top: Number.MAX_SAFE_INTEGER } as const
    const size = { cols: 80, rows: 24 }
    const { view } = press(
      { ...INITIAL_VIEW, mode },
      { kind: 'key', key: 'up' },
      { rows: [], size, maxScroll: 0, isRead: true, isNew: false, refusal: null },
    )
    const drawn = text(drawCockpit({ rows: [], screen: null }, view, { ...size, now: NOW })).join('\n')
    expect(drawn).toContain('line 88')
    expect(drawn).not.toContain('line 89')
  })

  it('lists working runs after the items that need the person, without runs that ask', () => {
    const working = ['run_1', 'run_2'].map(id => ({
      id,
      title: `Title of ${id}`,
      project: '/work/shop',
      work: { word: 'working', since: NOW - 5_000 },
    }))
    const rows = rowsOf(
      [pane('1', { status: 'done' }), pane('2', { status: 'waiting-approval' })],
      [
        request('apr_1', {
          subject: { agent: 'demo', project: '/work/shop', cwd: '/work/shop', run: 'run_2', hostName: 'here' },
        }),
      ],
      new Map(),
      new Map(),
      { runs: [], sessions: new Map(), working },
    )
    expect(rows.map(({ id }) => id)).toEqual(['apr_1', '2', 'run_1', '1'])
    const drawn = drawCockpit(
      { rows, screen: null },
      { ...INITIAL_VIEW, selected: 'run_1' },
      { ...SIZES[3]!, now: NOW },
    )
    const [head, ...lines] = text(drawn)
    expect(head).toContain('2 need you · 1 working · 1 done')
    expect(lines.join('\n')).toMatch(/working +5s run +Title of run_1/)
    expect(lines.join('\n')).toContain('signalbox logs -f run_1')
  })

  it('shows some keys beside a notice where the terminal has room', () => {
    const foot = (cols: number) =>
      text(
        drawCockpit(
          { rows: [], screen: null },
          { ...INITIAL_VIEW, notice: 'Allowed once' },
          { cols, rows: 20, now: NOW },
        ),
      ).at(-1)
    expect(foot(100)).toMatch(/Allowed once │ n new .*\? help · q quit/)
    expect(foot(30)).not.toContain('help')
  })

  it('shows a long notice and a long question whole, over several lines', () => {
    const notice = `${'a notice of many words '.repeat(8)}ends here`
    const confirm = { kind: 'confirm', question: `Cancel ${'a long title '.repeat(8)}? It cannot be resumed.` } as const
    for (const cols of [60, 100]) {
      const end = (view: Partial<CockpitView>) => {
        const lines = text(
          drawCockpit({ rows: [], screen: null }, { ...INITIAL_VIEW, ...view }, { cols, rows: 20, now: NOW }),
        )
        expect(lines).toHaveLength(20)
        return lines.slice(-6).join(' ').replace(/\s+/g, ' ')
      }
      expect(end({ notice })).toContain(notice)
      expect(
        end({ mode: { ...confirm, command: { do: 'cancel-run', run: 'run_1', title: 'x' } } as CockpitView['mode'] }),
      ).toContain(`${confirm.question.replace(/\s+/g, ' ')} y: yes, any other key: no`)
    }
  })

  it('offers no key for a decision where none can be made, and says why beside the request', () => {
    const rows = rowsOf([pane('1')], [request('apr_1', { session: '1' })])
    const refusal = 'this terminal may not decide: it was started by tmux'
    const drawn = (more: object) =>
      text(
        drawCockpit(
          { rows, screen: null, ...more },
          { ...INITIAL_VIEW, selected: '1' },
          { cols: 100, rows: 30, now: NOW },
        ),
      )
        .join('\n')
        .replaceAll('\u00a0', ' ')
    expect(drawn({})).toContain('a allow once')
    expect(drawn({ refusal })).not.toMatch(/a allow once|d deny/)
    expect(drawn({ refusal }).replace(/\s*\n[^\n]*│ /g, ' ')).toContain(
      'This terminal may not decide: it was started by tmux.',
    )
    expect(drawn({ refusal })).toContain('o open the dashboard')
  })

  it('names the way back from a screen that is filled by one request', () => {
    const rows = rowsOf([pane('1')], [request('apr_1', { session: '1' })])
    const drawn = (isZoomed: boolean) =>
      text(
        drawCockpit(
          { rows, screen: null },
          { ...INITIAL_VIEW, selected: '1', isZoomed },
          { cols: 160, rows: 7, now: NOW },
        ),
      ).join('\n')
    expect(drawn(false)).toMatch(/z zooms[\s\S]*z zoom/)
    expect(drawn(true)).toMatch(/z shows the list[\s\S]*z list/)
  })

  it('has one mark for one word, however long the agent works', () => {
    const rows = rowsOf([pane('1', { status: 'running' }), pane('2', { status: 'long-running' })], [])
    const [, ...lines] = text(drawCockpit({ rows, screen: null }, INITIAL_VIEW, { cols: 60, rows: 20, now: NOW }))
    expect(lines.join('\n').match(/\S working/g)).toEqual(['● working', '● working'])
  })

  it('has no line of help that is broken at 60 columns', () => {
    expect(HELP.filter(line => line.length > 60)).toEqual([])
  })

  it('keeps its selection visible when the order changes', () => {
    const panes = Array.from({ length: 50 }, (_, n) => pane(String(n)))
    const size = { cols: 120, rows: 12 }
    let view = clampSelection({ ...INITIAL_VIEW, selected: '49' }, rowsOf(panes, []), size)
    expect(view.top).toBe(40)
    const after = panes.map(one => (one.id === '49' ? pane('49', { status: 'failed' }) : one))
    view = clampSelection(view, rowsOf(after, []), size)
    expect([view.selected, view.top]).toEqual(['49', 0])
  })

  it('numbers the lines of an edit in its file, and keeps a key and its meaning on one line', () => {
    const input = { old_string: 'same\nold\nline 0', new_string: 'same\nnew\nline 0' }
    const asked = request('apr_1', { session: '1' })
    const edit = { ...asked, request: { ...asked.request, input } }
    const file = `${'above\n'.repeat(11)}same\nold\nline 0\nbelow`
    const rows = rowsOf([pane('1')], [edit], new Map(), new Map([['apr_1', { file }]]))
    for (const cols of [60, 120]) {
      const lines = text(
        drawCockpit({ rows, screen: null }, { ...INITIAL_VIEW, selected: '1' }, { cols, rows: 24, now: NOW }),
      )
      expect(lines.join('\n')).toMatch(/12 {3}same[\s\S]*13 - old[\s\S]*13 \+ new/)
      expect(lines.filter(line => line.includes('r\u00a0other\u00a0answers\u00a0]'))).toHaveLength(1)
    }
  })

  it('selects the next row when the selected one is gone, not the first', () => {
    const size = { cols: 120, rows: 20 }
    const panes = ['1', '2', '3', '4'].map(id => pane(id))
    let view = clampSelection({ ...INITIAL_VIEW, selected: '3' }, rowsOf(panes, []), size)
    const rest = rowsOf(
      panes.filter(({ id }) => id !== '3'),
      [],
    )
    view = clampSelection(view, rest, size)
    expect(view.selected).toBe('4')
    expect(clampSelection(view, rest.slice(0, 1), size).selected).toBe('1')
  })

  it('shows its filter at any width, filters by words, and can hide idle panes', () => {
    for (const cols of [60, 80, 200]) {
      const [head] = text(
        drawCockpit({ rows: [], screen: null }, { ...INITIAL_VIEW, filter: 'codex idle' }, { cols, rows: 20, now: 0 }),
      )
      expect(head).toContain('filter: codex idle')
    }
    const panes = [pane('1', { status: 'running' }), pane('2', { agent: 'codex' })]
    expect(panes.filter(one => matchesFilter(one, 'codex idle')).map(({ id }) => id)).toEqual(['2'])
    const rows = rowsOf(panes, [request('apr_9')])
    expect(listed({ rows }, { ...INITIAL_VIEW, showsAll: false }).map(({ id }) => id)).toEqual(['apr_9', '1'])
    expect(listed({ rows }, { ...INITIAL_VIEW, filter: 'edit' }).map(({ id }) => id)).toEqual(['apr_9'])
  })

  it('says before anything is chosen or typed that this terminal may not decide', () => {
    const rows = rowsOf([pane('1')], [request('apr_1', { session: '1' })])
    const refusal = 'this terminal may not decide'
    for (const name of ['a', 'd', 'D', 'r'])
      expect(type(name, rows, { refusal })).toMatchObject({
        command: null,
        view: { notice: refusal, mode: { kind: 'list' } },
      })
  })

  it('allows only a request that was shown to its end, with a confirmation unless the risk is low', () => {
    const rows = rowsOf([pane('1')], [request('apr_1', { session: '1' })])
    expect(type('a', rows, { isNew: true })).toMatchObject({
      command: null,
      view: { notice: /just appeared/ },
    } as never)
    expect(type('ay', rows, { isRead: false }).command).toBeNull()
    expect(type('a', rows).command).toBeNull()
    expect(type('an', rows)).toMatchObject({ command: null, view: { mode: { kind: 'list' } } })
    expect(type('ay', rows).command).toMatchObject({
      do: 'decide',
      request: { id: 'apr_1' },
      answer: { option: 'yes' },
    })
    const low = rowsOf([pane('1')], [request('apr_1', { session: '1', risk: { level: 'low', reasons: [] } })])
    expect(type('a', low).command).toMatchObject({ do: 'decide', answer: { option: 'yes' } })
    const terminal = rowsOf([pane('1')], [request('apr_1', { session: '1', terminalOnly: 'it is cut' })])
    expect(type('ay', terminal).command).toBeNull()
  })

  it('denies in one step, with an optional reason, and answers by the option that was shown', () => {
    const rows = rowsOf([pane('1')], [request('apr_1', { session: '1' })])
    expect(type('d', rows, { isRead: false }).command).toMatchObject({ do: 'decide', answer: { option: 'no' } })
    expect(type('Dtoo much\r', rows).command).toMatchObject({ answer: { option: 'no', note: 'too much' } })
    expect(type('r2', rows).command).toMatchObject({ do: 'decide', answer: { option: 'no' } })
    expect(type('r\u001b[B\r', rows).command).toMatchObject({ answer: { option: 'no' } })
    expect(type('r1y', rows).command).toMatchObject({ answer: { option: 'yes' } })
    expect(type('r9', rows).command).toBeNull()
  })

  it('accepts prompts, also pasted ones with several lines, and stops a session after a question', () => {
    const rows = rowsOf([pane('1', { source: 'session' })], [])
    expect(type('phello\u007f\u007f\r', rows).command).toMatchObject({ do: 'send', text: 'hel' })
    expect(type('p\u001b[200~a\r\nb\u001b[201~ c\r', rows).command).toMatchObject({ do: 'send', text: 'a\nb c' })
    expect(type('p\r', rows).command).toBeNull()
    expect(type('x', rows).command).toBeNull()
    expect(type('xy', rows).command).toMatchObject({ do: 'stop', pane: { id: '1' } })
    expect(type('p', rowsOf([pane('1')], [])).view.notice).toContain('tmux')
  })

  it('moves with keys and mouse; a second click opens', () => {
    const rows = rowsOf([pane('1'), pane('2'), pane('3', { status: 'waiting-approval' })], [])
    expect(rows.map(({ id }) => id)).toEqual(['3', '1', '2'])
    expect(type('jj', rows).view.selected).toBe('2')
    expect(type('j\t', rows).view.selected).toBe('3')
    expect(type('jjj\r', rows).command).toMatchObject({ do: 'go', pane: { id: '2' } })
    const click = (y: number) => `\u001b[<0;5;${y}M\u001b[<0;5;${y}m`
    expect(type(click(3), rows).view.selected).toBe('1')
    expect(type(click(3), rows).command).toBeNull()
    expect(type(`${click(3)}\u001b[<0;5;3M`, rows).command).toMatchObject({ do: 'go', pane: { id: '1' } })
    expect(type('\u001b[<65;5;2M', rows).view.selected).toBe('1')
    expect(type('\u001b[<65;5;20M', rows, { maxScroll: 9 }).view.scroll).toBe(1)
    expect(type('/q x\u007f\r', rows).view).toMatchObject({ filter: 'q ', mode: { kind: 'list' } })
    expect(type('?q', rows).command).toBeNull()
    expect(type('q', rows).command).toEqual({ do: 'leave' })
    expect(type(' ', rows).command).toMatchObject({ do: 'seen', pane: { id: '3' } })
  })

  it('reads a paste that arrives in pieces as one text', () => {
    const reader = new InputReader()
    expect([...reader.push('a\u001b[200~one '), ...reader.push('two'), ...reader.push('\u001b[201~b')]).toEqual([
      { kind: 'key', key: 'a' },
      { kind: 'paste', text: 'one two' },
      { kind: 'key', key: 'b' },
    ])
    expect(wordsOf('send 1 "two words" \'and more\'')).toEqual(['send', '1', 'two words', 'and more'])
  })

  it('prints a line without escape sequences for pipes and screen readers', () => {
    expect(plainLine(pane('1', { status: 'waiting-approval', doing: 'May I?' }), NOW)).toBe(
      '00:16:40  needs you  claude main:1.0 shop  May I?  (5s; screen claude/idle.hint · 0.95)',
    )
  })

  it('notifies by sequences that text of a program cannot end', () => {
    const notice = { title: 'a;b', body: 'x\u0007\u001b\\y' }
    expect(notificationCodes(notice, ['bell', 'osc9', 'osc777'])).toBe(
      '\u0007\u001b]9;a;b: x \\y\u001b\\\u001b]777;notify;a,b;x \\y\u001b\\',
    )
  })
})
