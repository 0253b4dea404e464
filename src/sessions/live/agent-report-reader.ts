import type { AgentReport } from '../../agents/index.js'
import type { Clock, Timer } from '../../clock/index.js'
import { type Block, parseMarkdown } from '../../screen/index.js'
import type { ReportedText } from '../conversation/index.js'
import type { PromptReceipts } from './prompt-receipts.js'

interface AgentReportReaderOptions {
  clock: Clock
  /** Wall milliseconds. */
  startedAt: number
  receipts: PromptReceipts
  /** The turn that was opened last. */
  lastTurn(): string | null
  onIdentified(agentSession: string, source: string, version: string | undefined): void
  onText(text: ReportedText): void
  /** The agent reports that its turn has ended, and the screen has had time to show it. */
  onTurnEnded(outcome: 'done' | 'interrupted' | 'failed'): void
}

/** How long the screen has to show the end of a turn before the report of it counts. */
const SCREEN_FIRST_MS = 1_000
const REPORTS_KEPT = 2_000

/** Reads the agent's reports: each once, and only those of the main conversation. */
export class AgentReportReader {
  readonly #options: AgentReportReaderOptions
  readonly #read = new Set<string>()
  #turnEnd: Timer | null = null

  constructor(options: AgentReportReaderOptions) {
    this.#options = options
  }

  read(report: AgentReport): void {
    if (this.#read.has(report.id)) return
    this.#remember(report.id)
    const { statement, channel } = report
    if (statement.subAgent !== undefined) return
    const { receipts, onIdentified, onText } = this.#options
    const isCurrent = report.at >= this.#options.startedAt
    switch (statement.kind) {
      case 'session':
        return onIdentified(statement.agentSession, channel, statement.version)
      case 'prompt':
        this.#turnEnd?.cancel()
        if (isCurrent) receipts.addReceipt(channel, statement.text)
        return
      case 'working':
      case 'tool':
        if (isCurrent) receipts.addReceipt(channel, null)
        return
      case 'said':
        return onText(this.#textOf(statement.id, statement.markdown, report.at))
      case 'turn-ended':
        if (isCurrent) this.#endSoon(statement.outcome)
    }
  }

  stop(): void {
    this.#turnEnd?.cancel()
  }

  #textOf(id: string, markdown: string, at: number): ReportedText {
    const blocks = parseMarkdown(markdown).map(
      (content, index): Block => ({
        id: `${id}.${index}`,
        rows: [-1, -1],
        provisional: false,
        missing: false,
        source: 'transcript',
        ...content,
      }),
    )
    return { id, t: (at - this.#options.startedAt) / 1000, blocks }
  }

  #endSoon(outcome: 'done' | 'interrupted' | 'failed'): void {
    const { clock, lastTurn, onTurnEnded } = this.#options
    const turn = lastTurn()
    this.#turnEnd?.cancel()
    // The next turn may have started before the agent reports its prompt.
    this.#turnEnd = clock.setTimer(SCREEN_FIRST_MS, () => lastTurn() === turn && onTurnEnded(outcome))
  }

  #remember(id: string): void {
    this.#read.add(id)
    const [oldest] = this.#read
    if (this.#read.size > REPORTS_KEPT && oldest !== undefined) this.#read.delete(oldest)
  }
}
