import type { AgentReport, AgentStatement, ToolStatement } from '../agents/index.js'
import {
  type ApprovalRecord,
  type ApprovalRequest,
  approvalKindOf,
  isOpen,
  joinReports,
  type Ledger,
  type MenuPort,
  requestFromMenu,
} from '../approvals/index.js'
import type { Clock, Timer } from '../clock/index.js'
import type { Menu } from '../screen/index.js'
import { type AnswerChannel, NO_CHANNEL } from './answer-channel.js'
import { DecisionDelivery } from './decision-delivery.js'
import { MenuUses } from './menu-uses.js'
import { isDenial, isStructured, type OpenRequest } from './open-request.js'
import type { Sink } from './sink.js'
import { joinedMenu, requestOfStatement, requestOfTool } from './structured-request.js'
import { type RequestStatement, ToolBook } from './tool-book.js'

export interface SessionApprovalsOptions {
  subject: { agent: string; session: string; project: string; cwd: string; hostName: string }
  ledger: Ledger
  clock: Clock
  sinks: readonly Sink[]
  menu: MenuPort
  /** The way back to the agent beside its keyboard. */
  answers?: AnswerChannel
  /** Keeps other hands off the keyboard while a decision is typed. */
  alone?<T>(work: () => Promise<T>): Promise<T>
  /** No half frame, no resize under way. */
  isSteady?(): boolean
  /** The next message to the agent, held until it rests. */
  say?(text: string): Promise<void>
  isExited(): boolean
  onError(error: unknown): void
}

/** A menu that is still there so long after its request was closed is a request of its own. */
const ASK_AGAIN_MS = 500
/** After a dialog has gone its result may follow by another channel: so long it is waited for. */
const RESULT_MS = 1_500

/**
 * The requests of one session in the ledger: raised when the agent asks, on screen or by a structured channel; settled when the dialog goes
 * or the agent says what became of it; answered when decided. Reports of one request are one approval, whichever comes first. Several may
 * be open at once; the one whose menu is on screen is *shown*, and only that one can be answered by keys.
 */
export class SessionApprovals {
  readonly #options: SessionApprovalsOptions
  readonly #answers: AnswerChannel
  readonly #delivery: DecisionDelivery
  readonly #tools = new ToolBook()
  readonly #uses: MenuUses
  /** Oldest first. */
  readonly #open = new Map<string, OpenRequest>()
  #shown: { id: string; instance: string } | null = null
  /** Reports that came after the end of their request, and which that was: each end has one. */
  readonly #late = new Map<string, string>()
  #lastKeysAt = Number.NEGATIVE_INFINITY
  #timesAsked = 0
  #again: Timer | null = null
  /** How often in a row a menu could not be asked. */
  #misses = 0

  constructor(options: SessionApprovalsOptions) {
    this.#options = options
    this.#answers = options.answers ?? NO_CHANNEL
    this.#uses = new MenuUses(
      this.#tools,
      options.clock,
      (tool, menu) => requestOfTool([tool], menu, '', this.#context()) !== null,
    )
    this.#delivery = new DecisionDelivery({
      ...options,
      answers: this.#answers,
      shownInstance: id => (this.#shown?.id === id ? this.#shown.instance : null),
      isShown: () => this.#shown !== null,
      lastKeysAt: () => this.#lastKeysAt,
      sawKeys: open => this.#sawKeys(open),
    })
  }

  /** The one on screen, else the oldest. */
  get open(): ApprovalRecord | null {
    const shown = this.#shown && this.#open.get(this.#shown.id)
    return (shown ?? this.#open.values().next().value)?.record ?? null
  }

  get isApplying(): boolean {
    return this.#delivery.isTyping
  }

  noteKeys(): void {
    this.#lastKeysAt = this.#options.clock.monotonic()
  }

  // — the screen —

  /** `since`: when it appeared, on the steady clock; keys that came later are meant for it, however late it is raised. */
  async raise(menu: Menu, instance: string, since = this.#options.clock.monotonic()): Promise<void> {
    const kind = approvalKindOf(menu)
    this.#shown = null
    this.#cancelLook()
    if (!kind) return
    try {
      await this.#raise(menu, kind, instance, since)
    } finally {
      this.#misses = this.#shown ? 0 : this.#misses + 1
      // The store was out of reach, or the request that this is the menu of has ended meanwhile: it is asked while it stands.
      if (!this.#shown) this.#lookAgain(instance, menu.print)
    }
  }

  async #raise(menu: Menu, kind: ApprovalRequest['kind'], instance: string, since: number): Promise<void> {
    await this.#nameEarlier()
    const { session } = this.#options.subject
    const join = joinReports(this.#records(), { channel: 'screen', requestKey: instance, session, menu })
    const joined = join.do === 'join' || join.do === 'known' ? this.#open.get(join.id) : undefined
    if (joined && join.do === 'join') {
      await this.#options.ledger.join(joined.record, joinedMenu(joined.record, menu, instance, join.mismatch))
      await this.#refresh(joined)
    }
    const open = joined ?? (await this.#raiseMenu(menu, kind, instance))
    if (!this.#open.has(open.record.id)) return
    open.menu = menu
    open.since = Math.min(open.since, since)
    this.#shown = { id: open.record.id, instance }
    // It was decided while it stood behind another one.
    if (joined && open.record.state === 'decided') void this.apply(open.record).catch(this.#options.onError)
  }

  /** In structure where the agent has told which tool it is about to use; else as the screen shows it. */
  async #raiseMenu(menu: Menu, kind: ApprovalRequest['kind'], instance: string): Promise<OpenRequest> {
    const { subject } = this.#options
    const tool = kind === 'permission' ? requestOfTool(this.#tools.unasked(), menu, instance, this.#context()) : null
    if (!tool) return this.#add(requestFromMenu(menu, { kind, subject, instance }), { key: null })
    this.#tools.noteAsked(tool.key, this.#options.clock.monotonic())
    return this.#add(tool.request, { key: tool.key })
  }

  /**
   * The request is closed, and its menu may be on screen all the same: the agent asks the very same thing again, drawn over the old menu
   * without a frame between them, or the decision had no effect. Either way it is asked anew, and nothing is typed by itself.
   */
  #lookAgain(instance: string, print: string | undefined): void {
    const { clock, menu, onError } = this.#options
    // One look for one menu, however many requests about it have come to their end.
    this.#cancelLook()
    this.#again = clock.setTimer(ASK_AGAIN_MS * 2 ** Math.min(this.#misses, 6), () => {
      this.#again = null
      const now = menu.menu()
      if (!now || now.print !== print || this.#shown || this.#options.isExited()) return
      void this.raise(now, `${appearanceOf(instance)}~${++this.#timesAsked}`).catch(onError)
    })
  }

  /**
   * The menu that was asked last is seen again. An equal one may have taken its place behind a picture that nobody believed, or while one
   * host followed another: if no request is open for it, it is looked at once more, and asked.
   */
  stands(menu: Menu, instance: string): void {
    if (!this.#shown && !this.#again && approvalKindOf(menu)) this.#lookAgain(instance, menu.print)
  }

  #cancelLook(): void {
    this.#again?.cancel()
    this.#again = null
  }

  /** The menu has gone. Decided: whoever delivers it looks for proof. Pending: someone answered in the terminal, or it was withdrawn. */
  async settle(): Promise<void> {
    const shown = this.#shown && this.#open.get(this.#shown.id)
    this.#shown = null
    if (this.#options.isExited()) {
      for (const open of [...this.#open.values()]) await this.#end(open, () => this.#cancel(open, 'session ended'))
      return
    }
    if (!shown) return
    await this.#refresh(shown)
    if (shown.record.state !== 'pending') return
    this.#letGo(shown)
    const wasTyped = this.#sawKeys(shown)
    if (!isStructured(shown) || shown.proof) return this.#closeUnanswered(shown, wasTyped)
    this.#options.clock.setTimer(RESULT_MS, () => {
      void this.#closeUnanswered(shown, wasTyped).catch(this.#options.onError)
    })
  }

  // — what the agent says beside its screen —

  async hear(report: AgentReport): Promise<void> {
    const { statement } = report
    switch (statement.is) {
      case 'tool':
        this.#tools.take(statement)
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
  async #nameEarlier(): Promise<void> {
    for (const open of [...this.#open.values()]) {
      const tool = open.key === null ? this.#uses.shownBy(open.menu) : null
      if (tool) await this.#name(open, tool.key, tool.tool)
    }
  }

  /** A menu that was raised before its tool was told of: from now on the agent's words about that tool are about it. */
  async #nameTool(statement: ToolStatement, at: number): Promise<void> {
    if (statement.key === null || [...this.#open.values()].some(({ key }) => key === statement.key)) return
    const tool = this.#tools.unasked().find(({ key }) => key === statement.key)
    if (!tool || this.#uses.isSpent(tool, at)) return
    const open = [...this.#open.values()].find(
      ({ key, menu, since, record }) =>
        key === null &&
        menu &&
        // Transcripts lag behind: an equal request that came later is about another use of the tool. One that was taken over from a host
        // that is gone began when that one asked, not when this one came.
        Math.min(record.requestedAt, this.#wallTime(since)) - at < MENU_FOLLOWS_MS &&
        requestOfTool([tool], menu, '', this.#context()),
    )
    if (open) await this.#name(open, statement.key, statement.tool)
  }

  async #name(open: OpenRequest, key: string, tool: string): Promise<void> {
    open.key = key
    this.#tools.noteAsked(key, this.#options.clock.monotonic())
    // Kept, so that a later host knows whose end it reads in the transcript.
    const evidence = [{ kind: 'transcript', tool }]
    const joined = { channel: 'transcript', requestKey: key, toolUseId: key, evidence }
    await this.#options.ledger.join(open.record, joined)
    await this.#refresh(open)
  }

  async #hearRequest(report: AgentReport, statement: RequestStatement & { subAgent?: string }): Promise<void> {
    const { ledger, subject } = this.#options
    // A form is filled in on the screen, and its menu is the request; nobody needs to wait here.
    if (statement.viaScreen || this.#late.has(report.id)) return this.#answers.release(report.id)
    const key = this.#tools.keyFor(statement, this.#options.clock.monotonic())
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
    this.#tools.noteAsked(key, this.#options.clock.monotonic())
    // It was answered, and its dialog gone, before this report came.
    if (join.do === 'known' && !this.#open.has(join.id)) {
      this.#noteLate(report.id, join.id)
      return this.#answers.release(report.id)
    }
    const known = join.do === 'new' ? undefined : this.#open.get(join.id)
    if (!known) {
      await this.#add(requestOfStatement(report.id, statement, key, this.#context()), {
        key,
        asked: statement,
        report: report.id,
      })
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
    const { ledger } = this.#options
    known.key ??= key
    known.asked ??= statement
    known.reports.add(report.id)
    if (isNew) {
      const evidence = [{ kind: report.channel, report: report.id }]
      const toolUseId = key === null ? {} : { toolUseId: key }
      await ledger.join(known.record, { channel: 'hook', requestKey: report.id, evidence, ...toolUseId })
    }
    await this.#refresh(known)
    // The relay is back, and so is the way to answer what was decided meanwhile.
    if (known.record.state === 'decided') void this.apply(known.record).catch(this.#options.onError)
  }

  /** The screen was first; now the request is known in structure. What stands on screen stays what can be chosen. */
  async #replace(
    old: OpenRequest,
    report: AgentReport,
    statement: RequestStatement,
    key: string | null,
  ): Promise<void> {
    const { ledger } = this.#options
    const { menuPrint, instance, request } = old.record
    const made = requestOfStatement(report.id, statement, key, this.#context(), request.options)
    const record = await ledger.replace(old.record, {
      ...made,
      ...(menuPrint !== undefined && { menuPrint }),
      instance,
    })
    if (!record) {
      await this.#refresh(old)
      // Decided while this report was on its way: it stays as it was decided, and the report tells where to answer.
      if (old.record.state === 'decided') return this.#addReport(old, report, statement, key, { isNew: true })
      return this.#answers.release(report.id)
    }
    this.#open.delete(old.record.id)
    const wasShown = this.#shown?.id === old.record.id
    if (wasShown) this.#shown = { id: record.id, instance: this.#shown!.instance }
    const open = await this.#track(record, { key, asked: statement, report: report.id })
    open.menu = old.menu
    open.since = old.since
    await this.#tell(old.record.id)
  }

  /** What became of a request, in the agent's own words. */
  async #prove(report: AgentReport, statement: Extract<AgentStatement, { is: 'tool' | 'answered' }>): Promise<void> {
    const open = [...this.#open.values()].find(({ key }) => key !== null && key === statement.key)
    if (!open) return
    if (statement.is === 'answered' && statement.result === 'unknown') return
    // A tool that failed may have been kept from running: after a denial that proves nothing.
    if (statement.is === 'tool' && statement.state === 'failed' && open.record.decision && isDenial(open.record)) return
    open.proof = {
      result: resultOf(statement),
      by: report.channel,
      ...(statement.is === 'tool' && { tool: statement }),
    }
    await this.#refresh(open)
    if (open.record.state === 'pending') await this.#closeUnanswered(open, true)
    else if (open.record.state === 'decided' && !this.#delivery.isDelivering(open.record.id))
      await this.#end(open, () => this.#delivery.conclude(open))
  }

  /** What was asked in a turn that is over is asked no more. */
  async #turnEnded({ at }: AgentReport): Promise<void> {
    for (const open of [...this.#open.values()]) {
      const { record } = open
      const isOf = isStructured(open) && record.subject.subAgent === undefined && record.requestedAt <= at
      if (!isOf || this.#shown?.id === record.id || this.#delivery.isDelivering(record.id)) continue
      await this.#refresh(open)
      if (open.record.state === 'pending') {
        this.#letGo(open)
        await this.#end(open, () => this.#cancel(open, 'the turn has ended'))
      } else if (open.record.state === 'decided') await this.#end(open, () => this.#delivery.concludeAtEnd(open))
    }
  }

  // — decisions —

  /** Delivers a decision. Safe to call again: it looks before it answers. */
  async apply({ id }: ApprovalRecord): Promise<void> {
    const record = await this.#options.ledger.get(id)
    if (record?.state !== 'decided' || !record.decision) return
    const open = this.#open.get(id) ?? this.#adopt(record)
    open.record = record
    await this.#end(open, () => this.#delivery.deliver(open))
  }

  /** After a restart: the request that the ledger has for the menu on screen; those that only a menu told of are over without one. */
  async takeOver(live: { menu: Menu; instance: string } | null): Promise<'known' | 'new' | 'none'> {
    const { ledger, subject } = this.#options
    const records = (await ledger.list({ isOpenOnly: true })).filter(
      record => record.subject.session === subject.session,
    )
    // Equal menus come one after the other: only the very appearance that was decided may get keys.
    const isShown = ({ menuPrint, instance, joined = [] }: ApprovalRecord) =>
      live !== null &&
      menuPrint === live.menu.print &&
      [instance, ...joined.filter(({ channel }) => channel === 'screen').map(({ requestKey }) => requestKey)].some(
        known => appearanceOf(known) === live.instance,
      )
    const mine = records.find(isShown)
    for (const record of records) {
      const open = this.#adopt(record)
      if (record === mine) {
        open.menu = live!.menu
        this.#shown = { id: record.id, instance: live!.instance }
        // The agent may have told of the tool before anybody was there to hear it.
        const told = open.key === null ? requestOfTool(this.#tools.unasked(), live!.menu, '', this.#context()) : null
        if (told) await this.#name(open, told.key, told.request.request.tool)
      } else if (this.#options.isExited()) await this.#end(open, () => this.#cancel(open, 'session ended'))
      else if (open.proof && record.state === 'pending') await this.#closeUnanswered(open, true)
      else if (!isStructured(open) || open.proof) await this.#end(open, () => this.#delivery.concludeWithoutMenu(open))
      else this.#watchAdopted(open)
    }
    if (!live) return 'none'
    return mine ? 'known' : 'new'
  }

  /** Its relay may come back, its menu may appear, or the transcript tells its end; if nothing of that happens, it is gone. */
  #watchAdopted(open: OpenRequest): void {
    const { clock, onError } = this.#options
    clock.setTimer(ADOPTED_MS, () => {
      const isAlive = open.proof !== null || this.#shown?.id === open.record.id || this.#isHeld(open)
      if (!isAlive && this.#open.has(open.record.id))
        void this.#end(open, () => this.#delivery.concludeWithoutMenu(open)).catch(onError)
    })
  }

  // — inside —

  /** A moment of the steady clock as the agent would have written it down. */
  #wallTime(steady: number): number {
    const { clock } = this.#options
    return clock.now() - (clock.monotonic() - steady)
  }

  #context() {
    return { subject: this.#options.subject, mayHold: this.#answers.mayHold, can: this.#answers.can }
  }

  #records(): ApprovalRecord[] {
    return [...this.#open.values()].map(({ record }) => record)
  }

  #isHeld({ reports }: OpenRequest): boolean {
    return [...reports].some(report => this.#answers.isOpen(report))
  }

  /** Someone attached has pressed keys since it is open: an answer may be theirs. */
  #sawKeys({ since }: OpenRequest): boolean {
    return this.#lastKeysAt >= since
  }

  #letGo({ reports }: OpenRequest): void {
    for (const report of reports) this.#answers.release(report)
  }

  #adopt(record: ApprovalRecord): OpenRequest {
    const known = [record.source, ...(record.joined ?? [])]
    const key = known.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId ?? null
    const reports = new Set(known.filter(({ channel }) => channel === 'hook').map(({ requestKey }) => requestKey))
    // The transcript may have told the end before anybody asked for it.
    const told = this.#tools.resultOf(key)
    const isTelling = told !== null && !(told.state === 'failed' && record.decision && isDenial(record))
    const proof = isTelling ? { result: resultOf(told), by: 'transcript', tool: told } : null
    this.#tools.noteAsked(key, null)
    const since = this.#options.clock.monotonic()
    const open: OpenRequest = { record, key, asked: null, reports, menu: null, proof, since }
    this.#open.set(record.id, open)
    return open
  }

  async #add(
    request: ApprovalRequest,
    about: { key: string | null; asked?: RequestStatement; report?: string },
  ): Promise<OpenRequest> {
    try {
      return await this.#track(await this.#options.ledger.request(request), about)
    } catch (error) {
      // The agent's own dialog is what remains.
      if (about.report !== undefined) this.#answers.release(about.report)
      throw error
    }
  }

  async #track(
    record: ApprovalRecord,
    { key, asked = null, report }: { key: string | null; asked?: RequestStatement | null; report?: string },
  ): Promise<OpenRequest> {
    const reports = new Set(report === undefined ? [] : [report])
    const since = this.#options.clock.monotonic()
    const open: OpenRequest = { record, key, asked: asked ?? null, reports, menu: null, proof: null, since }
    this.#open.set(record.id, open)
    for (const sink of this.#options.sinks) await this.#guard(() => sink.ask(record))
    return open
  }

  /** Pending, and its dialog is gone: answered by somebody as far as that is known. */
  async #closeUnanswered(open: OpenRequest, wasTyped: boolean): Promise<void> {
    const { ledger, clock } = this.#options
    this.#letGo(open)
    await this.#end(open, async () => {
      if (open.record.state !== 'pending') return
      const evidence = open.proof
        ? [{ kind: open.proof.by, result: open.proof.result }]
        : [{ kind: 'screen', result: 'unknown' }]
      if (open.proof || wasTyped) await ledger.observed(open.record, evidence, clock.now())
      else await ledger.stale(open.record, 'gone')
    })
  }

  async #cancel({ record }: OpenRequest, reason: string): Promise<void> {
    await this.#options.ledger.cancelled(record, reason)
  }

  async #refresh(open: OpenRequest): Promise<void> {
    const record = await this.#options.ledger.get(open.record.id)
    if (record) open.record = record
    if (!isOpen(open.record)) await this.#tell(open.record.id)
  }

  /** Something that may close a request; if it did, everybody learns. */
  async #end(open: OpenRequest, work: () => Promise<void>): Promise<void> {
    const record = await this.#options.ledger.get(open.record.id)
    if (record) open.record = record
    await work()
    await this.#refresh(open)
  }

  /** A request has come to its end: every sink learns which, also when another request is open by now. */
  async #tell(id: string): Promise<void> {
    const record = await this.#options.ledger.get(id)
    if (!record || isOpen(record)) return
    const open = this.#open.get(id)
    if (open) {
      this.#letGo(open)
      this.#uses.spend(open)
    }
    this.#open.delete(id)
    if (this.#shown?.id === id) {
      this.#lookAgain(this.#shown.instance, record.menuPrint)
      this.#shown = null
    }
    for (const sink of this.#options.sinks) await this.#guard(() => sink.settle(record))
  }

  async #guard(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.#options.onError(error)
    }
  }
}

/** The menu of a tool is on screen so soon after the agent has begun to use it. */
const MENU_FOLLOWS_MS = 200

const LATE_KEPT = 200

/** A relay reconnects within five seconds; a menu is drawn at once. */
const ADOPTED_MS = 10_000

/** Asked anew in the same appearance of a menu, a request is told apart by what follows the tilde. */
function appearanceOf(instance: string): string {
  return instance.split('~', 1)[0]!
}

function resultOf(statement: Extract<AgentStatement, { is: 'tool' | 'answered' }>): 'allowed' | 'denied' {
  const said = statement.is === 'tool' ? statement.state : statement.result
  return said === 'denied' ? 'denied' : 'allowed'
}
