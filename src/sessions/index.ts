export { Conversation, type ConversationState } from './conversation.js'
export { SessionJournal } from './journal.js'
export {
  LiveSession,
  type LiveSessionOptions,
  liveMenu,
  type SessionObserver,
  type SessionSnapshot,
  type Viewer,
} from './live-session.js'
export { type Phase, phaseTable } from './phase-table.js'
export { type SendPort, type SendResult, sendPrompt } from './send-gate.js'
export { type SessionRecord, sessionStream, sessionsProjection } from './session-record.js'
export type { MessageRef, Notice, Sink } from './sink.js'
