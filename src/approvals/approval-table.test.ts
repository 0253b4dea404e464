import { describe, expect, test } from 'vitest'
import { everyPair, transition } from '../machine/index.js'
import { type ApprovalEvent, approvalTable } from './approval-table.js'

const CLOSED = ['applied', 'stale', 'expired', 'cancelled']

describe('the approval table', () => {
  test('closes undecided requests at their deadline, approves none, and keeps them closed', () => {
    const deadlines = [...everyPair(approvalTable)].filter(({ event, rows }) => event === 'deadline' && rows.length > 0)
    expect(deadlines.map(({ state, rows }) => [state, rows[0]!.next, rows[0]!.isStay])).toEqual([
      ['pending', 'expired', false],
      ['decided', 'decided', true],
    ])
    expect([...reachableFrom('expired')]).toEqual(['expired'])
  })

  test('lets only a person or a grant decide', () => {
    const deciding = [...everyPair(approvalTable)].filter(
      ({ state, rows }) => state !== 'decided' && rows.some(row => row.next === 'decided'),
    )
    expect(deciding.map(({ state, event }) => `${state} ${event}`)).toEqual(['pending decide', 'pending grant'])
  })

  test('keeps a closed request closed after any event', () => {
    for (const state of CLOSED) expect([...reachableFrom(state)]).toEqual([state])
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
