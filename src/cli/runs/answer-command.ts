import { type ApprovalRecord, approvalsProjection } from '../../approvals/index.js'
import type { EventStore } from '../../store/index.js'
import { plainLabel } from '../../text/index.js'

/** The command that answers a gate, with what the gate accepts. */
export async function answerCommand(store: EventStore, approval: string): Promise<string> {
  const request = (await store.document<ApprovalRecord>(approvalsProjection.name, approval))?.state.request
  const options = request?.options.map(({ label }) => quoted(plainLabel(label))) ?? []
  const texts = options.length === 0 || request?.freeText !== 'none' ? ['--text "…"'] : []
  return `signalbox answer ${approval} <${[...options, ...texts].join(' | ')}>`
}

function quoted(label: string): string {
  return /^[\p{L}\p{N}_-]+$/u.test(label) ? label : JSON.stringify(label)
}
