import { describe, expect, test } from 'vitest'
import { toMarkdown, transition, walk } from '../machine/index.js'
import { type ApprovalEvent, approvalTable } from './approval-table.js'

/** The table by hand: for each state the events that have a row, as `event→next`. */
const EXPECTED: Record<string, string> = {
  none: 'requested→pending',
  pending:
    'decide→decided grant→decided observed→applied gone→stale changed→stale deadline→expired withdrawn→cancelled',
  decided:
    'decide→decided delivering→decided moved-on→applied overtaken→stale changed→stale unconfirmed→stale ambiguous→stale gone→stale too-late→stale withdrawn→cancelled deadline→decided',
  applied: 'decide→applied',
  stale: 'decide→stale',
  expired: 'decide→expired',
  cancelled: 'decide→cancelled',
}

const CLOSED = ['applied', 'stale', 'expired', 'cancelled']

describe('the approval table', () => {
  test.each([...walk(approvalTable)].map(({ state, event, rows }) => ({ state, event, rows })))(
    '$state, $event',
    ({ state, event, rows }) => {
      const listed = EXPECTED[state]!.split(' ').find(pair => pair.startsWith(`${event}→`))
      expect(rows).toHaveLength(listed ? 1 : 0)
      expect(transition(approvalTable, state, event)[0]).toBe(listed?.split('→')[1] ?? state)
    },
  )

  test('a deadline only closes an undecided request, which stays closed', () => {
    const deadlines = [...walk(approvalTable)].filter(({ event, rows }) => event === 'deadline' && rows.length > 0)
    expect(deadlines.map(({ state, rows }) => [state, rows[0]!.next, rows[0]!.isStay])).toEqual([
      ['pending', 'expired', false],
      ['decided', 'decided', true],
    ])
    expect([...reachableFrom('expired')]).toEqual(['expired'])
    for (const { rows } of deadlines) expect(rows[0]!.actions).not.toContain('wake-owner')
  })

  test('only a person or a grant decides', () => {
    const deciding = [...walk(approvalTable)].filter(
      ({ state, rows }) => state !== 'decided' && rows.some(row => row.next === 'decided'),
    )
    expect(deciding.map(({ state, event }) => `${state} ${event}`)).toEqual(['pending decide', 'pending grant'])
  })

  test('a closed request never changes', () => {
    for (const state of CLOSED) expect([...reachableFrom(state)]).toEqual([state])
  })

  test('a late decision is refused and has no other effect', () => {
    for (const state of ['decided', ...CLOSED] as const)
      expect(transition(approvalTable, state as 'stale', 'decide')).toEqual([state, ['refuse']])
  })

  test('the drawing for the documents', () => {
    expect(toMarkdown(approvalTable)).toMatchInlineSnapshot(`
      "| event ↓ / state → | \`none\` | \`pending\` | \`decided\` | \`applied\` | \`stale\` | \`expired\` | \`cancelled\` |
      |---|---|---|---|---|---|---|---|
      | \`requested\` | pending: project, tell-surfaces |  |  |  |  |  |  |
      | \`decide\` |  | decided: tell-surfaces, wake-owner | =: refuse | =: refuse | =: refuse | =: refuse | =: refuse |
      | \`grant\` |  | decided: tell-surfaces, wake-owner |  |  |  |  |  |
      | \`observed\` |  | applied: record-evidence, tell-surfaces |  |  |  |  |  |
      | \`gone\` |  | stale: tell-surfaces | stale: record-evidence, tell-surfaces |  |  |  |  |
      | \`changed\` |  | stale: tell-surfaces, raise-next | stale: tell-surfaces, raise-next |  |  |  |  |
      | \`deadline\` |  | expired: tell-surfaces | = – |  |  |  |  |
      | \`withdrawn\` |  | cancelled: tell-surfaces | cancelled: tell-surfaces |  |  |  |  |
      | \`delivering\` |  |  | =: record-attempt |  |  |  |  |
      | \`moved-on\` |  |  | applied: record-evidence, tell-surfaces |  |  |  |  |
      | \`overtaken\` |  |  | stale: record-evidence, tell-surfaces |  |  |  |  |
      | \`unconfirmed\` |  |  | stale: record-evidence, tell-surfaces |  |  |  |  |
      | \`ambiguous\` |  |  | stale: record-evidence, tell-surfaces |  |  |  |  |
      | \`too-late\` |  |  | stale: record-evidence, tell-surfaces |  |  |  |  |
      "
    `)
  })
})

function reachableFrom(start: string): Set<string> {
  const reached = new Set([start])
  for (const state of reached) {
    for (const event of approvalTable.events)
      reached.add(transition(approvalTable, state as 'pending', event as ApprovalEvent)[0])
  }
  return reached
}
