import { newNonce } from '../clock/index.js'
import { SignalboxError, toSignalboxError } from '../errors/index.js'
import type { ProposedDecision } from './decide.js'
import { denyingOption } from './denial.js'
import { displayText } from './display.js'
import type { Ledger } from './ledger.js'
import { allowOnceOption, whyManualOnly } from './manual-only.js'
import type { ApprovalRecord } from './record.js'

export interface BatchItem {
  id: string
  fingerprint: string
}

export interface BatchResult {
  id: string
  state: 'decided' | 'refused'
  code?: string
  message?: string
}

type BatchDecider = Pick<ProposedDecision, 'actor' | 'surface' | 'insideSession' | 'note' | 'auth'>

const ITEMS_MAX = 20
const CHARACTERS_MAX = 200

/**
 * Allows several requests at once. Each is decided or refused, and recorded, on its own; one that
 * may not be part of a batch is refused, and the others are decided. The person saw a card with all
 * of them, so only requests that such a card shows completely can be part of it.
 */
export async function decideBatch(
  ledger: Ledger,
  items: readonly BatchItem[],
  by: BatchDecider,
): Promise<BatchResult[]> {
  if (items.length === 0) throw new SignalboxError('E_INPUT', 'a batch needs at least one request')
  if (items.length > ITEMS_MAX)
    throw new SignalboxError('E_INPUT', `the batch has ${items.length} requests; the limit is ${ITEMS_MAX}`, {
      next: 'decide them in several batches',
    })
  if (new Set(items.map(({ id }) => id)).size < items.length)
    throw new SignalboxError('E_INPUT', 'a batch may name each request only once')
  const records = await Promise.all(items.map(({ id }) => ledger.get(id)))
  const first = records.find(record => record !== null) ?? null
  const results: BatchResult[] = []
  for (const [index, item] of items.entries()) {
    const record = records[index] ?? null
    const why = record && first ? batchProblem(record, first) : null
    results.push(await decideItem(ledger, item, record, why, by))
  }
  return results
}

async function decideItem(
  ledger: Ledger,
  { id, fingerprint }: BatchItem,
  record: ApprovalRecord | null,
  why: string | null,
  by: BatchDecider,
): Promise<BatchResult> {
  try {
    if (!record) throw new SignalboxError('E_UNKNOWN', `unknown request "${id}"`)
    if (why && record.state === 'pending') {
      const error = new SignalboxError('E_APPROVAL_OPTION', `this request cannot be decided in a batch: ${why}`)
      await ledger.refuse(id, by, error)
      throw error
    }
    await ledger.decide(id, {
      ...by,
      fingerprint,
      option: allowOnceOption(record)?.key ?? '',
      seen: { displayHash: record.display.hash, whole: true },
      idempotencyKey: newNonce(),
    })
    return { id, state: 'decided' }
  } catch (error) {
    const { code, message } = toSignalboxError(error)
    return { id, state: 'refused', code, message }
  }
}

/** Why this request may not be allowed in a batch with `first`; null when it may. */
function batchProblem(record: ApprovalRecord, first: ApprovalRecord): string | null {
  const manual = whyManualOnly(record)
  if (manual) return manual
  const isTogether =
    record.subject.run !== undefined
      ? record.subject.run === first.subject.run
      : record.subject.session !== undefined && record.subject.session === first.subject.session
  if (!isTogether) return 'it belongs to another session or run'
  if (record.request.tool !== first.request.tool) return 'it is for another tool'
  if (record.risk.level !== 'low') return `its risk is ${record.risk.level}: ${record.risk.reasons[0] ?? ''}`
  if (!allowOnceOption(record)) return 'it has no plain option that allows once'
  if (record.display.isCut || displayText(record.display).length > CHARACTERS_MAX)
    return 'it is too long to be shown completely in a list'
  return null
}

/** Denies these requests, each on its own; one that is no longer open is reported as refused. */
export async function denyBatch(ledger: Ledger, items: readonly BatchItem[], by: BatchDecider): Promise<BatchResult[]> {
  const results: BatchResult[] = []
  for (const { id, fingerprint } of items) {
    const record = await ledger.get(id)
    results.push(await deny(ledger, id, record && { ...record, fingerprint }, by))
  }
  return results
}

/**
 * Denies all pending requests that match. Denying has no conditions; a request without an option
 * that denies is reported as refused.
 */
export async function denyAll(
  ledger: Ledger,
  by: BatchDecider,
  isMatch: (record: ApprovalRecord) => boolean = () => true,
): Promise<BatchResult[]> {
  const pending = (await ledger.list({ isOpenOnly: true })).filter(
    record => record.state === 'pending' && isMatch(record),
  )
  const results: BatchResult[] = []
  for (const record of pending) results.push(await deny(ledger, record.id, record, by))
  return results
}

async function deny(ledger: Ledger, id: string, record: ApprovalRecord | null, by: BatchDecider): Promise<BatchResult> {
  try {
    if (!record) throw new SignalboxError('E_UNKNOWN', `unknown request "${id}"`)
    const option = denyingOption(record.request.options)
    if (!option) throw new SignalboxError('E_APPROVAL_OPTION', 'it has no option that denies: answer it')
    await ledger.decide(id, {
      ...by,
      fingerprint: record.fingerprint,
      option: option.key,
      ...(option.takes === 'reason' && { text: 'Denied together with other requests, without a reason.' }),
      seen: { displayHash: record.display.hash, whole: false },
      idempotencyKey: newNonce(),
    })
    return { id, state: 'decided' }
  } catch (error) {
    const { code, message } = toSignalboxError(error)
    return { id, state: 'refused', code, message }
  }
}
