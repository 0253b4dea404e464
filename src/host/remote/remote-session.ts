import type { ApprovalRecord } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { SessionUsage } from '../../reports/index.js'
import type { InterruptResult, SendResult, SessionPort, SessionState } from '../../sessions/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { Frame } from '../../terminal/index.js'
import type { ChannelListener, TerminalChannel } from '../../workers/index.js'
import type { LiveUpdate } from '../live-bus.js'
import type { AgentStatsView } from '../session-stats.js'

/** What a worker sends about a session when it changes; only the parts that changed. */
export interface RemoteSessionUpdate {
  state?: Partial<SessionState>
  stats?: AgentStatsView | null
  usage?: SessionUsage | null
  pane?: PaneInfo
  /** It is no longer supervised. */
  isGone?: true
  update?: LiveUpdate
}

/** The connection to the worker that has the session. */
export interface SessionConnection {
  /** Why the session gets no prompt now. */
  pause(): string | null
  clock: Clock
  ask(method: string, params: Record<string, unknown>): Promise<unknown>
  openChannel(about: Record<string, unknown>, listener: ChannelListener): Promise<TerminalChannel>
}

const UNKNOWN: SessionState = {
  phase: 'dormant',
  lastTurn: null,
  exit: null,
  observation: null,
  question: null,
  compactCommand: null,
  approval: null,
  openMessage: null,
  blocks: [],
  holder: { kind: 'none' },
  heldPrompts: [],
  viewers: 0,
  isIdle: false,
  offset: 0,
  isApplicationCursor: false,
}

/** The proxy of a session on a worker: its state as last reported, its operations as calls. */
export class RemoteSession implements SessionPort {
  readonly id: string
  readonly worker: string
  readonly #connection: SessionConnection
  readonly #waiting = new Set<() => void>()
  #state: SessionState = UNKNOWN
  stats: AgentStatsView | null = null
  usage: SessionUsage | null = null

  constructor(id: string, worker: string, connection: SessionConnection) {
    this.id = id
    this.worker = worker
    this.#connection = connection
  }

  get phase() {
    return this.#state.phase
  }

  get lastTurn() {
    return this.#state.lastTurn
  }

  get exit() {
    return this.#state.exit
  }

  get observation() {
    return this.#state.observation
  }

  get question() {
    return this.#state.question
  }

  get compactCommand() {
    return this.#state.compactCommand
  }

  get approval() {
    return this.#state.approval
  }

  get openMessage() {
    return this.#state.openMessage
  }

  get blocks() {
    return this.#state.openMessage === null ? [] : this.#state.blocks
  }

  get holder() {
    return this.#state.holder
  }

  get heldPrompts() {
    return this.#state.heldPrompts
  }

  get viewers() {
    return this.#state.viewers
  }

  get isIdle() {
    return this.#state.isIdle
  }

  get offset() {
    return this.#state.offset
  }

  get isApplicationCursor() {
    return this.#state.isApplicationCursor
  }

  applyUpdate({ state, stats, usage, update }: RemoteSessionUpdate): void {
    if (state) this.#state = { ...this.#state, ...state }
    if (stats !== undefined) this.stats = stats
    if (usage !== undefined) this.usage = usage
    if (update?.type === 'message.update') {
      const { type: _, blocks, ...openMessage } = update
      this.#state = { ...this.#state, openMessage, blocks }
    }
    this.wake()
  }

  /** It changed, or left. */
  wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }

  async currentFrame(): Promise<Frame | null> {
    return (await this.#ask('frame')) as Frame | null
  }

  async type(bytes: Uint8Array, person: string | null = null): Promise<boolean> {
    return (await this.#ask('type', { data: Buffer.from(bytes).toString('base64'), person })) === true
  }

  async send(text: string, options: Parameters<SessionPort['send']>[1] = {}): Promise<SendResult> {
    // Its worker does not know the budgets, and would send a held prompt after its next restart.
    const pause = this.#connection.pause()
    if (pause !== null) return { result: 'refused', reason: 'budget', detail: pause }
    return (await this.#ask('send', { text, options })) as SendResult
  }

  async dropPrompt(id: string): Promise<boolean> {
    return (await this.#ask('drop', { prompt: id })) === true
  }

  async interrupt(): Promise<InterruptResult> {
    return (await this.#ask('interrupt')) as InterruptResult
  }

  async stop(reason = 'stopped', graceMs?: number): Promise<void> {
    await this.#ask('stop', { reason, ...(graceMs !== undefined && { graceMs }) })
  }

  async apply({ id }: ApprovalRecord): Promise<void> {
    await this.#ask('apply', { approval: id })
  }

  async effectsDone(): Promise<void> {
    await this.#ask('effects-done')
  }

  changed(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = this.#connection.clock.setTimer(ms, () => {
        this.#waiting.delete(done)
        resolve()
      })
      const done = () => {
        timer.cancel()
        resolve()
      }
      this.#waiting.add(done)
    })
  }

  /** A viewer's terminal, relayed to the worker, which draws it. */
  attach(about: Record<string, unknown>, listener: ChannelListener): Promise<TerminalChannel> {
    return this.#connection.openChannel({ ...about, session: this.id }, listener)
  }

  #ask(operation: string, params: Record<string, unknown> = {}): Promise<unknown> {
    return this.#connection.ask(`session.${operation}`, { session: this.id, ...params })
  }
}
