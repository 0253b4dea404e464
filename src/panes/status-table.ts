import { type ActionOf, defineMachine, type EventOf, type StateOf } from '../machine/index.js'

/** The context of the guards. */
export interface StatusContext {
  /** The report comes from another source than the work, or from a newer process. */
  isOtherSource: boolean
  /** A live menu is on screen, or an approval of this pane is pending. */
  isAsking: boolean
  /** The authority is not lower than that which started the work, or it has expired. */
  isEntitled: boolean
  /** Only heuristics detected the wait. */
  isGuessedWait: boolean
}

/** A refused event is counted and kept in the pane's history with the reason. */
export const statusTable = defineMachine({
  name: 'status',
  about:
    'What a pane does, for a person: the status in `signalbox watch`, on the dashboard and in notifications. An event without a row, or whose guard does not hold, is refused; `signalbox explain` shows why.',
  states: ['idle', 'running', 'long-running', 'waiting-approval', 'done', 'failed'],
  events: [
    'start',
    'activity',
    'ask',
    'answered',
    'finish-ok',
    'finish-fail',
    'idle',
    'seen',
    'clear',
    'long',
    'wait-over-changed',
    'wait-over-quiet',
    'gone-ok',
    'gone-fail',
  ],
  initial: 'idle',
  actions: {
    'restart-clock': 'Count the time of this status from now on.',
    acknowledge: 'Mark the status as seen.',
  },
  guards: {
    'other-source': {
      about: 'The report comes from another source than the work, or from a newer process in the pane.',
      holds: (context: StatusContext) => context.isOtherSource,
    },
    'not-asking': {
      about: 'No live menu is on the screen, and no approval of this pane is pending.',
      holds: (question: StatusContext) => !question.isAsking,
    },
    entitled: {
      about: 'The report’s authority is at least that of the report that started the work, or that report has expired.',
      holds: (context: StatusContext) => context.isEntitled,
    },
    'guessed-wait': {
      about: 'Only heuristics detected the wait.',
      holds: (context: StatusContext) => context.isGuessedWait,
    },
  },
  rows: [
    [['idle', 'done', 'failed'], 'start', 'running', ['restart-clock']],
    [['running', 'long-running'], 'start', 'running', ['restart-clock'], 'other-source'],
    [['running', 'long-running'], 'start', '='],
    ['waiting-approval', 'start', 'running', [], 'not-asking'],

    [['running', 'long-running'], 'activity', '='],
    ['waiting-approval', 'activity', 'running', [], 'not-asking'],

    [['idle', 'running', 'long-running', 'done', 'failed'], 'ask', 'waiting-approval'],
    ['waiting-approval', 'ask', '='],

    [['running', 'long-running'], 'answered', '='],
    ['waiting-approval', 'answered', 'running'],

    [['running', 'long-running'], 'finish-ok', 'done', [], 'entitled'],
    ['waiting-approval', 'finish-ok', 'done', [], ['not-asking', 'entitled']],
    ['done', 'finish-ok', '='],

    [['idle', 'done'], 'finish-fail', 'failed'],
    [['running', 'long-running', 'waiting-approval'], 'finish-fail', 'failed', [], 'entitled'],
    ['failed', 'finish-fail', '='],

    [['idle', 'done', 'failed'], 'idle', '='],
    [['running', 'long-running'], 'idle', 'idle', ['restart-clock'], 'entitled'],
    ['waiting-approval', 'idle', 'idle', ['restart-clock'], 'not-asking'],

    [['idle', 'running', 'long-running'], 'seen', '='],
    ['waiting-approval', 'seen', 'idle', ['acknowledge', 'restart-clock'], 'guessed-wait'],
    ['waiting-approval', 'seen', '=', ['acknowledge']],
    [['done', 'failed'], 'seen', 'idle', ['acknowledge', 'restart-clock']],

    ['idle', 'clear', '='],
    [['running', 'long-running', 'waiting-approval', 'done', 'failed'], 'clear', 'idle', ['restart-clock']],

    ['running', 'long', 'long-running'],

    ['waiting-approval', 'wait-over-changed', 'running', [], 'not-asking'],
    ['waiting-approval', 'wait-over-quiet', 'idle', ['restart-clock'], 'not-asking'],

    [['idle', 'done', 'failed'], 'gone-ok', '='],
    [['running', 'long-running', 'waiting-approval'], 'gone-ok', 'done'],
    [['idle', 'running', 'long-running', 'waiting-approval', 'done'], 'gone-fail', 'failed'],
    ['failed', 'gone-fail', '='],
  ],
})

export type PaneStatus = StateOf<typeof statusTable>
export type StatusEvent = EventOf<typeof statusTable>
export type StatusAction = ActionOf<typeof statusTable>
