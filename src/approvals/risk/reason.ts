export type RiskLevel = 'low' | 'elevated' | 'high'

/** A reason for the risk of a request, as a sentence without a full stop. */
export interface Reason {
  level: RiskLevel
  text: string
}

export interface Risk {
  level: RiskLevel
  reasons: string[]
}

const ORDER: readonly RiskLevel[] = ['low', 'elevated', 'high']
const REASONS_MAX = 8

export function isAtLeast(level: RiskLevel, other: RiskLevel): boolean {
  return ORDER.indexOf(level) >= ORDER.indexOf(other)
}

/** The highest level wins; only its reasons are given, each once. */
export function highest(reasons: readonly Reason[], otherwise: Reason): Risk {
  const level = ORDER.findLast(candidate => reasons.some(reason => reason.level === candidate)) ?? otherwise.level
  const texts = reasons.filter(reason => reason.level === level).map(reason => reason.text)
  const unique = [...new Set(texts)]
  const shown = unique.slice(0, REASONS_MAX)
  if (unique.length > REASONS_MAX) shown.push(`and ${unique.length - REASONS_MAX} more reasons`)
  return { level, reasons: shown.length > 0 ? shown : [otherwise.text] }
}
