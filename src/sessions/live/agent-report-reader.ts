import type { AgentReport } from '../../agents/index.js'
import type { Clock, Timer } from '../../clock/index.js'
import { type Block, parseMarkdown } from '../../screen/index.js'
import type { ReportedText } from '../conversation/reported-text.js'
import type { PromptReceipts } from './prompt-receipts.js'

export interface AgentReportReaderOptions {
  clock: Clock
  /** Wall milliseconds. */
  startedAt: number
  signals: PromptReceipts
  onIdentified(agentSession: string, source: string, version: string | undefined): void
  onSaid(record: ReportedText): void
  /** The agent says that its turn has ended, and the screen has had time to show it. */
  onTurnEnded(outcome: 'done' | 'interrupted' | 'failed'): void
}

/** The screen speaks first: what it shows within so long need not be taken from a report. */
const SCREEN_FIRST_MS = 1_000
const KEPT = 2_000

/** Hears what the agent says about itself beside its screen: each report once, and only what is about its main conversation. */
export class AgentReportReader {
  readonly #options: AgentReportReaderOptions
  readonly #heard = new Set<string>()
  #ended: Timer | null = null

  constructor(options: AgentReportReaderOptions) {
    this.#options = options
  }

  hear(report: AgentReport): void {
    if (this.#heard.has(report.id)) return
    this.#remember(report.id)
    const { statement, channel } = report
    if (statement.subAgent !== undefined) return
    const { signals, onIdentified, onSaid } = this.#options
    const isNews = report.at >= this.#options.startedAt
    switch (statement.is) {
      case 'session':
        return onIdentified(statement.agentSession, channel, statement.version)
      case 'prompt':
        this.#ended?.cancel()
        if (isNews) signals.note(channel, statement.text)
        return
      case 'working':
      case 'tool':
        if (isNews) signals.note(channel, null)
        return
      case 'said':
        return onSaid(this.#recordOf(statement.id, statement.markdown, report.at))
      case 'turn-ended':
        if (isNews) this.#endSoon(statement.outcome)
    }
  }

  stop(): void {
    this.#ended?.cancel()
  }

  #recordOf(id: string, markdown: string, at: number): ReportedText {
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
    const { clock, onTurnEnded } = this.#options
    this.#ended?.cancel()
    this.#ended = clock.setTimer(SCREEN_FIRST_MS, () => onTurnEnded(outcome))
  }

  #remember(id: string): void {
    this.#heard.add(id)
    const [oldest] = this.#heard
    if (this.#heard.size > KEPT && oldest !== undefined) this.#heard.delete(oldest)
  }
}
