import type { AgentReport, AgentStatement, ToolStatement } from '../../agents/index.js'
import { joinReports } from '../../approvals/index.js'
import { requestOfStatement, requestReplacing } from './build-request.js'
import type { DecisionDelivery } from './decision-delivery.js'
import { isStructured, type OpenRequest, type OpenRequests, resultOf } from './open-requests.js'
import { isDenial } from './request-answer.js'
import type { RequestStatement, StartedTool } from './tool-uses.js'

/** The menu of a tool appears at most this long after the agent has started the tool. */
const MENU_FOLLOWS_MS = 200
const LATE_KEPT = 200

/** Requests by the agent's own reports: that it asks, what for, and what became of it. */
export class ReportedRequests {
  readonly #open: OpenRequests
  readonly #delivery: DecisionDelivery
  /** Reports that came after their request's end, and which: each end has one report. */
  readonly #late = new Map<string, string>()

  constructor(open: OpenRequests, delivery: DecisionDelivery) {
    this.#open = open
    this.#delivery = delivery
  }

  async handleReport(report: AgentReport): Promise<void> {
    const { statement } = report
    switch (statement.kind) {
      case 'tool':
        return this.#handleTool(report, statement)
      case 'answered':
        return this.#prove(report, statement)
      case 'request':
        return this.#handleRequest(report, statement)
      case 'turn-ended':
        return statement.subAgent === undefined ? this.#turnEnded(report) : undefined
      default:
        return
    }
  }

  async #handleTool(report: AgentReport, statement: ToolStatement): Promise<void> {
    const { tools } = this.#open
    const ended = statement.state === 'started' ? null : tools.withoutRequest().find(({ key }) => key === statement.key)
    tools.addStatement(statement, report.at)
    if (statement.state === 'started') return this.#nameTool(statement, report.at)
    if (ended) await this.#nameEnded(ended, report.at)
    return this.#prove(report, statement)
  }

  /**
   * Names the request of a tool that ends after its answer was sent and had started before its menu
   * appeared, however long the menu took: on a busy machine it may be late.
   */
  async #nameEnded(tool: StartedTool, at: number): Promise<void> {
    const open = this.#open
      .all()
      .find(
        candidate =>
          this.#isUnnamedMenuOf(tool, candidate) &&
          tool.at <= Math.min(candidate.record.requestedAt, this.#wallTime(candidate.since)),
      )
    if (open && (await this.#open.wasAnsweredBefore(open, at))) await this.#open.assignTool(open, tool.key, tool.tool)
  }

  #isUnnamedMenuOf(tool: StartedTool, { key, menu }: OpenRequest): boolean {
    return key === null && menu !== null && this.#open.tools.isAbout(tool, menu)
  }

  /** Names the request of a menu that was raised before the agent reported the tool. */
  async #nameTool(statement: ToolStatement, at: number): Promise<void> {
    const { tools } = this.#open
    if (statement.key === null || this.#open.all().some(({ key }) => key === statement.key)) return
    const tool = tools.withoutRequest().find(({ key }) => key === statement.key)
    if (!tool || tools.isConsumed(tool, at)) return
    const open = this.#open.all().find(
      candidate =>
        // Transcripts lag behind: an equal request that came later is about another use of the
        // tool. A request of an earlier host began when that host raised it.
        Math.min(candidate.record.requestedAt, this.#wallTime(candidate.since)) - at < MENU_FOLLOWS_MS &&
        this.#isUnnamedMenuOf(tool, candidate),
    )
    // A tool that starts after the answer is the next one.
    if (open && !(await this.#open.wasAnsweredBefore(open, at))) await this.#open.assignTool(open, tool.key, tool.tool)
  }

  async #handleRequest(report: AgentReport, statement: RequestStatement & { subAgent?: string }): Promise<void> {
    const requests = this.#open
    const { ledger, subject } = requests
    // A form is filled in on screen, and its menu is the request: the agent need not wait here.
    if (statement.viaScreen || this.#late.has(report.id)) return requests.answers.release(report.id)
    const key = requests.tools.keyFor(statement)
    const { tool, input, prompt, subAgent } = statement
    const late = new Set(this.#late.values())
    const recent = (await ledger.recent(subject.session)).filter(({ id }) => !late.has(id))
    const shown = requests.onScreenOnly
    const join = joinReports(recent, {
      channel: 'hook',
      requestKey: report.id,
      session: subject.session,
      tool,
      input,
      ...(prompt !== undefined && { turn: prompt }),
      ...(key !== null && { toolUseId: key }),
      ...(subAgent !== undefined && { subAgent }),
      ...(shown && { onScreen: { id: shown.record.id, menu: shown.menu } }),
    })
    // The dialog was decided by what it showed, and this report tells more: the decision is typed,
    // and the agent asks again if the report is about something else.
    if (join.do === 'known' && join.id === shown?.record.id) return requests.answers.release(report.id)
    requests.tools.noteAsked(key)
    // It was answered, and its dialog was gone, before this report came.
    if (join.do === 'known' && !requests.has(join.id)) {
      this.#rememberLate(report.id, join.id)
      return requests.answers.release(report.id)
    }
    const known = join.do === 'new' || join.do === 'wait' ? undefined : requests.get(join.id)
    if (!known) {
      const request = requestOfStatement(report.id, statement, key, requests.context())
      await requests.add(request, { key, asked: statement, report: report.id })
      return
    }
    if (join.do === 'replace') return this.#replace(known, report, statement, key, { isGuess: join.isGuess === true })
    return this.#addReport(known, report, statement, key, { isNew: join.do === 'join' })
  }

  #rememberLate(report: string, id: string): void {
    this.#late.set(report, id)
    const [oldest] = this.#late.keys()
    if (this.#late.size > LATE_KEPT && oldest !== undefined) this.#late.delete(oldest)
  }

  /** A further report of an open request: one more way to answer it. */
  async #addReport(
    known: OpenRequest,
    report: AgentReport,
    statement: RequestStatement,
    key: string | null,
    { isNew }: { isNew: boolean },
  ): Promise<void> {
    known.key ??= key
    known.asked ??= statement
    known.reports.add(report.id)
    if (isNew) {
      const evidence = [{ kind: report.channel, report: report.id }]
      const toolUseId = key === null ? {} : { toolUseId: key }
      const joined = { channel: 'hook', requestKey: report.id, evidence, ...toolUseId }
      await this.#open.ledger.join(known.record, joined)
    }
    await this.#open.refresh(known)
    // The relay is back, and with it a way to answer what was decided meanwhile.
    if (known.record.state === 'decided') this.#delivery.start(known.record)
  }

  /** The screen came first; now the agent has reported the request in full. */
  async #replace(
    old: OpenRequest,
    report: AgentReport,
    statement: RequestStatement,
    key: string | null,
    about: { isGuess: boolean },
  ): Promise<void> {
    const requests = this.#open
    const shown = { record: old.record, menu: old.menu }
    const full = requestReplacing(shown, report.id, statement, key, requests.context(), about)
    const record = await requests.ledger.replace(old.record, full)
    if (!record) {
      await requests.refresh(old)
      // Decided while this report was on its way: the decision holds, and the report is one more
      // way to deliver it.
      if (old.record.state === 'decided') return this.#addReport(old, report, statement, key, { isNew: true })
      return requests.answers.release(report.id)
    }
    requests.drop(old.record.id)
    if (requests.shown?.id === old.record.id) requests.shown = { ...requests.shown, id: record.id }
    const open = requests.track(record, { key, asked: statement, report: report.id })
    open.menu = old.menu
    open.since = old.since
  }

  /** The agent reports what became of a request. */
  async #prove(report: AgentReport, statement: Extract<AgentStatement, { kind: 'tool' | 'answered' }>): Promise<void> {
    const requests = this.#open
    const open = requests.all().find(({ key }) => key !== null && key === statement.key)
    if (!open) return
    if (statement.kind === 'answered' && statement.result === 'unknown') return
    // A tool that failed may have been kept from running: after a denial that proves nothing.
    if (statement.kind === 'tool' && statement.state === 'failed' && open.record.decision && isDenial(open.record))
      return
    open.proof = {
      result: resultOf(statement),
      by: report.channel,
      ...(statement.kind === 'tool' && { tool: statement }),
    }
    await requests.refresh(open)
    if (open.record.state === 'pending') await requests.closeUnanswered(open, requests.sawKeys(open))
    else if (open.record.state === 'decided' && !this.#delivery.isDelivering(open.record.id))
      await requests.end(open, () => this.#delivery.conclude(open))
  }

  /** Ends the requests of a turn that has ended. */
  async #turnEnded({ at }: AgentReport): Promise<void> {
    const requests = this.#open
    for (const open of requests.all()) {
      const { record } = open
      const isOf = isStructured(open) && record.subject.subAgent === undefined && record.requestedAt <= at
      if (!isOf || requests.shown?.id === record.id || this.#delivery.isDelivering(record.id)) continue
      await requests.refresh(open)
      if (open.record.state === 'pending') {
        requests.release(open)
        await requests.cancel(open, 'the turn has ended')
      } else if (open.record.state === 'decided') await requests.end(open, () => this.#delivery.concludeAtEnd(open))
    }
  }

  /** A time of the steady clock as the agent would have written it. */
  #wallTime(steady: number): number {
    const { clock } = this.#open
    return clock.now() - (clock.monotonic() - steady)
  }
}
