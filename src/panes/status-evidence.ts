import type { StatusRecord } from '../terminal/index.js'
import type { Claim } from './evidence.js'

/** What a program says of itself by OSC 7501; null when it has withdrawn everything. */
export function statusClaim(record: StatusRecord | null): Claim | null {
  if (!record) return null
  switch (record.state) {
    case 'working':
      return { is: 'working', ...(record.msg !== null && { label: record.msg }) }
    case 'blocked':
      return { is: 'blocked', awaiting: record.kind ?? 'choice' }
    case 'done':
      return { is: 'done' }
    case 'error':
      return { is: 'failed', reason: record.msg ?? 'the program reports an error' }
    default:
      return { is: 'idle' }
  }
}
