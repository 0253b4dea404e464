import type { Frame } from '../terminal/index.js'
import { captureGroups } from './capture.js'
import type { Pack, RuleSpec, RuleTimer } from './pack/pack.js'
import { type Region, rowsOf } from './region.js'
import type { ScreenRow } from './screen-row.js'
import { matchesRow } from './style-match.js'
import { usesOtherLanguage } from './ui-language.js'

export interface RuleMatch {
  rule: RuleSpec
  rows: [number, number]
  text: string
  values: Record<string, string | number>
}

/** Whether a rule matched and why not, for `explain`. */
export interface RuleVerdict {
  rule: RuleSpec
  match: RuleMatch | null
  why: string
}

export function evaluateRules(
  frame: Frame,
  rows: readonly ScreenRow[],
  pack: Pack,
  regions: ReadonlyMap<string, Region>,
): RuleVerdict[] {
  const rules = pack.rules.filter(rule => rule.region !== 'title')
  const isOther = usesOtherLanguage(rows, regions, pack.locale)
  const evaluate = (rule: RuleSpec): RuleVerdict =>
    isOther && !rule.structural
      ? { rule, match: null, why: `the interface is not in ${pack.locale}` }
      : evaluateRule(rule, frame, rows, regions)
  return pack.ruleTimer ? timed(rules, evaluate, pack.ruleTimer) : rules.map(evaluate)
}

/** The same, and reports the time of every rule to the timer. */
function timed(rules: readonly RuleSpec[], evaluate: (rule: RuleSpec) => RuleVerdict, watch: RuleTimer): RuleVerdict[] {
  const measure = (rule: RuleSpec): { verdict: RuleVerdict; ms: number } => {
    const from = watch.now()
    const verdict = evaluate(rule)
    return { verdict, ms: watch.now() - from }
  }
  const measured = rules.map(measure)
  watch.frame(measured.map(({ verdict, ms }) => ({ rule: verdict.rule, ms, again: () => measure(verdict.rule).ms })))
  return measured.map(({ verdict }) => verdict)
}

function evaluateRule(
  rule: RuleSpec,
  frame: Frame,
  rows: readonly ScreenRow[],
  regions: ReadonlyMap<string, Region>,
): RuleVerdict {
  const fail = (why: string): RuleVerdict => ({ rule, match: null, why })
  const region = regions.get(rule.region)
  if (!region) return fail(`region ${rule.region} not found`)
  const hasComposer = regions.has('composer')
  if (rule.composer === 'live' && !hasComposer) return fail('no live input box')
  if (rule.composer === 'absent' && hasComposer) return fail('the input box is live')
  const match = matchInRegion(rule, rows, region)
  if (!match) return fail('no row matches')
  const { y } = frame.cursor
  if (rule.cursor === 'on_row' && (y < match.rows[0] || y > match.rows[1])) return fail('the cursor is elsewhere')
  if (rule.cursor === 'in_region' && (y < region.first || y > region.last))
    return fail('the cursor is outside of the region')
  const holds = (condition: { region: string; line: RegExp }) =>
    rowsOf(rows, regions.get(condition.region)).some(row => condition.line.test(row.text))
  if (!rule.all.every(holds)) return fail('a condition of `all` does not hold')
  if (rule.any.length > 0 && !rule.any.some(holds)) return fail('no condition of `any` holds')
  if (rule.none.some(holds)) return fail('a condition of `none` holds')
  return { rule, match, why: 'holds' }
}

function matchInRegion(rule: RuleSpec, all: readonly ScreenRow[], region: Region): RuleMatch | null {
  const rows = rowsOf(all, region)
  if (rule.text) {
    const text = rows.map(row => row.text).join('\n')
    const found = rule.text.exec(text)
    return found
      ? { rule, rows: [region.first, region.last], text: found[0], values: captureGroups(found, rule.capture) }
      : null
  }
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index]!
    if (!rule.line || !matchesRow(row, { line: rule.line, style: rule.style })) continue
    const at = region.first + index
    return { rule, rows: [at, at], text: row.text, values: captureGroups(rule.line.exec(row.text), rule.capture) }
  }
  return null
}
