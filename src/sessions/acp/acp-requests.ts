import { type ApprovalRecord, isOpen, type LedgerPort, requestFromReport } from '../../approvals/index.js'
import type { Clock } from '../../clock/index.js'
import { isDenial } from '../requests/index.js'
import type { PermissionAsk } from './acp-conversation.js'

interface AcpRequestsOptions {
  subject: { agent: string; session: string; project: string; cwd: string; hostName: string }
  ledger: LedgerPort
  clock: Clock
  /** Answers the agent's call: one of its options, or null if the turn was cancelled. */
  answer(ask: PermissionAsk, option: string | null): Promise<void>
  /** Sends the next prompt, held until the agent is idle. */
  sendPrompt(text: string): Promise<void>
  interrupt(): Promise<unknown>
  onError(error: unknown): void
}

/** The channel of these requests in the ledger. */
const CHANNEL = 'acp'

const MEANINGS: Readonly<Record<string, 'allow-once' | 'allow-always' | 'deny'>> = {
  allow_once: 'allow-once',
  allow_always: 'allow-always',
  reject_once: 'deny',
  reject_always: 'deny',
}

/**
 * The agent's permission calls as requests in the ledger. A call waits for its answer on the wire,
 * so that it needs no proof by a screen: the decision is applied when its answer is written. The
 * recording has the answer before the agent reads it; a host that dies in between leaves a decision
 * whose answer the next host finds there, or sends.
 */
export class AcpRequests {
  readonly #options: AcpRequestsOptions
  /** Open calls with their requests, by the id of the request. */
  readonly #open = new Map<string, { record: ApprovalRecord; ask: PermissionAsk }>()

  constructor(options: AcpRequestsOptions) {
    this.#options = options
  }

  get first(): ApprovalRecord | null {
    return this.#open.values().next().value?.record ?? null
  }

  async raise(ask: PermissionAsk): Promise<void> {
    const { ledger, subject } = this.#options
    // The protocol has no questions: an agent that offers several ways to continue asks a question.
    const isQuestion = ask.options.filter(({ kind }) => kind === 'allow_once').length > 1
    const request = requestFromReport(
      {
        channel: CHANNEL,
        requestKey: this.#keyOf(ask),
        tool: ask.tool,
        input: ask.input,
        options: ask.options.map(({ optionId, name, kind }) => ({
          key: optionId,
          label: name,
          meaning: isQuestion && kind.startsWith('allow') ? 'choice' : (MEANINGS[kind] ?? 'choice'),
        })),
        ...(isQuestion && { kind: 'question' as const, questions: [{ text: ask.title, multi: false }] }),
        can: ['deny', 'hold'],
        toolUseId: ask.toolCallId,
        ...(ask.turn !== null && { turn: ask.turn }),
      },
      { subject },
    )
    const record = await ledger.request(request)
    this.#open.set(record.id, { record, ask })
    // A grant may have decided it at once.
    if (record.state === 'decided') await this.apply(record)
  }

  /** After a restart: the calls that wait, and the requests that an earlier host raised. */
  async takeOver(asks: readonly PermissionAsk[]): Promise<void> {
    const { ledger, subject } = this.#options
    const open = (await ledger.list({ isOpenOnly: true })).filter(
      ({ subject: { session }, source }) => session === subject.session && source.channel === CHANNEL,
    )
    for (const record of open) {
      const ask = asks.find(candidate => this.#keyOf(candidate) === record.source.requestKey)
      if (ask) this.#open.set(record.id, { record, ask })
      else await this.#concludeAnswered(record)
    }
    for (const ask of asks) {
      const known = open.find(({ source }) => source.requestKey === this.#keyOf(ask))
      if (!known) await this.raise(ask)
      else if (known.state === 'decided') await this.apply(known)
    }
  }

  /** Answers the agent as decided; safe to call again. */
  async apply({ id }: ApprovalRecord): Promise<void> {
    const { ledger, answer } = this.#options
    const record = await ledger.get(id)
    const open = this.#open.get(id)
    if (!open || record?.state !== 'decided') return
    open.record = record
    if (!(await ledger.isProven(record))) {
      await ledger.stale(record, 'unproven')
      return
    }
    const option = optionOf(record, open.ask)
    this.#open.delete(id)
    await ledger.delivering(record, 'answer')
    await answer(open.ask, option)
    await this.#applied(record, [{ kind: CHANNEL, option }])
  }

  /** The agent's call is over without an answer of a person. */
  async withdraw(ask: PermissionAsk, reason: string): Promise<void> {
    for (const [id, open] of this.#open) {
      if (open.ask.rpc !== ask.rpc) continue
      this.#open.delete(id)
      await this.#options.ledger.cancelled(open.record, reason)
    }
  }

  async withdrawAll(reason: string): Promise<void> {
    for (const { ask } of [...this.#open.values()]) await this.withdraw(ask, reason)
  }

  #keyOf({ rpc }: PermissionAsk): string {
    return `${this.#options.subject.session}:${JSON.stringify(rpc)}`
  }

  /** The recording has an answer to its call, or its turn ended. */
  async #concludeAnswered(record: ApprovalRecord): Promise<void> {
    if (!isOpen(record)) return
    const wasAnswered = record.delivery.some(({ step }) => step === 'answer')
    if (wasAnswered) await this.#applied(record, [{ kind: 'recording' }])
    else await this.#options.ledger.stale(record, 'gone')
  }

  /** The protocol has no place for a reason: it becomes the next prompt. */
  async #applied(record: ApprovalRecord, evidence: { kind: string; [key: string]: unknown }[]): Promise<void> {
    const { ledger, clock, sendPrompt, interrupt, onError } = this.#options
    const { decision } = record
    const note = isDenial(record) ? (decision?.note ?? decision?.text) : undefined
    const way = note === undefined ? [] : [{ kind: 'note', way: 'message' }]
    const isFirst = await ledger.applied(record, [...evidence, ...way], clock.now())
    if (isFirst && decision?.thenInterrupt) void interrupt().catch(onError)
    if (isFirst && note !== undefined) void sendPrompt(`Denied: ${note}`).catch(onError)
  }
}

/**
 * The agent's option that says what was decided; null: it offers none, so its turn is cancelled.
 */
function optionOf({ decision }: ApprovalRecord, { options }: PermissionAsk): string | null {
  const chosen = options.find(({ optionId }) => optionId === decision?.option)
  if (chosen) return chosen.optionId
  const alike = options.find(
    ({ kind }) => MEANINGS[kind] === (decision?.tier.startsWith('deny') ? 'deny' : decision?.tier),
  )
  return alike?.optionId ?? null
}
