export { Conversation, type ConversationState } from './conversation/conversation.js'
export { JoinedConversation, type JoinedMessage, type JoinedPrompt } from './conversation/joined-conversation.js'
export { turnPrompts } from './conversation/turn-prompts.js'
export { type AgentStats, NO_AGENT_STATS, reduceAgentStats, type SubAgent, subAgentsOf } from './live/agent-stats.js'
export { deliveredSink } from './live/delivered-sink.js'
export type { InterruptResult } from './live/interrupt-agent.js'
export { SessionJournal } from './live/journal.js'
export type { Holder, Person } from './live/keyboard.js'
export { LiveSession } from './live/live-session.js'
export { Outbox, type OutboxEntry } from './live/outbox.js'
export { type Phase, phaseTable } from './live/phase-table.js'
export type { HeldPrompt, SendOptions } from './live/prompt-queue.js'
export { type SendPort, type SendResult, sendPrompt } from './live/send-gate.js'
export {
  type FileLimits,
  openDownload,
  removeUploads,
  type SessionPlaces,
  type StoredFile,
  storeUpload,
} from './live/session-files.js'
export type {
  AgentTraits,
  LiveSessionOptions,
  SessionObserver,
  SessionSnapshot,
  Viewer,
} from './live/session-options.js'
export { type SessionRecord, sessionStream, sessionsProjection } from './live/session-record.js'
export type { SessionTimes } from './live/session-times.js'
export { BLOCK_CAPS, type MessageRef, type Notice, type Sink, type SinkCaps } from './live/sink.js'
export { type AnswerChannel, NO_CHANNEL } from './requests/answer-channel.js'
export { liveMenu } from './requests/live-menu.js'
