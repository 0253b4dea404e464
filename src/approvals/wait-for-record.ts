import type { Clock } from '../clock/index.js'
import type { EventStore } from '../store/index.js'
import { type ApprovalRecord, approvalStream, approvalsProjection } from './record.js'

/** The record as soon as `isDone` holds; or as it is after `timeoutMs` or an abort. */
export async function waitForRecord(
  { store, clock }: { store: EventStore; clock: Clock },
  record: ApprovalRecord,
  isDone: (record: ApprovalRecord) => boolean,
  { timeoutMs, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<ApprovalRecord> {
  const read = async () => (await store.document<ApprovalRecord>(approvalsProjection.name, record.id))?.state ?? record
  let isOver = timeoutMs !== undefined && timeoutMs <= 0
  let wake: () => void = () => undefined
  const stop = () => {
    isOver = true
    wake()
  }
  const stream = approvalStream(record.id)
  const subscription = store.subscribe({ after: await store.head() }, events => {
    if (events.some(event => event.stream === stream)) wake()
  })
  const timer = timeoutMs !== undefined && !isOver ? clock.setTimer(timeoutMs, stop) : null
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const changed = new Promise<void>(resolve => {
        wake = resolve
      })
      const current = await read()
      if (isDone(current) || isOver || signal?.aborted) return current
      await changed
    }
  } finally {
    signal?.removeEventListener('abort', stop)
    timer?.cancel()
    subscription.close()
  }
}
