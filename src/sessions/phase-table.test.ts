import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyPair, toMarkdown, transition, UnlistedCounter } from '../machine/index.js'
import type { Observation } from '../screen/index.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'

/**
 * The table of spec/sessions.md §2 once more, written down by hand: `next: actions` for dormant | thinking | streaming | tool-pending,
 * `=` stays, nothing behind the colon does nothing, `.` is unlisted. `settle-approval` on leaving tool-pending is not repeated.
 */
const EXPECTED: Record<PhaseEvent, string> = {
  thinking:
    'thinking: mark-turn open-message start-typing | = | thinking: finalize open-message start-typing | thinking: open-message start-typing',
  response_content:
    'streaming: mark-turn extract edit | streaming: stop-typing extract edit | =: extract edit | streaming: extract edit',
  tool_menu: 'tool-pending: ask | tool-pending: stop-typing finalize ask | tool-pending: finalize ask | =',
  'tool_menu:new':
    'tool-pending: ask | tool-pending: stop-typing finalize ask | tool-pending: finalize ask | =: settle-approval ask',
  idle_prompt: '=: extract-history | dormant: stop-typing extract-turn finalize | dormant: finalize | dormant',
  tool_running: '= | streaming: stop-typing extract edit | =: extract edit | streaming',
  tool_result: '= | streaming: stop-typing extract edit | =: extract edit | streaming: extract edit',
  todo_list:
    'streaming: mark-turn extract edit | streaming: stop-typing extract edit | =: extract edit | streaming: extract edit',
  parallel_agents:
    'streaming: mark-turn extract edit | streaming: stop-typing extract edit | =: extract edit | streaming: extract edit',
  background_task: '=: extract-history | dormant: stop-typing extract-turn finalize | dormant: finalize | dormant',
  auth_required:
    '=: warn-auth end-for-auth | dormant: stop-typing finalize warn-auth end-for-auth | dormant: finalize warn-auth end-for-auth | dormant: warn-auth end-for-auth',
  error:
    'streaming: mark-turn extract edit | streaming: stop-typing extract edit | =: extract edit | streaming: extract edit',
  'error:final':
    '=: extract-history | dormant: stop-typing extract-turn finalize | dormant: extract finalize | dormant: extract-turn finalize',
  user_message: '=: mark-turn | . | . | .',
  startup: '. | . | . | .',
  unknown: '. | . | . | .',
  'prompt-sent': '=: mark-turn | =: mark-turn | =: mark-turn | =: mark-turn',
  // §2.2: edit if a message is open, and none is in dormant and tool-pending (§1).
  'transcript-block': '=: reconcile | =: reconcile edit | =: reconcile edit | =: reconcile',
  interrupted: '= | dormant: stop-typing finalize | dormant: finalize | dormant',
  'process-exit': exit(),
  silence: '=: notice-silence | =: notice-silence | =: notice-silence | =: notice-silence',
}

function exit(): string {
  return Array(4).fill('dormant: stop-typing finalize settle-approval end-session').join(' | ')
}

const cells = [...everyPair(phaseTable)]

describe('the phase table', () => {
  test.each(cells.map(({ state, event, rows }) => ({ state, event, rows })))(
    '$state, $event',
    ({ state, event, rows }) => {
      const cell = EXPECTED[event].split(' | ')[phaseTable.states.indexOf(state)]!
      if (cell === '.') {
        expect(rows).toEqual([])
        expect(transition(phaseTable, state, event)).toEqual([state, []])
        return
      }
      const [next, list = ''] = cell.split(':')
      const own = list.trim() === '' ? [] : list.trim().split(' ')
      const isLeft = next !== '=' && state === 'tool-pending'
      expect(transition(phaseTable, state, event)).toEqual([
        next === '=' ? state : next,
        isLeft ? ['settle-approval', ...own] : own,
      ])
    },
  )

  test('covers every event with a line of its own', () => {
    expect(Object.keys(EXPECTED).sort()).toEqual([...phaseTable.events].sort())
    expect(cells).toHaveLength(4 * 21)
  })

  test('warns of no event that may come at any time', () => {
    const warned: string[] = []
    const counter = new UnlistedCounter(pair => warned.push(pair.event))
    for (const state of phaseTable.states)
      for (const event of phaseTable.events) transition(phaseTable, state, event, { counter })
    expect(warned).toEqual([])
  })

  /** Whether a message is open after these actions: what `open-message` and `edit` open, `finalize` closes. */
  function isOpenAfter(isOpen: boolean, actions: readonly PhaseAction[]): boolean {
    return actions.reduce(
      (open, action) => (action === 'finalize' ? false : action === 'open-message' || action === 'edit' ? true : open),
      isOpen,
    )
  }

  function follow(events: readonly PhaseEvent[]): { phase: Phase; isOpen: boolean } {
    let phase: Phase = phaseTable.initial
    let isOpen = false
    for (const event of events) {
      const [next, actions] = transition(phaseTable, phase, event)
      phase = next
      isOpen = isOpenAfter(isOpen, actions)
    }
    return { phase, isOpen }
  }

  const history = fc.array(fc.constantFrom(...phaseTable.events), { maxLength: 30 })

  test.each(['idle_prompt', 'background_task', 'error:final', 'interrupted', 'process-exit', 'auth_required'] as const)(
    'whatever happened before, %s ends in dormant with no open message',
    last => {
      fc.assert(
        fc.property(history, events => {
          expect(follow([...events, last])).toEqual({ phase: 'dormant', isOpen: false })
        }),
      )
    },
  )

  test('no message is open while nothing is done or a person is asked', () => {
    fc.assert(
      fc.property(history, events => {
        const { phase, isOpen } = follow(events)
        if (phase === 'dormant' || phase === 'tool-pending') expect(isOpen).toBe(false)
      }),
    )
  })

  test('no list of actions edits after it has finalized', () => {
    for (const { rows } of cells) {
      for (const { actions } of rows) {
        const end = actions.indexOf('finalize')
        if (end >= 0) expect(actions.slice(end)).not.toContain('edit')
      }
    }
  })

  test('leaving tool-pending always settles the request, first of all', () => {
    for (const { state, rows } of cells) {
      for (const row of rows)
        if (state === 'tool-pending' && row.next !== state) expect(row.actions[0]).toBe('settle-approval')
    }
  })

  test('typing that was started is stopped when thinking ends', () => {
    for (const { state, rows, event } of cells) {
      for (const row of rows)
        if (state === 'thinking' && row.next !== state) expect(row.actions[0], event).toBe('stop-typing')
    }
  })
})

describe("the screen's events", () => {
  const observation = (view: string, payload: object) => ({ view, payload }) as unknown as Observation

  test('views are events; menus are told by instance, errors by whether they ended the turn', () => {
    expect(phaseEventOf(observation('thinking', {}), false)).toBe('thinking')
    expect(phaseEventOf(observation('tool_menu', {}), true)).toBe('tool_menu:new')
    expect(phaseEventOf(observation('tool_menu', {}), false)).toBe('tool_menu')
    expect(phaseEventOf(observation('error', { final: true }), false)).toBe('error:final')
    expect(phaseEventOf(observation('error', { final: false }), true)).toBe('error')
  })
})

test('the drawing for the documents', () => {
  expect(toMarkdown(phaseTable)).toMatchInlineSnapshot(`
    "| event ↓ / state → | \`dormant\` | \`thinking\` | \`streaming\` | \`tool-pending\` |
    |---|---|---|---|---|
    | \`startup\` |  |  |  |  |
    | \`idle_prompt\` | =: extract-history | dormant: stop-typing, extract-turn, finalize | dormant: finalize | dormant: – |
    | \`user_message\` | =: mark-turn |  |  |  |
    | \`thinking\` | thinking: mark-turn, open-message, start-typing | = – | thinking: finalize, open-message, start-typing | thinking: open-message, start-typing |
    | \`response_content\` | streaming: mark-turn, extract, edit | streaming: stop-typing, extract, edit | =: extract, edit | streaming: extract, edit |
    | \`tool_menu\` | tool-pending: ask | tool-pending: stop-typing, finalize, ask | tool-pending: finalize, ask | = – |
    | \`tool_menu:new\` | tool-pending: ask | tool-pending: stop-typing, finalize, ask | tool-pending: finalize, ask | =: settle-approval, ask |
    | \`tool_running\` | = – | streaming: stop-typing, extract, edit | =: extract, edit | streaming: – |
    | \`tool_result\` | = – | streaming: stop-typing, extract, edit | =: extract, edit | streaming: extract, edit |
    | \`todo_list\` | streaming: mark-turn, extract, edit | streaming: stop-typing, extract, edit | =: extract, edit | streaming: extract, edit |
    | \`parallel_agents\` | streaming: mark-turn, extract, edit | streaming: stop-typing, extract, edit | =: extract, edit | streaming: extract, edit |
    | \`background_task\` | =: extract-history | dormant: stop-typing, extract-turn, finalize | dormant: finalize | dormant: – |
    | \`auth_required\` | =: warn-auth, end-for-auth | dormant: stop-typing, finalize, warn-auth, end-for-auth | dormant: finalize, warn-auth, end-for-auth | dormant: warn-auth, end-for-auth |
    | \`error\` | streaming: mark-turn, extract, edit | streaming: stop-typing, extract, edit | =: extract, edit | streaming: extract, edit |
    | \`error:final\` | =: extract-history | dormant: stop-typing, extract-turn, finalize | dormant: extract, finalize | dormant: extract-turn, finalize |
    | \`unknown\` |  |  |  |  |
    | \`prompt-sent\` | =: mark-turn | =: mark-turn | =: mark-turn | =: mark-turn |
    | \`transcript-block\` | =: reconcile | =: reconcile, edit | =: reconcile, edit | =: reconcile |
    | \`interrupted\` | = – | dormant: stop-typing, finalize | dormant: finalize | dormant: – |
    | \`process-exit\` | dormant: stop-typing, finalize, settle-approval, end-session | dormant: stop-typing, finalize, settle-approval, end-session | dormant: stop-typing, finalize, settle-approval, end-session | dormant: stop-typing, finalize, settle-approval, end-session |
    | \`silence\` | =: notice-silence | =: notice-silence | =: notice-silence | =: notice-silence |

    Exit actions, before the others, of \`tool-pending\`: settle-approval.
    "
  `)
})
