import { denyingOption } from '../../../src/approvals/denial'
import type { Approval, ApprovalOption } from '../api/types'

export interface Ways {
  allow: ApprovalOption | null
  deny: ApprovalOption | null
  /** Everything else that the request offers. */
  others: ApprovalOption[]
  /** It asks for a choice or a text rather than for a permission. */
  isQuestion: boolean
}

export function waysOf({ request, kind }: Approval): Ways {
  const { options } = request
  const allow = options.find(option => option.meaning === 'allow-once') ?? null
  const deny = denyingOption(options) ?? null
  const isQuestion = allow === null || kind === 'question'
  return { allow, deny, others: options.filter(option => option !== allow && option !== deny), isQuestion }
}

export function labelOf({ request, decision }: Approval): string {
  if (!decision) return ''
  const named = (decision.choices ?? [decision.option]).map(key =>
    plainLabel(request.options.find(option => option.key === key)?.label ?? key),
  )
  const words = named.filter(word => word !== '').join(', ')
  return words || (decision.text ? `“${decision.text}”` : 'a text')
}

/** A grant of Signalbox's own may go along unless the request is one that only a person decides. */
export function mayGrant({ neverAuto, risk, kind }: Approval): boolean {
  return neverAuto === undefined && risk.level === 'low' && kind === 'permission'
}

/** `[A] Approve`, `Y) Yes`, `Y - Yes`: the key belongs to keyboards that have no pointer. */
export function plainLabel(label: string): string {
  return label.replace(/^\s*(?:\[.\]\s+|\S\)\s+|\S - )/, '')
}
