import type { AgentReport, AgentStatement, ToolStatement } from '../../agents/index.js'
import { type ApprovalRecord, joinReports } from '../../approvals/index.js'
import { requestOfStatement, requestOfTool } from './build-request.js'
import type { DecisionDelivery } from './decision-delivery.js'
import { type OpenRequests, resultOf } from './open-requests.js'
import { isDenial, isStructured, type OpenRequest } from './request-answer.js'
import type { RequestStatement } from './tool-uses.js'

/** The menu of a tool is on screen so soon after the agent has begun to use it. */
const MENU_FOLLOWS_MS = 200
const LATE_KEPT = 200

export interface ReportedRequestsOptions {
  book: OpenRequests
  delivery: DecisionDelivery
  /** There is a new way to answer what was decided. */
  deliver(record: ApprovalRecord): void
}

/** Requests by the agent's own words beside its screen: that it asks, what for, and what became of it. */
export class ReportedRequests {
  readonly #options: ReportedRequestsOptions
  readonly #book: OpenRequests
  /** Reports that came after the end of their request, and which that was: each end has one. */
  readonly #late = new Map<string, string>()

  constructor(options: ReportedRequestsOptions) {
    this.#options = options
    this.#book = options.book
  }

  async hear(report: AgentReport): Promise<void> {
    const { statement } = report
    switch (statement.is) {
      case 'tool':
        this.#book.tools.take(statement)
        return statement.state === 'started' ? this.#nameTool(statement, report.at) : this.#prove(report, statement)
      case 'answered':
        return this.#prove(report, statement)
      case 'request':
        return this.#hearRequest(report, statement)
      case 'turn-ended':
        return statement.subAgent === undefined ? this.#turnEnded(report) : undefined
      default:
        return
    }
  }

  /**
   * Requests whose menu has made way for another one, and that no use of a tool was found for: what the agent is known to have begun by now
   * is theirs, and not the next menu's, which may ask for the very same thing.
   */
  async nameEarlier(): Promise<void> {
    for (const open of this.#book.all()) {
      const tool = open.key === null ? this.#book.uses.shownBy(open.menu) : null
      if (tool) await this.#book.name(open, tool.key, tool.tool)
    }
  }

  /** A menu that was raised before its tool was told of: from now on the agent's words about that tool are about it. */
  async #nameTool(statement: ToolStatement, at: number): Promise<void> {
    const { tools, uses } = this.#book
    if (statement.key === null || this.#book.all().some(({ key }) => key === statement.key)) return
    const tool = tools.unasked().find(({ key }) => key === statement.key)
    if (!tool || uses.isSpent(tool, at)) return
    const open = this.#book.all().find(
      ({ key, menu, since, record }) =>
        key === null &&
        menu &&
        // Transcripts lag behind: an equal request that came later is about another use of the tool. One that was taken over from a host
        // that is gone began when that one asked, not when this one came.
        Math.min(record.requestedAt, this.#wallTime(since)) - at < MENU_FOLLOWS_MS &&
        requestOfTool([tool], menu, '', this.#book.context()),
    )
    if (open) await this.#book.name(open, statement.key, statement.tool)
  }

  async #hearRequest(report: AgentReport, statement: RequestStatement & { subAgent?: string }): Promise<void> {
    const book = this.#book
    const { ledger, subject, clock } = book.options
    // A form is filled in on the screen, and its menu is the request; nobody needs to wait here.
    if (statement.viaScreen || this.#late.has(report.id)) return book.answers.release(report.id)
    const key = book.tools.keyFor(statement, clock.monotonic())
    const { tool, input, prompt, subAgent } = statement
    const late = new Set(this.#late.values())
    const recent = (await ledger.recent(subject.session)).filter(({ id }) => !late.has(id))
    const join = joinReports(recent, {
      channel: 'hook',
      requestKey: report.id,
      session: subject.session,
      tool,
      input,
      ...(prompt !== undefined && { turn: prompt }),
      ...(key !== null && { toolUseId: key }),
      ...(subAgent !== undefined && { subAgent }),
    })
    book.tools.noteAsked(key, clock.monotonic())
    // It was answered, and its dialog gone, before this report came.
    if (join.do === 'known' && !book.has(join.id)) {
      this.#noteLate(report.id, join.id)
      return book.answers.release(report.id)
    }
    const known = join.do === 'new' ? undefined : book.get(join.id)
    if (!known) {
      const request = requestOfStatement(report.id, statement, key, book.context())
      await book.add(request, { key, asked: statement, report: report.id })
      return
    }
    if (join.do === 'replace') return this.#replace(known, report, statement, key)
    return this.#addReport(known, report, statement, key, { isNew: join.do === 'join' })
  }

  #noteLate(report: string, id: string): void {
    this.#late.set(report, id)
    const [oldest] = this.#late.keys()
    if (this.#late.size > LATE_KEPT && oldest !== undefined) this.#late.delete(oldest)
  }

  /** A further report of a request that is open: one more place that can be answered. */
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
      await this.#book.options.ledger.join(known.record, joined)
    }
    await this.#book.refresh(known)
    // The relay is back, and so is the way to answer what was decided meanwhile.
    if (known.record.state === 'decided') this.#options.deliver(known.record)
  }

  /** The screen was first; now the request is known in structure. What stands on screen stays what can be chosen. */
  async #replace(
    old: OpenRequest,
    report: AgentReport,
    statement: RequestStatement,
    key: string | null,
  ): Promise<void> {
    const book = this.#book
    const { menuPrint, instance, request } = old.record
    const made = requestOfStatement(report.id, statement, key, book.context(), request.options)
    const record = await book.options.ledger.replace(old.record, {
      ...made,
      ...(menuPrint !== undefined && { menuPrint }),
      instance,
    })
    if (!record) {
      await book.refresh(old)
      // Decided while this report was on its way: it stays as it was decided, and the report tells where to answer.
      if (old.record.state === 'decided') return this.#addReport(old, report, statement, key, { isNew: true })
      return book.answers.release(report.id)
    }
    book.drop(old.record.id)
    if (book.shown?.id === old.record.id) book.shown = { ...book.shown, id: record.id }
    const open = await book.track(record, { key, asked: statement, report: report.id })
    open.menu = old.menu
    open.since = old.since
    await book.tell(old.record.id)
  }

  /** What became of a request, in the agent's own words. */
  async #prove(report: AgentReport, statement: Extract<AgentStatement, { is: 'tool' | 'answered' }>): Promise<void> {
    const book = this.#book
    const { delivery } = this.#options
    const open = book.all().find(({ key }) => key !== null && key === statement.key)
    if (!open) return
    if (statement.is === 'answered' && statement.result === 'unknown') return
    // A tool that failed may have been kept from running: after a denial that proves nothing.
    if (statement.is === 'tool' && statement.state === 'failed' && open.record.decision && isDenial(open.record)) return
    open.proof = {
      result: resultOf(statement),
      by: report.channel,
      ...(statement.is === 'tool' && { tool: statement }),
    }
    await book.refresh(open)
    if (open.record.state === 'pending') await book.closeUnanswered(open, true)
    else if (open.record.state === 'decided' && !delivery.isDelivering(open.record.id))
      await book.end(open, () => delivery.conclude(open))
  }

  /** What was asked in a turn that is over is asked no more. */
  async #turnEnded({ at }: AgentReport): Promise<void> {
    const book = this.#book
    const { delivery } = this.#options
    for (const open of book.all()) {
      const { record } = open
      const isOf = isStructured(open) && record.subject.subAgent === undefined && record.requestedAt <= at
      if (!isOf || book.shown?.id === record.id || delivery.isDelivering(record.id)) continue
      await book.refresh(open)
      if (open.record.state === 'pending') {
        book.letGo(open)
        await book.cancel(open, 'the turn has ended')
      } else if (open.record.state === 'decided') await book.end(open, () => delivery.concludeAtEnd(open))
    }
  }

  /** A moment of the steady clock as the agent would have written it down. */
  #wallTime(steady: number): number {
    const { clock } = this.#book.options
    return clock.now() - (clock.monotonic() - steady)
  }
}
