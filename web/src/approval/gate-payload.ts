import type { Approval, ReviewItem } from '../api/types'

/** What a pipeline asks about its plan. */
export interface PlanPayload {
  gate: 'plan'
  goal: string | null
  plan_markdown: string
  version: number
  validation: { valid: boolean; issues: string[] }
  tasks: { number: string; title: string | null }[]
  key_files: string[]
  rejections: string[]
  /** What changed since the version before, as a unified diff. */
  diff: string | null
}

interface ItemsPayload {
  gate: 'items'
  pass: number
  of: number
  items: {
    number: number
    severity: string
    file: string
    line: number | null
    title: string
    issue: string
    fix?: string
    disposition: string
    reason: string
  }[]
}

export function planOf({ request }: Approval): PlanPayload | null {
  const input = request.input as PlanPayload | null | undefined
  return input?.gate === 'plan' && typeof input.plan_markdown === 'string' ? input : null
}

export interface ReviewWork {
  items: ReviewItem[]
  /** Those that the Evaluator would have worked on. */
  advised: string[]
  canPassAgain: boolean
}

export function itemsOf({ request }: Approval): ReviewWork | null {
  const input = request.input as ItemsPayload | null | undefined
  if (input?.gate !== 'items' || !Array.isArray(input.items)) return null
  return {
    items: input.items.map(item => ({
      id: String(item.number),
      severity: item.severity,
      title: item.title,
      file: item.file,
      text: [item.issue, item.fix && `Fix: ${item.fix}`].filter(Boolean).join('\n'),
      verdict: item.disposition,
      evidence: item.reason,
      ...(item.line !== null && { line: item.line }),
    })),
    advised: input.items.filter(({ disposition }) => disposition === 'implement').map(({ number }) => String(number)),
    canPassAgain: input.pass < input.of,
  }
}
