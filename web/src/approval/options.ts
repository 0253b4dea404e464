import { denyingOption } from '../../../src/approvals/denial'
import { optionText, plainLabel } from '../../../src/text/visible-text'
import type { Approval, ApprovalOption } from '../api/types'

export interface Answers {
  allow: ApprovalOption | null
  deny: ApprovalOption | null
  /** All other options of the request. */
  others: ApprovalOption[]
  /** The request asks for a choice or a text, not for a permission. */
  isQuestion: boolean
}

export function answersTo({ request, kind }: Approval): Answers {
  const { options } = request
  const allow = options.find(option => option.meaning === 'allow-once') ?? null
  const deny = denyingOption(options) ?? null
  const isQuestion = allow === null || kind === 'question'
  return { allow, deny, others: options.filter(option => option !== allow && option !== deny), isQuestion }
}

interface Described {
  label?: unknown
  description?: unknown
  detail?: unknown
}

/** What the agent says about an option besides its label; null if nothing. */
export function optionDetail({ input }: Approval['request'], option: ApprovalOption): string | null {
  const fields = (input ?? {}) as { questions?: { options?: Described[] }[]; options?: Described[] }
  const lists = [fields.options, ...(Array.isArray(fields.questions) ? fields.questions : []).map(q => q?.options)]
  const own = lists
    .flatMap(list => (Array.isArray(list) ? list : []))
    .find(({ label }) => typeof label === 'string' && label.trim() === plainLabel(option.label).trim())
  const text = own?.description ?? own?.detail ?? option.detail
  return typeof text === 'string' && text.trim() !== '' ? optionText(text) : null
}

/** The labels of the options that were chosen. */
export function decisionLabel({ request, decision }: Approval): string {
  if (!decision) return ''
  const named = (decision.choices ?? [decision.option]).map(key =>
    plainLabel(request.options.find(option => option.key === key)?.label ?? key),
  )
  const words = named.filter(word => word !== '').join(', ')
  return words || (decision.text ? `“${decision.text}”` : 'a text')
}

/**
 * Whether a decision can also make a grant. Requests that only a person may decide cannot have one.
 */
export function mayGrant({ neverAuto, risk, kind }: Approval): boolean {
  return neverAuto === undefined && risk.level === 'low' && kind === 'permission'
}
