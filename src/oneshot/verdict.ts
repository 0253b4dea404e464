import { soleJsonObject } from '../text/index.js'

/** The answer of an auditor. */
interface Verdict {
  verdict: 'DONE' | 'RETRY' | 'IMPOSSIBLE'
  feedback: string
  findings: AuditFinding[]
}

export interface AuditFinding {
  file?: string
  line?: number
  text: string
}

export type VerdictReading = { verdict: Verdict; extra: string[] } | { verdict: null; problem: string }

export const VERDICT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['verdict', 'feedback', 'findings'],
  properties: {
    verdict: { type: 'string', enum: ['DONE', 'RETRY', 'IMPOSSIBLE'] },
    feedback: { type: 'string' },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['file', 'line', 'text'],
        properties: {
          file: { type: ['string', 'null'] },
          line: { type: ['integer', 'null'] },
          text: { type: 'string' },
        },
      },
    },
  },
} as const

const WORDS = ['DONE', 'RETRY', 'IMPOSSIBLE'] as const

/**
 * Finds the verdict in an auditor's structured output, or in its own final message: the whole text,
 * the only block tagged `json`, or the only object at the top level. Nothing else counts, neither
 * prose nor near misses: without a verdict nothing is approved.
 */
export function readVerdict(answer: { structured?: unknown; text: string }): VerdictReading {
  if (answer.structured !== undefined && answer.structured !== null) return judge(answer.structured)
  const found = soleJsonObject(answer.text)
  return 'value' in found ? judge(found.value) : { verdict: null, problem: found.problem }
}

function judge(value: unknown): VerdictReading {
  const none = (problem: string): VerdictReading => ({ verdict: null, problem })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return none('the verdict is not an object')
  const { verdict, feedback, findings, ...rest } = value as Record<string, unknown>
  const word = WORDS.find(candidate => candidate === verdict)
  if (!word) return none(`"verdict" must be one of ${WORDS.join(', ')}, not ${JSON.stringify(verdict) ?? 'missing'}`)
  if (feedback !== undefined && typeof feedback !== 'string') return none('"feedback" must be a string')
  if (word !== 'DONE' && (feedback ?? '').trim() === '') return none(`"feedback" must say why the verdict is ${word}`)
  const list = findings ?? []
  if (!Array.isArray(list)) return none('"findings" must be a list')
  const read = list.map(readFinding)
  const bad = read.indexOf(null)
  if (bad >= 0) return none(`finding ${bad + 1} does not have the form {"file"?, "line"?, "text"}`)
  return {
    verdict: { verdict: word, feedback: feedback ?? '', findings: read as AuditFinding[] },
    extra: Object.keys(rest),
  }
}

function readFinding(value: unknown): AuditFinding | null {
  if (typeof value !== 'object' || value === null) return null
  const { file, line, text } = value as Record<string, unknown>
  if (typeof text !== 'string') return null
  if (file !== undefined && file !== null && typeof file !== 'string') return null
  if (line !== undefined && line !== null && !Number.isInteger(line)) return null
  return { text, ...(typeof file === 'string' && { file }), ...(typeof line === 'number' && { line }) }
}
