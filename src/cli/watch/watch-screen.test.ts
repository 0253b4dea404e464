import { describe, expect, it } from 'vitest'
import type { PaneInfo } from '../../supervision/index.js'
import { displayWidth } from '../../text/index.js'
import { keysOf, pressKey } from './watch-keys.js'
import { notificationCodes } from './watch-live.js'
import { matchesFilter, plainLine, sortPanes } from './watch-rows.js'
import { drawWatch, INITIAL_VIEW, listed, settle } from './watch-screen.js'

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
  gate: null,
  flicker: 0,
  generation: 0,
  stateId: 1,
  ...more,
})
const text = (lines: ReturnType<typeof drawWatch>) => lines.map(cells => cells.map(cell => cell.text).join(''))

describe('the watch screen', () => {
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

  it('fills the terminal exactly, at 60 columns and with 200 panes', () => {
    const panes = Array.from({ length: 200 }, (_, n) =>
      pane(String(n), {
        status: n % 3 === 0 ? 'waiting-approval' : 'running',
        doing: 'May I edit 文件 and \u001b[31mmore\u0007 of it? '.repeat(4),
      }),
    )
    for (const size of [
      { cols: 60, rows: 12 },
      { cols: 80, rows: 24 },
      { cols: 200, rows: 50 },
    ]) {
      const view = settle(INITIAL_VIEW, listed(panes, INITIAL_VIEW), size.rows)
      const lines = text(drawWatch(panes, view, { ...size, now: NOW }))
      expect(lines).toHaveLength(size.rows)
      for (const line of lines) {
        expect(displayWidth(line)).toBeLessThanOrEqual(size.cols)
        expect(line).not.toMatch(/\p{Cc}/u)
      }
      expect(lines[0]).toContain('67 need you')
      expect(lines[1]).toContain('needs you')
    }
  })

  it('keeps its selection visible when the order changes', () => {
    const panes = Array.from({ length: 50 }, (_, n) => pane(String(n)))
    let view = settle({ ...INITIAL_VIEW, selected: '49' }, listed(panes, INITIAL_VIEW), 12)
    expect(view.top).toBe(42)
    const after = panes.map(one => (one.id === '49' ? pane('49', { status: 'failed' }) : one))
    view = settle(view, listed(after, view), 12)
    expect([view.selected, view.top]).toEqual(['49', 0])
  })

  it('shows its filter at any width', () => {
    for (const cols of [60, 80, 200]) {
      const [head] = drawWatch([], { ...INITIAL_VIEW, filter: 'codex idle' }, { cols, rows: 20, now: 0 })
      expect(head!.map(({ text }) => text).join('')).toContain('filter: codex idle')
    }
  })

  it('filters by words, and can hide idle panes', () => {
    const panes = [pane('1', { status: 'running' }), pane('2', { agent: 'codex' })]
    expect(panes.filter(one => matchesFilter(one, 'codex idle')).map(({ id }) => id)).toEqual(['2'])
    expect(listed(panes, { ...INITIAL_VIEW, showsAll: false }).map(({ id }) => id)).toEqual(['1'])
  })

  it('splits a chunk of input into keys', () => {
    expect(keysOf('j\u001b[Bq\u001b')).toEqual(['j', '\u001b[B', 'q', '\u001b'])
    const panes = [pane('1'), pane('2')]
    const press = (keys: string[], view = { ...INITIAL_VIEW, selected: '1' }) =>
      keys.reduce((state, key) => pressKey(state.view, key, panes, 24), { view, command: null } as ReturnType<
        typeof pressKey
      >)
    expect(press(['j']).view.selected).toBe('2')
    expect(press(['j', 'j', 'j', '\r']).command).toMatchObject({ do: 'go', pane: { id: '2' } })
    expect(press([' ']).command).toMatchObject({ do: 'seen' })
    expect(press(['/', 'q', 'x', '\u007f', '\r']).view).toMatchObject({ filter: 'q', isTypingFilter: false })
    expect(press(['?', 'q']).command).toBeNull()
    expect(press(['q']).command).toEqual({ do: 'leave' })
  })

  it('prints a line without marks for pipes and screen readers', () => {
    expect(plainLine(pane('1', { status: 'waiting-approval', doing: 'May I?' }), NOW)).toBe(
      '00:16:40  needs you  claude main:1.0 shop  May I?  (5s; screen claude/idle.hint · 0.95)',
    )
  })

  it('notifies with sequences that text of programs cannot end', () => {
    const notice = { title: 'a;b', body: 'x\u0007\u001b\\y' }
    expect(notificationCodes(notice, ['bell', 'osc9', 'osc777'])).toBe(
      '\u0007\u001b]9;a;b: x \\y\u001b\\\u001b]777;notify;a,b;x \\y\u001b\\',
    )
  })
})
