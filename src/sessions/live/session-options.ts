import type { LedgerPort } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeeperPort, KeptExit } from '../../keeper/index.js'
import type { PaneOutput, SwitchedOff } from '../../panes/index.js'
import type { ReaderFactory } from '../../panes/reader/index.js'
import type { Pack } from '../../screen/index.js'
import type { EmulatorOptions } from '../../terminal/index.js'
import type { SessionUpdate } from '../conversation/index.js'
import type { AnswerChannel } from '../requests/index.js'
import type { SessionJournal } from './journal.js'
import type { SendPort } from './send-prompt.js'
import type { PhaseState } from './session-phase.js'
import type { SessionRecord } from './session-record.js'
import type { SavedTerminal } from './session-terminal.js'

export interface LiveSessionOptions {
  record: SessionRecord
  /** When its program was started, by this clock; default: the time in the log. */
  startedAt?: number
  pack: Pack
  keeper: KeeperPort
  journal: SessionJournal
  ledger: LedgerPort
  clock: Clock
  emulator: EmulatorOptions
  /** Where the terminal is read; default: in this thread. */
  reader?: ReaderFactory
  hostName: string
  /** What the agent reports besides its screen, and how its conversation is resumed. */
  agent?: AgentTraits
  times?: Partial<SessionTimes>
  restored?: SessionSnapshot
  /** How to answer the agent other than by its keyboard. */
  answers?: AnswerChannel
  /** Why keys would not reach the agent now. */
  absence?: SendPort['absence']
  /** Why no prompt is sent now; null: nothing prevents it. */
  pause?(): string | null
  /** Ephemeral updates, for surfaces. */
  emit(update: SessionUpdate): void
  onError(error: unknown): void
  /** The session's end is recorded. */
  onEnded?(): void
  /** The keeper disconnected the slow session: it catches up from the recording. */
  onLagging?(): void
  /** A rule of the pack was too slow and is no longer used. */
  onRuleOff?(off: SwitchedOff): void
}

export interface AgentTraits {
  hasTranscript: boolean
  hasHooks: boolean
  canResume: boolean
  /** Over the Agent Client Protocol it must read files itself. */
  readsItself?: true
  /** The command that makes the agent compact its conversation. */
  compact?: string
  /** Finds the agent's own id of the conversation in the last rows of its screen. */
  exitId?(rows: readonly string[]): string | null
}

/** An agent that reports nothing besides its screen. */
export const SCREEN_ONLY_AGENT: AgentTraits = { hasTranscript: false, hasHooks: false, canResume: false }

/** How long a session waits; the settings `sessions.*` and `send.*`. */
export interface SessionTimes {
  /** For the agent's own record at the end of a turn. */
  transcriptWaitMs: number
  /** For the input box or a menu after the start, before it notifies people. */
  readyTimeoutMs: number
  /** For any change while the agent works, before it notifies people; 0: it never does. */
  silenceMs: number
  /** For a person to attach at a login screen, before the session is ended. */
  authGraceMs: number
  /** For the input box, before a prompt is refused. */
  readyWaitMs: number
  /** Between two `typing` updates. */
  typingRepeatMs: number
}

export const DEFAULT_TIMES: SessionTimes = {
  transcriptWaitMs: 2_000,
  readyTimeoutMs: 60_000,
  silenceMs: 600_000,
  authGraceMs: 60_000,
  readyWaitMs: 3_000,
  typingRepeatMs: 4_000,
}

/** What most parts of a session need of it. */
export interface SessionPorts {
  session: string
  clock: Clock
  isExited(): boolean
  isCatchingUp(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
  onError(error: unknown): void
}

/** What a later host needs to continue from `offset` without reading older bytes again. */
export interface SessionSnapshot extends SavedTerminal {
  phase: PhaseState
}

/** Follows the session's screen and reports; cannot change it. `t`: seconds since start. */
export interface SessionObserver {
  outputs(outputs: readonly PaneOutput[], t: number, isLive: boolean): void
  input(t: number, bytes: Uint8Array): void
  /** `isExpected`: a person or Signalbox stopped the session, so its exit code is not a failure. */
  exited(exit: KeptExit, isExpected: boolean): void
}

/** Receives the bytes of the terminal itself. */
export interface Viewer {
  output(bytes: Uint8Array, offset: number): void
  resized(cols: number, rows: number): void
  exited(exit: KeptExit): void
  /** The session is read again by another object: join that one. */
  replaced?(): void
}
