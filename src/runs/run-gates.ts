import { type ApprovalRecord, approvalStream, approvalsProjection, Ledger } from '../approvals/index.js'
import { type Clock, newNonce } from '../clock/index.js'
import { type Answer, type Interviewer, questionOf, runStream } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { gateAnswer } from '../host/index.js'
import type { EventStore } from '../store/index.js'

export interface Answerer {
  id: string
  name: string
  /** A program that was told to approve is on record as one. */
  isAutomatic?: boolean
}

/** The ledger of a store in this process: a gate of a run is answered here as well as by a daemon, and only once in any case. */
export class RunGates {
  readonly #store: EventStore
  readonly #ledger: Ledger

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#ledger = new Ledger(store, {
      clock,
      alongside: (record, decision) => gateAnswer(record, decision, clock.now()),
    })
  }

  /** A gate by its id or a unique beginning of it. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS`, `E_INPUT` for what no run asked. */
  async find(word: string): Promise<ApprovalRecord> {
    const record = await this.#ledger.find(word)
    if (record.source.channel === 'run') return record
    throw new SignalboxError('E_INPUT', `${record.id} is no gate of a run`, {
      next: 'it is answered through the daemon',
    })
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    return (await this.#store.document<ApprovalRecord>(approvalsProjection.name, id))?.state ?? null
  }

  /** @throws SignalboxError when it is no answer, comes late, or somebody was faster. */
  async answer(
    record: ApprovalRecord,
    answer: Answer,
    { id, name, isAutomatic = false }: Answerer,
    extra: { note?: string; fingerprint?: string } = {},
  ): Promise<void> {
    if ('skipped' in answer) return this.#skip(record)
    await this.#ledger.decide(record.id, {
      fingerprint: extra.fingerprint ?? record.fingerprint,
      ...answer,
      ...(extra.note !== undefined && { note: extra.note }),
      seen: { displayHash: record.display.hash, whole: true },
      actor: { kind: isAutomatic ? 'auto' : 'person', id, name, role: 'approver' },
      surface: 'cli',
      idempotencyKey: newNonce(),
    })
  }

  /** Has an interviewer answer a gate. What it says and the gate does not offer is asked again. */
  async interview(approval: string, interviewer: Interviewer, who: Answerer, type?: string): Promise<void> {
    for (;;) {
      const record = await this.get(approval)
      if (record?.state !== 'pending') return
      try {
        await this.answer(record, await interviewer.ask(questionOf(record, type)), who)
        return
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        if (error.code === 'E_APPROVAL_DECIDED') return
        if (error.code !== 'E_APPROVAL_OPTION') throw error
        await interviewer.inform?.(error.message, record.request.tool ?? '')
      }
    }
  }

  /** Nobody will answer: the node fails, and its other edges stay untaken. */
  async #skip(record: ApprovalRecord): Promise<void> {
    const reason = 'skipped: nobody answers'
    const gate = record.source.requestKey
    await this.#store.appendAll([
      {
        stream: runStream(record.subject.run!),
        expected: 'any',
        events: [newEvent('gate.expired', { gate, approval: record.id, reason })],
      },
      { stream: approvalStream(record.id), expected: 'any', events: [newEvent('approval.cancelled', { reason })] },
    ])
  }
}
