import type { ApprovalRecord } from '../../approvals/index.js'
import type { KeeperListener, KeptExit } from '../../keeper/index.js'
import type { ScreenView } from '../../panes/index.js'
import type { Block, Observation } from '../../screen/index.js'
import type { Frame } from '../../terminal/index.js'
import type { MessageRef } from '../conversation/index.js'
import type { InterruptResult } from './interrupt-agent.js'
import type { Holder } from './keyboard.js'
import type { HeldPrompt } from './logged-prompts.js'
import type { Phase } from './phase-table.js'
import type { SendOptions } from './prompt-queue.js'
import type { SendResult } from './send-prompt.js'
import type { SessionObserver } from './session-options.js'

/** What surfaces show of a running session: plain values, which can travel from another machine. */
export interface SessionState {
  readonly phase: Phase
  /** The turn that was opened last; null before the first. */
  readonly lastTurn: string | null
  readonly exit: KeptExit | null
  readonly observation: Pick<Observation, 'view' | 'busy' | 'awaiting' | 'rule' | 'facets'> | null
  /** What the menu on screen asks; null without one. */
  readonly question: string | null
  /** The command that makes the agent compact its conversation; null if it has none. */
  readonly compactCommand: string | null
  /** The open request on screen, else the oldest one. */
  readonly approval: ApprovalRecord | null
  readonly openMessage: MessageRef | null
  /** What the agent has said in the open message. */
  readonly blocks: readonly Block[]
  /** Who may type now. */
  readonly holder: Holder
  /** Prompts that wait until the agent is idle. */
  readonly heldPrompts: readonly HeldPrompt[]
  /** How many viewers watch the terminal itself. */
  readonly viewers: number
  /** The agent is idle, which has settled, and all its messages are in the log. */
  readonly isIdle: boolean
  /** Bytes of output so far. */
  readonly offset: number
  /** Arrow keys have another form then. */
  readonly isApplicationCursor: boolean
}

/**
 * A running session as surfaces use it: a `LiveSession` of this process, or the proxy of one on a
 * worker. Its state is read synchronously; its operations are calls.
 */
export interface SessionPort extends SessionState {
  readonly id: string
  /** The screen, after all effects so far; null before the first output. */
  currentFrame(): Promise<Frame | null>
  /** Keys of a person. False while another person, or Signalbox itself, types. */
  type(bytes: Uint8Array, person?: string | null): Promise<boolean>
  /** Types a prompt and verifies that the agent took it; or holds it until the agent is idle. */
  send(text: string, options?: SendOptions): Promise<SendResult>
  /** Withdraws a held prompt. False: it was sent. */
  dropPrompt(id: string): Promise<boolean>
  /** Stops the agent's work and verifies that it stopped. */
  interrupt(): Promise<InterruptResult>
  /** Ends the session: first by the agent's own exit keys, then by signals. */
  stop(reason?: string, graceMs?: number): Promise<void>
  /** Delivers a decision to the agent. */
  apply(record: ApprovalRecord): Promise<void>
  /** Resolves at the next change of the session, or after `ms`. */
  changed(ms: number): Promise<void>
  /** Resolves when all effects so far are done. */
  effectsDone(): Promise<void>
}

/**
 * A session whose agent this machine runs: on a terminal (`LiveSession`), or over the Agent Client
 * Protocol (`AcpSession`). The host starts it, feeds it from the keeper and ends it, and knows no
 * difference.
 */
export interface LocalSession extends SessionPort, KeeperListener {
  /** Its screen; that of a session without a terminal shows nothing. */
  readonly screen: ScreenView
  /** What the screen shows; null without a terminal, and before the first output. */
  readonly frame: Frame | null
  /** Resolves when everything that was passed to `output` has been read. */
  readonly terminal: { untilRead(): Promise<void> }
  /** Input that an earlier host wrote. `t`: seconds since the start. */
  typed(bytes: Uint8Array, t: number): void
  /** A marker in the recording. */
  marked?(label: string): void
  /** All old bytes were passed on: from here on the session acts. */
  goLive(): Promise<void>
  observe(observer: SessionObserver): void
  /** Sends held prompts if the agent is idle and nothing prevents it. */
  releasePrompts(): void
  /** The host closes and the agent continues. */
  detach(): void
  /** The session has ended. */
  close(): void
}
