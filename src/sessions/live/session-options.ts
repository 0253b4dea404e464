import type { Ledger } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { KeeperPort, KeptExit } from '../../keeper/index.js'
import type { PaneOutput, PaneScreenState } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import type { EmulatorOptions } from '../../terminal/index.js'
import type { AnswerChannel } from '../requests/answer-channel.js'
import type { SessionJournal } from './journal.js'
import type { SavedScreenReading } from './screen-reading.js'
import type { SendPort } from './send-gate.js'
import type { PhaseState } from './session-phase-options.js'
import type { SessionRecord } from './session-record.js'
import type { SessionTimes } from './session-times.js'
import type { Sink } from './sink.js'

export interface LiveSessionOptions {
  record: SessionRecord
  pack: Pack
  keeper: KeeperPort
  journal: SessionJournal
  ledger: Ledger
  sinks: readonly Sink[]
  clock: Clock
  emulator: EmulatorOptions
  hostName: string
  /** What the agent tells beside its screen, and how it is continued. */
  agent?: AgentTraits
  times?: Partial<SessionTimes>
  restored?: SessionSnapshot
  /** The way back to the agent beside its keyboard. */
  answers?: AnswerChannel
  /** Why keys would not reach the agent now. */
  absence?: SendPort['absence']
  onError(error: unknown): void
  /** The session's end is recorded. */
  onEnded?(): void
  /** The keeper has cut us off: output from `offset` on is in the recording, and this session is catching up until `goLive`. */
  onLagging?(): void
}

export interface AgentTraits {
  hasTranscript: boolean
  hasHooks: boolean
  canResume: boolean
  /** What to send so that it makes room in its conversation. */
  compact?: string
  /** The agent's own id of the conversation in the rows it left behind. */
  exitId?(rows: readonly string[]): string | null
}

/** All that a later host needs to go on from `offset` without reading older bytes again. */
export interface SessionSnapshot {
  offset: number
  screen: PaneScreenState
  sight: SavedScreenReading
  phase: PhaseState
}

/** Whoever follows what the session's screen shows and the terminal reports, without a say in it. `t`: seconds since the start. */
export interface SessionObserver {
  outputs(outputs: readonly PaneOutput[], t: number, isLive: boolean): void
  input(t: number, bytes: Uint8Array): void
  exited(exit: KeptExit): void
}

/** Someone who watches the terminal itself. */
export interface Viewer {
  output(bytes: Uint8Array, offset: number): void
  resized(cols: number, rows: number): void
  exited(exit: KeptExit): void
}

/** An agent that says nothing beside its screen. */
export const SILENT_AGENT: AgentTraits = { hasTranscript: false, hasHooks: false, canResume: false }
