/*
 * A recording read again as the session read it, for `replay` and `explain`.
 *
 * `SessionReplay` feeds a recording through `panes/`; `Timeline` follows the looks through the
 * phase and status tables; `ReplayedConversation` reads the messages; `changes` turns a moment into
 * a line and tells changes from repetitions; `explain-at` explains one moment. The monitor of a
 * live session uses `Timeline` and `explainMoment`, too.
 */
export { type ChangeFields, ChangeHistory, changeFields, seconds } from './changes.js'
export { type Explanation, explainMoment, explainRecording, explainScreen } from './explain-at.js'
export { type ReplayedLine, SessionReplay } from './session-replay.js'
export { Timeline } from './timeline.js'
