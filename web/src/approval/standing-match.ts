import type { Approval } from '../api/types'
import { requestParts } from './request-parts'

export type Match = { kind: 'prefix'; words: string[] } | { kind: 'path'; directory: string }

/** What a standing approval for this request could cover; null if there is no pattern for it. */
export function suggestedMatch(approval: Approval): Match | null {
  const { kind, risk, neverAuto, request, subject } = approval
  if (kind !== 'permission' || risk.level === 'high' || neverAuto !== undefined) return null
  const { command } = requestParts(approval)
  if (command) {
    const words = command.text.trim().split(/\s+/).slice(0, 2)
    return words.every(word => /^[\w@%+=:,./-]+$/.test(word)) ? { kind: 'prefix', words } : null
  }
  const file = request.targets?.[0]?.real
  if (!file?.startsWith(`${subject.project}/`)) return null
  return { kind: 'path', directory: file.slice(0, file.lastIndexOf('/')) }
}
