import type { AgentAdapter, AgentEvents, AgentReport } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import type { SessionRecord } from '../sessions/index.js'
import { RecentKeys } from './recent-keys.js'
import { TranscriptTail } from './transcript-tail.js'

export interface SessionReportsOptions {
  record: SessionRecord
  adapter: AgentAdapter
  env: NodeJS.ProcessEnv
  clock: Clock
  /** The agent's event channel, if it has one and this session was started with it. */
  events?: AgentEvents | null
  /** Delivers a report to all receivers, in order. */
  onReport(report: AgentReport): void
  onError(error: unknown): void
}

/** Usage of a session so far, as far as its agent reports it. */
export interface SessionUsage {
  input: number
  output: number
  /** Absent if the agent reports no cost. */
  costUsd?: number
}

const REPEAT_MS = 10 * 60_000

/** The reports of a session's agent: hooks, events, transcript; each report once. */
export class SessionReports {
  readonly #options: SessionReportsOptions
  readonly #seen: RecentKeys
  readonly #tail: TranscriptTail | null
  #agentSession: string | null
  #usage: SessionUsage | null = null

  constructor(options: SessionReportsOptions) {
    const { record, adapter, env, clock, onError } = options
    this.#options = options
    this.#seen = new RecentKeys(clock, REPEAT_MS)
    this.#agentSession = record.agentSessionId ?? null
    this.#tail = adapter.transcript
      ? new TranscriptTail({
          transcript: adapter.transcript,
          lookup: () => ({
            env,
            cwd: record.cwd,
            agentSessionId: this.#agentSession,
            startedAt: record.startedAt,
          }),
          clock,
          onStatement: (statement, { at, path, index }) => {
            // Records from before the start belong to an earlier session. Some agents write whole
            // seconds.
            if (at !== null && at < Math.floor(record.startedAt / 1000) * 1000) return
            this.receive({ id: `transcript:${path}#${index}`, channel: 'transcript', at: at ?? clock.now(), statement })
          },
          onError,
        })
      : null
  }

  /** Null while the agent has reported none. */
  get usage(): SessionUsage | null {
    return this.#usage
  }

  start(): void {
    const { events, clock } = this.#options
    events?.onStatement((statement, { id, at }) =>
      this.receive({ id: `events:${id}`, channel: 'events', at: at ?? clock.now(), statement }),
    )
    this.#tail?.start()
    this.sessionChanged()
  }

  /** The session draws: its agent may write to its transcript now. */
  sessionChanged(): void {
    this.#tail?.sessionChanged()
  }

  async stop(): Promise<void> {
    this.#options.events?.close()
    await this.#tail?.stop()
  }

  /**
   * A request is reported again when its relay reconnects; it can be answered through the new
   * connection.
   */
  receive(report: AgentReport): void {
    const { statement } = report
    if (!this.#seen.add(report.id) && statement.kind !== 'request') return
    if (statement.kind === 'session' && !statement.subAgent) {
      this.#agentSession = statement.agentSession
      if (statement.transcript !== undefined) this.#tail?.use(statement.transcript)
    }
    if (statement.kind === 'usage') {
      const { input, output, costUsd } = this.#usage ?? { input: 0, output: 0 }
      const cost = costUsd === undefined ? statement.costUsd : costUsd + (statement.costUsd ?? 0)
      this.#usage = {
        input: input + statement.input,
        output: output + statement.output,
        ...(cost !== undefined && { costUsd: cost }),
      }
    }
    this.#options.onReport(report)
  }
}
