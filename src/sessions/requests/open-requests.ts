import type { AgentStatement } from '../../agents/index.js'
import { type ApprovalRecord, type ApprovalRequest, isOpen, type Ledger, type MenuPort } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { Sink } from '../live/sink.js'
import { type AnswerChannel, NO_CHANNEL } from './answer-channel.js'
import { requestOfTool } from './build-request.js'
import { MenuUses } from './menu-uses.js'
import { isDenial, type OpenRequest } from './request-answer.js'
import { type RequestStatement, ToolUses } from './tool-uses.js'

export interface SessionRequestsOptions {
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
  /** Stops what the agent works on. */
  interrupt?(): Promise<unknown>
  /** A request is there; a request has come to its end. */
  onAsked?(record: ApprovalRecord): void
  onEnded?(record: ApprovalRecord): void
  isExited(): boolean
  onError(error: unknown): void
}

/**
 * The open requests of one session: which there are, which of them is on screen, how one comes in, and how everybody learns of its end.
 * It knows nothing of how requests are found or answered; those who do share it.
 */
export class OpenRequests {
  readonly options: SessionRequestsOptions
  readonly answers: AnswerChannel
  /** What the agent is known to have begun. */
  readonly tools = new ToolUses()
  readonly uses: MenuUses
  /** The request whose menu is on screen, which appearance of it, and how it reads: a form has several pages. */
  shown: { id: string; instance: string; print: string } | null = null
  /** Oldest first. */
  readonly #open = new Map<string, OpenRequest>()
  readonly #onShownEnded: (instance: string, print: string) => void
  #lastKeysAt = Number.NEGATIVE_INFINITY

  /** @param onShownEnded the request on screen has come to its end; its menu may stand all the same. */
  constructor(options: SessionRequestsOptions, onShownEnded: (instance: string, print: string) => void) {
    this.options = options
    this.answers = options.answers ?? NO_CHANNEL
    this.#onShownEnded = onShownEnded
    this.uses = new MenuUses(
      this.tools,
      options.clock,
      (tool, menu) => requestOfTool([tool], menu, '', this.context()) !== null,
    )
  }

  all(): OpenRequest[] {
    return [...this.#open.values()]
  }

  records(): ApprovalRecord[] {
    return this.all().map(({ record }) => record)
  }

  get(id: string): OpenRequest | undefined {
    return this.#open.get(id)
  }

  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** The one on screen, else the oldest. */
  get first(): OpenRequest | null {
    return (this.shown && this.#open.get(this.shown.id)) ?? this.#open.values().next().value ?? null
  }

  context() {
    return { subject: this.options.subject, mayHold: this.answers.mayHold, can: this.answers.can }
  }

  // — keys —

  get lastKeysAt(): number {
    return this.#lastKeysAt
  }

  noteKeys(): void {
    this.#lastKeysAt = this.options.clock.monotonic()
  }

  /** Someone attached has pressed keys since it is open: an answer may be theirs. */
  sawKeys({ since }: OpenRequest): boolean {
    return this.#lastKeysAt >= since
  }

  // — coming in —

  async add(
    request: ApprovalRequest,
    about: { key: string | null; asked?: RequestStatement; report?: string },
  ): Promise<OpenRequest> {
    try {
      return await this.track(await this.options.ledger.request(request), about)
    } catch (error) {
      // The agent's own dialog is what remains.
      if (about.report !== undefined) this.answers.release(about.report)
      throw error
    }
  }

  async track(
    record: ApprovalRecord,
    { key, asked = null, report }: { key: string | null; asked?: RequestStatement | null; report?: string },
  ): Promise<OpenRequest> {
    const reports = new Set(report === undefined ? [] : [report])
    const open = this.#enter({ record, key, asked, reports, proof: null })
    this.options.onAsked?.(record)
    for (const sink of this.options.sinks) await this.#guard(() => sink.ask(record))
    return open
  }

  /** One that another host has raised. */
  adopt(record: ApprovalRecord): OpenRequest {
    const known = [record.source, ...(record.joined ?? [])]
    const key = known.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId ?? null
    const reports = new Set(known.filter(({ channel }) => channel === 'hook').map(({ requestKey }) => requestKey))
    // The transcript may have told the end before anybody asked for it.
    const told = this.tools.resultOf(key)
    const isTelling = told !== null && !(told.state === 'failed' && record.decision && isDenial(record))
    const proof = isTelling ? { result: resultOf(told), by: 'transcript', tool: told } : null
    this.tools.noteAsked(key, null)
    return this.#enter({ record, key, asked: null, reports, proof })
  }

  /** Another record has taken its place in the ledger. */
  drop(id: string): void {
    this.#open.delete(id)
  }

  /** From now on the agent's words about this use of a tool are about the request. */
  async name(open: OpenRequest, key: string, tool: string): Promise<void> {
    open.key = key
    this.tools.noteAsked(key, this.options.clock.monotonic())
    // Kept, so that a later host knows whose end it reads in the transcript.
    const evidence = [{ kind: 'transcript', tool }]
    const joined = { channel: 'transcript', requestKey: key, toolUseId: key, evidence }
    await this.options.ledger.join(open.record, joined)
    await this.refresh(open)
  }

  // — going —

  isHeld({ reports }: OpenRequest): boolean {
    return [...reports].some(report => this.answers.isOpen(report))
  }

  /** Nobody needs to wait for its answer any more. */
  letGo({ reports }: OpenRequest): void {
    for (const report of reports) this.answers.release(report)
  }

  /** Pending, and its dialog is gone: answered by somebody as far as that is known. */
  async closeUnanswered(open: OpenRequest, wasTyped: boolean): Promise<void> {
    const { ledger, clock } = this.options
    this.letGo(open)
    await this.end(open, async () => {
      if (open.record.state !== 'pending') return
      const evidence = open.proof
        ? [{ kind: open.proof.by, result: open.proof.result }]
        : [{ kind: 'screen', result: 'unknown' }]
      if (open.proof || wasTyped) await ledger.observed(open.record, evidence, clock.now())
      else await ledger.stale(open.record, 'gone')
    })
  }

  async cancel(open: OpenRequest, reason: string): Promise<void> {
    await this.end(open, async () => void (await this.options.ledger.cancelled(open.record, reason)))
  }

  async refresh(open: OpenRequest): Promise<void> {
    const record = await this.options.ledger.get(open.record.id)
    if (record) open.record = record
    if (!isOpen(open.record)) await this.tell(open.record.id)
  }

  /** Something that may close a request; if it did, everybody learns. */
  async end(open: OpenRequest, work: () => Promise<void>): Promise<void> {
    const record = await this.options.ledger.get(open.record.id)
    if (record) open.record = record
    await work()
    await this.refresh(open)
  }

  /** A request has come to its end: every sink learns which, also when another request is open by now. */
  async tell(id: string): Promise<void> {
    const record = await this.options.ledger.get(id)
    if (!record || isOpen(record)) return
    const open = this.#open.get(id)
    if (open) {
      this.letGo(open)
      this.uses.spend(open)
    }
    this.#open.delete(id)
    if (open) this.options.onEnded?.(record)
    if (this.shown?.id === id) {
      this.#onShownEnded(this.shown.instance, this.shown.print)
      this.shown = null
    }
    for (const sink of this.options.sinks) await this.#guard(() => sink.settle(record))
  }

  #enter(about: Omit<OpenRequest, 'menu' | 'since'>): OpenRequest {
    const open: OpenRequest = { ...about, menu: null, since: this.options.clock.monotonic() }
    this.#open.set(open.record.id, open)
    return open
  }

  async #guard(call: () => Promise<void>): Promise<void> {
    try {
      await call()
    } catch (error) {
      this.options.onError(error)
    }
  }
}

/** What the agent's words about a tool say of the answer. */
export function resultOf(statement: Extract<AgentStatement, { is: 'tool' | 'answered' }>): 'allowed' | 'denied' {
  const said = statement.is === 'tool' ? statement.state : statement.result
  return said === 'denied' ? 'denied' : 'allowed'
}
