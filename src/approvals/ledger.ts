import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { type DecisionRequest, judgeDecision } from './decide.js'
import { type ApprovalDecision, type ApprovalRecord, type ApprovalRequest, approvalStream, approvalsProjection } from './record.js'

/** The ledger: every decision asked for, decided once. It knows streams and versions; what to show and what to type is others' business. */
export class Ledger {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  async request(request: ApprovalRequest): Promise<ApprovalRecord> {
    const id = newId('apr')
    await this.#store.append(approvalStream(id), 0, [newEvent('approval.requested', request)])
    return (await this.get(id))!
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    return (await this.#store.document<ApprovalRecord>(approvalsProjection.name, id))?.state ?? null
  }

  async list(options: { isOpenOnly: boolean }): Promise<ApprovalRecord[]> {
    const documents = await this.#store.documents<ApprovalRecord>(approvalsProjection.name)
    const records = documents.map(document => document.state)
    const open = options.isOpenOnly ? records.filter(record => record.state === 'pending' || record.state === 'decided') : records
    return open.sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(prefix: string): Promise<ApprovalRecord> {
    const exact = await this.get(prefix)
    if (exact) return exact
    const records = (await this.list({ isOpenOnly: false })).filter(record => record.id.startsWith(prefix) || record.id.startsWith(`apr_${prefix}`))
    if (records.length === 1) return records[0]!
    if (records.length === 0) throw new SignalboxError('E_UNKNOWN', `there is no approval "${prefix}"`, { next: 'signalbox approvals lists them' })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${prefix}" could be ${records.map(record => record.id).join(', ')}`)
  }

  /**
   * Decides a request once. A conflict means that someone else was faster: the record is read again and judged again, so that the second
   * is refused and told who decided first.
   */
  async decide(id: string, request: DecisionRequest): Promise<ApprovalDecision> {
    for (;;) {
      const record = await this.find(id)
      const verdict = judgeDecision(record, request)
      if ('repeat' in verdict) return verdict.repeat
      if ('refuse' in verdict) {
        const { code, message } = verdict.refuse
        await this.#append(record.id, 'any', newEvent('approval.refused', { actor: request.actor, surface: request.surface, code, reason: message }))
        throw verdict.refuse
      }
      try {
        await this.#append(record.id, record.version, newEvent('approval.decided', verdict.accept))
        return verdict.accept
      } catch (error) {
        if (!(error instanceof SignalboxError && error.code === 'E_VERSION')) throw error
      }
    }
  }

  async delivering(record: ApprovalRecord, step: string): Promise<void> {
    const attempt = record.delivery.length + 1
    await this.#append(record.id, 'any', newEvent('approval.delivering', { attempt, channel: record.source.channel, fence: 0, step }))
  }

  async applied(record: ApprovalRecord, evidence: { kind: string; [key: string]: unknown }[], at: number): Promise<void> {
    await this.#append(record.id, 'any', newEvent('approval.applied', { evidence, waitedMs: at - record.requestedAt }))
  }

  async observed(record: ApprovalRecord, evidence: { kind: string }[], at: number): Promise<void> {
    const actor = { kind: 'observed' as const, id: 'terminal', name: 'someone at the terminal', role: 'approver' as const }
    const observed = { actor, surface: 'terminal' as const, option: null }
    await this.#append(record.id, 'any', newEvent('approval.applied', { evidence, waitedMs: at - record.requestedAt, observed }))
  }

  async stale(record: ApprovalRecord, reason: 'gone' | 'changed' | 'overtaken' | 'unconfirmed' | 'ambiguous' | 'too-late'): Promise<void> {
    await this.#append(record.id, 'any', newEvent('approval.stale', { reason }))
  }

  async cancelled(record: ApprovalRecord, reason: string): Promise<void> {
    await this.#append(record.id, 'any', newEvent('approval.cancelled', { reason }))
  }

  async #append(id: string, expected: number | 'any', event: ReturnType<typeof newEvent>): Promise<void> {
    await this.#store.append(approvalStream(id), expected, [event])
  }
}
