import { type ActionOf, defineMachine, type EventOf, type StateOf } from '../machine/index.js'

/** What the guards ask. */
export interface StatusQuestion {
  /** The report comes from another source than the run, or from a newer generation. */
  isOtherSource: boolean
  /** A live menu is on screen, or an approval of this pane is pending. */
  isAsking: boolean
  /**
   * The report's authority is not lower than that of the report that started the run, or that one
   * has expired.
   */
  isEntitled: boolean
  /** The wait came from heuristics alone. */
  isGuessedWait: boolean
}

/**
 * What a pane is doing for a person. A pair without a row is refused and counted, as is one whose
 * guard refuses.
 */
export const statusTable = defineMachine({
  name: 'status',
  states: ['idle', 'running', 'long-running', 'waiting-approval', 'done', 'failed'],
  events: [
    'start',
    'activity',
    'ask',
    'answered',
    'finish-ok',
    'finish-fail',
    'rest',
    'seen',
    'clear',
    'long',
    'wait-over-changed',
    'wait-over-quiet',
    'gone-ok',
    'gone-fail',
  ],
  initial: 'idle',
  actions: ['restart-clock', 'refresh-label', 'acknowledge', 'suppress-heuristics'],
  guards: {
    G1: (question: StatusQuestion) => question.isOtherSource,
    G2: (question: StatusQuestion) => !question.isAsking,
    G3: (question: StatusQuestion) => question.isEntitled,
    G4: (question: StatusQuestion) => question.isGuessedWait,
  },
  rows: [
    [['idle', 'done', 'failed'], 'start', 'running', ['restart-clock']],
    [['running', 'long-running'], 'start', 'running', ['restart-clock'], 'G1'],
    [['running', 'long-running'], 'start', '=', ['refresh-label']],
    ['waiting-approval', 'start', 'running', [], 'G2'],

    [['running', 'long-running'], 'activity', '='],
    ['waiting-approval', 'activity', 'running', [], 'G2'],

    [['idle', 'running', 'long-running', 'done', 'failed'], 'ask', 'waiting-approval'],
    ['waiting-approval', 'ask', '='],

    [['running', 'long-running'], 'answered', '='],
    ['waiting-approval', 'answered', 'running'],

    [['running', 'long-running'], 'finish-ok', 'done', [], 'G3'],
    ['waiting-approval', 'finish-ok', 'done', [], ['G2', 'G3']],
    ['done', 'finish-ok', '='],

    [['idle', 'done'], 'finish-fail', 'failed'],
    [['running', 'long-running', 'waiting-approval'], 'finish-fail', 'failed', [], 'G3'],
    ['failed', 'finish-fail', '='],

    [['idle', 'done', 'failed'], 'rest', '='],
    [['running', 'long-running'], 'rest', 'idle', ['restart-clock'], 'G3'],
    ['waiting-approval', 'rest', 'idle', ['restart-clock'], 'G2'],

    [['idle', 'running', 'long-running'], 'seen', '='],
    ['waiting-approval', 'seen', 'idle', ['acknowledge', 'restart-clock'], 'G4'],
    ['waiting-approval', 'seen', '=', ['acknowledge']],
    [['done', 'failed'], 'seen', 'idle', ['acknowledge', 'restart-clock']],

    ['idle', 'clear', '='],
    [
      ['running', 'long-running', 'waiting-approval', 'done', 'failed'],
      'clear',
      'idle',
      ['restart-clock', 'suppress-heuristics'],
    ],

    ['running', 'long', 'long-running'],

    ['waiting-approval', 'wait-over-changed', 'running', [], 'G2'],
    ['waiting-approval', 'wait-over-quiet', 'idle', ['restart-clock'], 'G2'],

    [['idle', 'done', 'failed'], 'gone-ok', '='],
    [['running', 'long-running', 'waiting-approval'], 'gone-ok', 'done'],
    [['idle', 'running', 'long-running', 'waiting-approval', 'done'], 'gone-fail', 'failed'],
    ['failed', 'gone-fail', '='],
  ],
})

export type PaneStatus = StateOf<typeof statusTable>
export type StatusEvent = EventOf<typeof statusTable>
export type StatusAction = ActionOf<typeof statusTable>
