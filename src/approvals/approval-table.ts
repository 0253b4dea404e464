import { defineMachine, type EventOf, type StateOf } from '../machine/index.js'

/**
 * The life of one approval. Silence never approves: no row leads from a timer to a decision. What is closed never opens again;
 * an agent that asks anew gets a new approval.
 */
export const approvalTable = defineMachine({
  name: 'approval',
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
  ],
  initial: 'none',
  actions: ['project', 'tell-surfaces', 'wake-owner', 'raise-next', 'record-attempt', 'record-evidence', 'refuse'],
  rows: [
    ['none', 'requested', 'pending', ['project', 'tell-surfaces']],
    ['pending', ['decide', 'grant'], 'decided', ['tell-surfaces', 'wake-owner']],
    ['pending', 'observed', 'applied', ['record-evidence', 'tell-surfaces']],
    ['pending', 'gone', 'stale', ['tell-surfaces']],
    ['pending', 'changed', 'stale', ['tell-surfaces', 'raise-next']],
    ['pending', 'deadline', 'expired', ['tell-surfaces']],
    ['pending', 'withdrawn', 'cancelled', ['tell-surfaces']],
    ['decided', 'delivering', '=', ['record-attempt']],
    ['decided', 'moved-on', 'applied', ['record-evidence', 'tell-surfaces']],
    [
      'decided',
      ['overtaken', 'unconfirmed', 'ambiguous', 'gone', 'too-late'],
      'stale',
      ['record-evidence', 'tell-surfaces'],
    ],
    ['decided', 'changed', 'stale', ['tell-surfaces', 'raise-next']],
    ['decided', 'withdrawn', 'cancelled', ['tell-surfaces']],
    ['decided', 'deadline', '='],
    [['decided', 'applied', 'stale', 'expired', 'cancelled'], 'decide', '=', ['refuse']],
  ],
})

export type ApprovalState = Exclude<StateOf<typeof approvalTable>, 'none'>
export type ApprovalEvent = EventOf<typeof approvalTable>
