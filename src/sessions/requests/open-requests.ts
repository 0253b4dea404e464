import type { AgentStatement, ToolStatement } from '../../agents/index.js'
import { type ApprovalRecord, type ApprovalRequest, isOpen, type LedgerPort } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import type { Menu } from '../../screen/index.js'
import type { RequestContext } from './build-request.js'
import { type AnswerChannel, isDenial, NO_CHANNEL } from './request-answer.js'
import { type RequestStatement, ToolUses } from './tool-uses.js'
import { type TypedKeys, typedAnswer } from './typed-answer.js'

/** An open approval of a session, with what only the live host knows of it. */
export interface OpenRequest {
  record: ApprovalRecord
  /** The agent's own id of the tool use. */
  key: string | null
  /** The request as the agent reported it, secrets included. */
  asked: RequestStatement | null
  /** Reports that brought it and may wait for an answer. */
  reports: Set<string>
  /** Its menu, as it last appeared. */
  menu: Menu | null
  /** When it was first reported or seen, on the steady clock. */
  since: number
  /** What became of it, according to the agent. */
  proof: { result: 'allowed' | 'denied'; by: string; tool?: ToolStatement } | null
}

/** Another channel than the screen knows of it. */
export function isStructured({ record }: OpenRequest): boolean {
  return record.source.channel !== 'screen'
}

/** The instance of a menu; raised again, it has a suffix of `~` and a number. */
export function instanceOf(instance: string): string {
  return instance.split('~', 1)[0]!
}

export interface OpenRequestsOptions {
  subject: { agent: string; session: string; project: string; cwd: string; hostName: string }
  ledger: LedgerPort
  clock: Clock
  answers?: AnswerChannel
  /** A request has been raised; a request has ended. */
  onAsked?(record: ApprovalRecord): void
  onEnded?(record: ApprovalRecord): void
}

/**
 * The open requests of one session: which there are, which of them is on screen, and how one is
 * added and closed. It does not know how requests are found or answered; the classes that do share
 * it.
 */
export class OpenRequests {
  readonly ledger: LedgerPort
  readonly clock: Clock
  readonly subject: OpenRequestsOptions['subject']
  readonly answers: AnswerChannel
  /** The tools that the agent has started. */
  readonly tools: ToolUses
  /** The request on screen, its menu's instance and fingerprint: a form has pages. */
  shown: { id: string; instance: string; hash: string } | null = null
  /**
   * Whether `shown` is known. It is not after a restart, until a clear screen was compared with the
   * requests of the earlier host.
   */
  isTakenOver = true
  readonly #options: OpenRequestsOptions
  /** Oldest first. */
  readonly #open = new Map<string, OpenRequest>()
  readonly #onChanged: (shown: OpenRequests['shown']) => void
  #lastKeysAt = Number.NEGATIVE_INFINITY
  #keys: TypedKeys = { text: '', isSeen: false }
  #menuSeenAt = Number.NEGATIVE_INFINITY

  /**
   * @param onChanged a request was added, or has ended; if it was on screen (`shown`), its menu may
   *   still be there.
   */
  constructor(options: OpenRequestsOptions, onChanged: (shown: OpenRequests['shown']) => void) {
    this.#options = options
    this.ledger = options.ledger
    this.clock = options.clock
    this.subject = options.subject
    this.answers = options.answers ?? NO_CHANNEL
    this.tools = new ToolUses(options.clock)
    this.#onChanged = onChanged
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

  /** The request on screen, else the oldest. */
  get first(): OpenRequest | null {
    return (this.shown && this.#open.get(this.shown.id)) ?? this.#open.values().next().value ?? null
  }

  /** The request on screen, if only its menu brought it and it asks no question of a known tool. */
  get onScreenOnly(): (OpenRequest & { menu: Menu }) | null {
    const open = this.shown && this.#open.get(this.shown.id)
    if (!open?.menu || isStructured(open) || open.record.kind === 'auth' || this.tools.ask(open.menu)) return null
    return { ...open, menu: open.menu }
  }

  context(): RequestContext {
    return { subject: this.subject, mayHold: this.answers.mayHold, can: this.answers.can }
  }

  // — keys —

  get lastKeysAt(): number {
    return this.#lastKeysAt
  }

  noteKeys(bytes: Uint8Array = new Uint8Array()): void {
    const before = this.#lastKeysAt
    this.#lastKeysAt = this.clock.monotonic()
    this.#keys = { text: new TextDecoder().decode(bytes), isSeen: before <= this.#menuSeenAt }
  }

  /** A settled look shows the menu of the request on screen, with its selection. */
  noteMenu(menu: Menu): void {
    const open = this.shown && this.#open.get(this.shown.id)
    if (open?.menu?.hash !== menu.hash) return
    open.menu = menu
    this.#menuSeenAt = this.clock.monotonic()
  }

  /** A person has typed since the request was opened: the answer may be theirs. */
  sawKeys({ since }: OpenRequest): boolean {
    return this.#lastKeysAt >= since
  }

  // — adding —

  async add(
    request: ApprovalRequest,
    about: { key: string | null; asked?: RequestStatement; report?: string },
  ): Promise<OpenRequest> {
    try {
      return this.track(await this.ledger.request(request), about)
    } catch (error) {
      // Only the agent's own dialog is left.
      if (about.report !== undefined) this.answers.release(about.report)
      throw error
    }
  }

  track(
    record: ApprovalRecord,
    { key, asked = null, report }: { key: string | null; asked?: RequestStatement | null; report?: string },
  ): OpenRequest {
    const reports = new Set(report === undefined ? [] : [report])
    const open = this.#enter({ record, key, asked, reports, proof: null })
    this.#options.onAsked?.(record)
    this.#onChanged(null)
    return open
  }

  /** Adds a request that another host raised; once, so that all its parts know of its proof. */
  takeOver(record: ApprovalRecord): OpenRequest {
    const open = this.#open.get(record.id)
    if (open) {
      open.record = record
      return open
    }
    const known = [record.source, ...(record.joined ?? [])]
    const key = known.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId ?? null
    const reports = new Set(known.filter(({ channel }) => channel === 'hook').map(({ requestKey }) => requestKey))
    // The transcript may have reported the end before this host asked for it.
    const result = this.tools.resultOf(key)
    const isProof = result !== null && !(result.state === 'failed' && record.decision && isDenial(record))
    const proof = isProof ? { result: resultOf(result), by: 'transcript', tool: result } : null
    this.tools.noteAsked(key, Number.NEGATIVE_INFINITY)
    return this.#enter({ record, key, asked: null, reports, proof })
  }

  /** Removes a request whose place in the ledger another record has taken. */
  drop(id: string): void {
    this.#open.delete(id)
  }

  /** The request is about this tool use: the agent's reports on it are about the request. */
  async assignTool(open: OpenRequest, key: string, tool: string): Promise<void> {
    open.key = key
    this.tools.noteAsked(key)
    // Stored, so that a later host knows whose end it reads in the transcript.
    const evidence = [{ kind: 'transcript', tool }]
    const joined = { channel: 'transcript', requestKey: key, toolUseId: key, evidence }
    await this.ledger.join(open.record, joined)
    await this.refresh(open)
  }

  /**
   * Assigns started tools to open requests whose menu was replaced by another one: such a tool
   * belongs to the earlier request, even if the next menu asks for the very same thing.
   */
  async assignToolsToEarlier(): Promise<void> {
    for (const open of this.all()) {
      const tool = open.key === null ? this.tools.forMenu(open.menu) : null
      if (tool && !(await this.wasAnsweredBefore(open, tool.at))) await this.assignTool(open, tool.key, tool.tool)
    }
  }

  /**
   * Whether an answer to the request was sent before this time: a tool that starts later is the
   * next one, however equal. The ledger also has the steps of a delivery that is under way.
   */
  async wasAnsweredBefore({ record }: OpenRequest, time: number): Promise<boolean> {
    const { delivery } = (await this.ledger.get(record.id)) ?? record
    return delivery.some(({ step, at }) => step !== 'move' && at < time)
  }

  // — closing —

  /** The agent waits for the answer by the structured channel. */
  isHeld({ reports }: OpenRequest): boolean {
    return [...reports].some(report => this.answers.isOpen(report))
  }

  /** The agent need not wait for the answer any longer. */
  release({ reports }: OpenRequest): void {
    for (const report of reports) this.answers.release(report)
  }

  /** Closes a pending request whose dialog is gone: answered in the terminal, if known. */
  async closeUnanswered(open: OpenRequest, wasTyped: boolean): Promise<void> {
    this.release(open)
    await this.end(open, async () => {
      if (open.record.state !== 'pending') return
      const evidence = open.proof
        ? [{ kind: open.proof.by, result: open.proof.result }]
        : [{ kind: 'screen', result: 'unknown' }]
      const typed = wasTyped ? typedAnswer(open.menu, this.#keys) : null
      const result = open.proof?.result ?? typed?.result
      const about = { option: typed?.option ?? null, result, hasKeys: wasTyped }
      if (open.proof || wasTyped) await this.ledger.observed(open.record, evidence, this.clock.now(), about)
      else await this.ledger.stale(open.record, 'gone')
    })
  }

  async cancel(open: OpenRequest, reason: string): Promise<void> {
    await this.end(open, async () => void (await this.ledger.cancelled(open.record, reason)))
  }

  async refresh(open: OpenRequest): Promise<void> {
    const record = await this.ledger.get(open.record.id)
    if (record) open.record = record
    if (!isOpen(open.record)) await this.close(open.record.id)
  }

  /** Runs work that may end a request in the ledger, and closes the request if it did. */
  async end(open: OpenRequest, work: () => Promise<void>): Promise<void> {
    const record = await this.ledger.get(open.record.id)
    if (record) open.record = record
    await work()
    await this.refresh(open)
  }

  /** Removes a request that has ended in the ledger, also while another one is open. */
  async close(id: string): Promise<void> {
    const record = await this.ledger.get(id)
    if (!record || isOpen(record)) return
    const open = this.#open.get(id)
    if (open) {
      this.release(open)
      this.tools.consume(open)
    }
    this.#open.delete(id)
    if (open) this.#options.onEnded?.(record)
    const shown = this.shown?.id === id ? this.shown : null
    if (shown) this.shown = null
    this.#onChanged(shown)
  }

  #enter(about: Omit<OpenRequest, 'menu' | 'since'>): OpenRequest {
    const open: OpenRequest = { ...about, menu: null, since: this.clock.monotonic() }
    this.#open.set(open.record.id, open)
    return open
  }
}

/** What the agent's report on a tool says about the answer. */
export function resultOf(statement: Extract<AgentStatement, { kind: 'tool' | 'answered' }>): 'allowed' | 'denied' {
  const result = statement.kind === 'tool' ? statement.state : statement.result
  return result === 'denied' ? 'denied' : 'allowed'
}
