import { defineMachine, type EventOf, type StateOf } from '../machine/index.js'

/** The state is computed from the stored events of the approval; the ledger writes those. */
export const approvalTable = defineMachine({
  name: 'approval',
  about:
    'The life of one approval. Silence never approves: a deadline never leads to a decision. A closed approval never opens again; an agent that asks again gets a new approval. A second decision changes nothing and is refused.',
  states: ['none', 'pending', 'decided', 'applied', 'stale', 'expired', 'cancelled'],
  events: [
    'requested',
    'decide',
    'grant',
    'observed',
    'gone',
    'changed',
    'deadline',
    'withdrawn',
    'delivering',
    'moved-on',
    'overtaken',
    'unconfirmed',
    'ambiguous',
    'too-late',
    'unproven',
  ],
  initial: 'none',
  actions: {},
  rows: [
    ['none', 'requested', 'pending'],
    ['pending', ['decide', 'grant'], 'decided'],
    ['pending', 'observed', 'applied'],
    ['pending', ['gone', 'changed'], 'stale'],
    ['pending', 'deadline', 'expired'],
    ['pending', 'withdrawn', 'cancelled'],
    ['decided', 'delivering', '='],
    ['decided', 'moved-on', 'applied'],
    ['decided', ['overtaken', 'unconfirmed', 'ambiguous', 'gone', 'changed', 'too-late', 'unproven'], 'stale'],
    ['decided', 'withdrawn', 'cancelled'],
    ['decided', 'deadline', '='],
    [['decided', 'applied', 'stale', 'expired', 'cancelled'], 'decide', '='],
  ],
})

export type ApprovalState = Exclude<StateOf<typeof approvalTable>, 'none'>
export type ApprovalEvent = EventOf<typeof approvalTable>
