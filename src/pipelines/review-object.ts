import { z } from 'zod'

/** The maximum number of findings: people do not read more, and fixing them would never end. */
const ITEMS_MAX = 50

const SEVERITIES = ['critical', 'major', 'minor', 'none'] as const

const reviewItem = z.object({
  number: z.int().positive(),
  severity: z.enum(SEVERITIES),
  file: z.string(),
  line: z.int().nullable().default(null),
  title: z.string().min(1),
  issue: z.string(),
  why: z.string(),
  fix: z.string(),
  /** The review type that found it; set when several reviews are merged. */
  type: z.string().optional(),
})
export type ReviewItem = z.infer<typeof reviewItem>

/** A Reviewer's answer. */
export const reviewObject = z.object({
  approved: z.boolean(),
  severity: z.enum(SEVERITIES),
  summary: z.string(),
  items: z
    .array(reviewItem)
    .max(ITEMS_MAX)
    .refine(items => new Set(items.map(({ number }) => number)).size === items.length, {
      message: 'two items have the same number',
    }),
})
export type ReviewObject = z.infer<typeof reviewObject>

export const DISPOSITIONS = ['implement', 'reject', 'defer', 'clarify'] as const

/** An Evaluator's answer. */
export const evaluationObject = z.object({
  items: z.array(z.object({ number: z.int().positive(), disposition: z.enum(DISPOSITIONS), reason: z.string() })),
  summary: z.string(),
})
export type EvaluationObject = z.infer<typeof evaluationObject>

export function isSerious({ severity }: Pick<ReviewItem, 'severity'>): boolean {
  return severity === 'critical' || severity === 'major'
}

/** Approved only if it says so and has no serious item. */
export function isApproved(review: Pick<ReviewObject, 'approved' | 'items'>): boolean {
  return review.approved && !review.items.some(isSerious)
}

/** Merges several reviews: items get their type and new numbers; approved if all are. */
export function mergeReviews<T extends ReviewObject & { type: string }>(reviews: readonly T[]): T {
  const items = reviews
    .flatMap(({ items, type }) => items.map(item => ({ ...item, type })))
    .map((item, index) => ({ ...item, number: index + 1 }))
  const worst = SEVERITIES.find(severity => items.some(item => item.severity === severity)) ?? 'none'
  const [first] = reviews
  const summary =
    reviews.length === 1 ? first!.summary : reviews.map(({ type, summary }) => `${type}: ${summary}`).join('\n')
  return {
    ...(first as T),
    type: reviews.map(({ type }) => type).join(','),
    approved: reviews.length > 0 && reviews.every(isApproved),
    severity: worst,
    summary,
    items,
  }
}

/** Items that the Evaluator left out become `clarify`; so does a rejection without a reason. */
export function completeEvaluation(
  evaluation: EvaluationObject,
  items: readonly ReviewItem[],
): { evaluation: EvaluationObject; invented: number[] } {
  const evaluated = new Map(evaluation.items.map(entry => [entry.number, entry]))
  const known = new Set(items.map(({ number }) => number))
  const complete = items.map(({ number }) => {
    const entry = evaluated.get(number)
    if (!entry) return { number, disposition: 'clarify' as const, reason: 'the Evaluator did not mention it' }
    if (entry.disposition === 'reject' && entry.reason.trim() === '')
      return { number, disposition: 'clarify' as const, reason: 'rejected without a reason' }
    return entry
  })
  return {
    evaluation: { ...evaluation, items: complete },
    invented: evaluation.items.map(({ number }) => number).filter(number => !known.has(number)),
  }
}

/** Identifies an item in later passes: file, title without digits, and its code. */
export function itemKey({ file, title }: Pick<ReviewItem, 'file' | 'title'>, code: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
  return `${file} | ${words} | ${code.replace(/\s+/g, ' ').trim().slice(0, 200)}`
}

/** JSON Schemas for agents that support them. */
export const REVIEW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['approved', 'severity', 'summary', 'items'],
  properties: {
    approved: { type: 'boolean' },
    severity: { type: 'string', enum: [...SEVERITIES] },
    summary: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['number', 'severity', 'file', 'line', 'title', 'issue', 'why', 'fix'],
        properties: {
          number: { type: 'integer' },
          severity: { type: 'string', enum: [...SEVERITIES] },
          file: { type: 'string' },
          line: { type: ['integer', 'null'] },
          title: { type: 'string' },
          issue: { type: 'string' },
          why: { type: 'string' },
          fix: { type: 'string' },
        },
      },
    },
  },
} as const

export const EVALUATION_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['items', 'summary'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['number', 'disposition', 'reason'],
        properties: {
          number: { type: 'integer' },
          disposition: { type: 'string', enum: [...DISPOSITIONS] },
          reason: { type: 'string' },
        },
      },
    },
    summary: { type: 'string' },
  },
} as const
