import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { EventStore, NewEvent } from '../store/index.js'
import type { ApprovalEvent } from './approval-table.js'
import { type DecisionRequest, judgeDecision, judgeRequest } from './decide.js'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  approvalStream,
  approvalsProjection,
  canMove,
} from './record.js'

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
    const open = options.isOpenOnly
      ? records.filter(record => record.state === 'pending' || record.state === 'decided')
      : records
    return open.sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(prefix: string): Promise<ApprovalRecord> {
    const exact = await this.get(prefix)
    if (exact) return exact
    const all = prefix === '' ? [] : await this.list({ isOpenOnly: false })
    const records = all.filter(record => record.id.startsWith(prefix) || record.id.startsWith(`apr_${prefix}`))
    if (records.length === 1) return records[0]!
    if (records.length === 0)
      throw new SignalboxError('E_UNKNOWN', `there is no approval "${prefix}"`, {
        next: 'signalbox approvals lists them',
      })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${prefix}" could be ${records.map(record => record.id).join(', ')}`)
  }

  /**
   * Decides a request once. A conflict means that someone else was faster: the record is read again and judged again, so that the second
   * is refused and told who decided first.
   */
  async decide(id: string, request: DecisionRequest): Promise<ApprovalDecision> {
    const malformed = judgeRequest(request)
    if (malformed) {
      const record = await this.find(id).catch(() => null)
      if (record) await this.#refuse(record.id, request, malformed)
      throw malformed
    }
    const { id: whole } = await this.find(id)
    for (;;) {
      const { record, version } = await this.#read(whole)
      const verdict = judgeDecision(record, request)
      if ('repeat' in verdict) return verdict.repeat
      if ('refuse' in verdict) {
        await this.#refuse(whole, request, verdict.refuse)
        throw verdict.refuse
      }
      if (await this.#append(whole, version, newEvent('approval.decided', verdict.accept))) return verdict.accept
    }
  }

  /**
   * Written before a key leaves. Both steps of one attempt carry its number.
   * @throws SignalboxError `E_STATE` when the request is no longer decided: then no key may leave.
   */
  async delivering(record: ApprovalRecord, step: string): Promise<void> {
    const attempt = Math.max(0, ...record.delivery.map(earlier => earlier.attempt)) + 1
    const event = newEvent('approval.delivering', { attempt, channel: record.source.channel, fence: 0, step })
    if (await this.#move(record.id, 'delivering', event)) return
    throw new SignalboxError('E_STATE', `approval ${record.id} is closed: nothing more is sent for it`)
  }

  /** These four do nothing, and say so, when the request has come to another end meanwhile. */
  async applied(
    record: ApprovalRecord,
    evidence: { kind: string; [key: string]: unknown }[],
    at: number,
  ): Promise<boolean> {
    return this.#move(record.id, 'moved-on', newEvent('approval.applied', { evidence, waitedMs: waited(record, at) }))
  }

  async observed(record: ApprovalRecord, evidence: { kind: string }[], at: number): Promise<boolean> {
    const actor = {
      kind: 'observed' as const,
      id: 'terminal',
      name: 'someone at the terminal',
      role: 'approver' as const,
    }
    const observed = { actor, surface: 'terminal' as const, option: null }
    return this.#move(
      record.id,
      'observed',
      newEvent('approval.applied', { evidence, waitedMs: waited(record, at), observed }),
    )
  }

  async stale(record: ApprovalRecord, reason: EventData<'approval.stale'>['reason']): Promise<boolean> {
    return this.#move(record.id, reason, newEvent('approval.stale', { reason }))
  }

  async cancelled(record: ApprovalRecord, reason: string): Promise<boolean> {
    return this.#move(record.id, 'withdrawn', newEvent('approval.cancelled', { reason }))
  }

  /** Appends only what the table has a row for, at the version that was looked at. */
  async #move(id: string, by: ApprovalEvent, event: NewEvent): Promise<boolean> {
    for (;;) {
      const { record, version } = await this.#read(id)
      if (!canMove(record.state, by)) return false
      if (await this.#append(id, version, event)) return true
    }
  }

  /** The version is read first: whatever is appended in between makes the append at it fail, never pass. */
  async #read(id: string): Promise<{ record: ApprovalRecord; version: number }> {
    const version = await this.#store.streamVersion(approvalStream(id))
    const record = await this.get(id)
    if (!record) throw new SignalboxError('E_UNKNOWN', `there is no approval "${id}"`)
    return { record, version }
  }

  async #refuse(id: string, { actor, surface }: DecisionRequest, { code, message }: SignalboxError): Promise<void> {
    await this.#store.append(approvalStream(id), 'any', [
      newEvent('approval.refused', { actor, surface, code, reason: message }),
    ])
  }

  /** False when someone else appended first. */
  async #append(id: string, expected: number, event: NewEvent): Promise<boolean> {
    try {
      await this.#store.append(approvalStream(id), expected, [event])
      return true
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_VERSION') return false
      throw error
    }
  }
}

/** A wall clock that stepped back must not make a request wait less than nothing. */
function waited(record: ApprovalRecord, at: number): number {
  return Math.max(0, at - record.requestedAt)
}
