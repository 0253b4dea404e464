import type { Clock } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeptExit } from '../../keeper/index.js'
import type { Look } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import type { ConversationState } from '../conversation/conversation.js'
import type { RowSource } from '../conversation/conversation-rows.js'
import type { MessageWriter } from '../conversation/message-writer.js'
import type { SessionRequests } from '../requests/session-requests.js'
import type { Effects } from './effects.js'
import type { Phase } from './phase-table.js'
import type { SessionNotices } from './session-notices.js'
import type { Sink } from './sink.js'

/** For a later host. */
export interface PhaseState {
  phase: Phase
  conversation: ConversationState
  menus: { count: number; print: string | null; instance: string }
  isReady: boolean
  /** People were told that it is ready. */
  isTold?: boolean
}

/** Who is told of what a phase means for people. */
export type PhaseNotices = Pick<
  SessionNotices,
  'signedIn' | 'atWork' | 'needsSignIn' | 'endUnlessAttended' | 'silent' | 'ready'
>

/** Where its menus go. */
export type PhaseApprovals = Pick<SessionRequests, 'raise' | 'stands' | 'settle' | 'takeOver'>

export interface SessionPhaseOptions {
  session: string
  pack: Pack
  rows: RowSource
  clock: Clock
  sinks: readonly Sink[]
  effects: Effects
  messages: Pick<MessageWriter, 'open' | 'update' | 'close' | 'patch'>
  notices: PhaseNotices
  approvals: PhaseApprovals
  isResumed: boolean
  /** The agent keeps a record of what it says. */
  hasTranscript: boolean
  restored: PhaseState | null
  /** Old bytes are being read: nothing of them is asked or shown. */
  isCatchingUp(): boolean
  exit(): KeptExit | null
  lastLook(): Look | null
  record<T extends EventType>(type: T, data: EventData<T>): void
  onEnd(): void
  onError(error: unknown): void
}
