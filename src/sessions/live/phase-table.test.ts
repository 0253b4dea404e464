import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everyPair, transition } from '../../machine/index.js'
import type { Observation } from '../../screen/index.js'
import { type Phase, type PhaseAction, type PhaseEvent, phaseEventOf, phaseTable } from './phase-table.js'

const cells = [...everyPair(phaseTable)]

describe('the phase table', () => {
  /**
   * Whether a message is open after these actions: `open-message` and `show-message` open one,
   * `finalize` closes it.
   */
  function isOpenAfter(isOpen: boolean, actions: readonly PhaseAction[]): boolean {
    return actions.reduce(
      (open, action) =>
        action === 'finalize' ? false : action === 'open-message' || action === 'show-message' ? true : open,
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
    'leads to dormant with no open message after %s, whatever happened before',
    last => {
      fc.assert(
        fc.property(history, events => {
          expect(follow([...events, last])).toEqual({ phase: 'dormant', isOpen: false })
        }),
      )
    },
  )

  test('no message is open while the session is dormant or a request is pending', () => {
    fc.assert(
      fc.property(history, events => {
        const { phase, isOpen } = follow(events)
        if (phase === 'dormant' || phase === 'tool-pending') expect(isOpen).toBe(false)
      }),
    )
  })

  test('no list of actions shows a message after finalize', () => {
    for (const { rows } of cells) {
      for (const { actions } of rows) {
        const end = actions.indexOf('finalize')
        if (end >= 0) expect(actions.slice(end)).not.toContain('show-message')
      }
    }
  })

  test('leaving tool-pending always settles the request first', () => {
    for (const { state, rows } of cells) {
      for (const row of rows)
        if (state === 'tool-pending' && row.next !== state) expect(row.actions[0]).toBe('close-approval')
    }
  })

  test('typing that was started is stopped when thinking ends', () => {
    for (const { state, rows, event } of cells) {
      for (const row of rows)
        if (state === 'thinking' && row.next !== state) expect(row.actions[0], event).toBe('stop-typing')
    }
  })
})

describe('events of the screen', () => {
  const observation = (view: string, payload: object) => ({ view, payload }) as unknown as Observation

  test('separate menus by instance, and errors by whether they ended the turn', () => {
    expect(phaseEventOf(observation('thinking', {}), false)).toBe('thinking')
    expect(phaseEventOf(observation('tool_menu', {}), true)).toBe('tool_menu:new')
    expect(phaseEventOf(observation('tool_menu', {}), false)).toBe('tool_menu')
    expect(phaseEventOf(observation('error', { final: true }), false)).toBe('error:final')
    expect(phaseEventOf(observation('error', { final: false }), true)).toBe('error')
  })
})
