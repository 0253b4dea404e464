export { type AnswerChannel, NO_CHANNEL } from './answer-channel.js'
export { Conversation, type ConversationState } from './conversation.js'
export { type Crew, type Helper, hearCrew, helpersOf, NO_CREW } from './crew.js'
export { deliveredSink } from './delivered-sink.js'
export {
  type FileLimits,
  openDownload,
  removeUploads,
  type SessionPlaces,
  type StoredFile,
  storeUpload,
} from './files.js'
export type { InterruptResult } from './interrupt-agent.js'
export { type JoinedMessage, type JoinedPrompt, JoinedTalk } from './joined-talk.js'
export { SessionJournal } from './journal.js'
export type { Holder, Person } from './keyboard.js'
export { liveMenu } from './live-menu.js'
export { LiveSession } from './live-session.js'
export type {
  AgentTraits,
  LiveSessionOptions,
  SessionObserver,
  SessionSnapshot,
  Viewer,
} from './live-session-options.js'
export { Outbox, type OutboxEntry } from './outbox.js'
export { type Phase, phaseTable } from './phase-table.js'
export type { HeldPrompt, SendOptions } from './prompts.js'
export { type SendPort, type SendResult, sendPrompt } from './send-gate.js'
export { type SessionRecord, sessionStream, sessionsProjection } from './session-record.js'
export type { SessionTimes } from './session-times.js'
export { BLOCK_CAPS, type MessageRef, type Notice, type Sink, type SinkCaps } from './sink.js'
export { turnPrompts } from './turn-prompts.js'
