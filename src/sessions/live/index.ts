/*
 * The live session: one agent in a terminal, from its bytes to its phase, and from a person's
 * prompt to its keys.
 *
 *   keeper ──► LiveSession ──► SessionTerminal ──► SessionPhase ──► conversation/ ──► log, updates
 *                 ▲              bytes → looks      phase table        │
 *    reports ─────┤                                     └──► requests/ ┴──► ledger
 *    people ──────┘   PromptQueue ──► sendPrompt ──► keys
 *                     SessionRequests.delivery ───► keys
 *
 * - `LiveSession` owns the parts, builds them in order and is the only class that the host sees.
 *   Surfaces see its `SessionPort`, which a session on another machine has as well.
 * - `SessionTerminal` feeds the emulator and turns frames into looks (`panes/`). Its
 *   `ScreenReading` is the reading that a session acts on: from bytes alone, so that a recording
 *   gives the same result again. The second reading, with hooks, is for people
 *   (`supervision/session-monitor`); decision 0022 says why there are two.
 * - `SessionPhase` moves through the phase table (`phase-table`) and performs its actions.
 *   `Readiness` decides when the screen begins to count.
 * - `PromptQueue` sends prompts with `sendPrompt` (`send-prompt`, `send-text`), one at a time,
 *   each in the log before its first key; `PromptReceipts` are proof that the agent took one.
 * - `Keyboard` decides who may type; `interrupt-agent` and `session-ending` use it too.
 * - `AgentReportReader` reads what the agent reports besides its screen.
 * - `SessionNotices` notifies people; `SessionEnding` records the end.
 * - `SessionJournal` writes the session's events, each once; `session-record` is their projection.
 * - `JoinedConversation` runs the same phase over an agent that Signalbox did not start (a tmux
 *   pane).
 * - `agent-stats` folds an agent's reports on context, cost and sub-agents.
 *
 * Three rules hold everywhere in this folder. Time comes from the bytes: what a session concludes
 * depends on recorded times, never on when it was read. Old bytes cause nothing: during catch-up no
 * query is answered, no request raised, nothing emitted. Effects run one after the other
 * (`effects`), and a failing effect stops no other.
 *
 * Not here: PTYs (`keeper/`), scheduling of many sessions, snapshots and taking over (`host/`), the
 * status of a pane for people (`supervision/`).
 */

export {
  type AgentStats,
  NO_AGENT_STATS,
  reduceAgentStats,
  type SubAgent,
  subAgentsOf,
} from './agent-stats.js'
export type { InterruptResult } from './interrupt-agent.js'
export { JoinedConversation } from './joined-conversation.js'
export { SessionJournal } from './journal.js'
export type { Holder, KeyboardUser } from './keyboard.js'
export { LiveSession } from './live-session.js'
export { phaseTable } from './phase-table.js'
export type { SendPort, SendResult } from './send-prompt.js'
export type {
  AgentTraits,
  SessionObserver,
  SessionSnapshot,
  SessionTimes,
  Viewer,
} from './session-options.js'
export type { LocalSession, SessionPort, SessionState } from './session-port.js'
export { type SessionBudget, type SessionRecord, sessionStream, sessionsProjection } from './session-record.js'
export { dayOf, isOfRun, spentDays } from './session-spending.js'
