import { type Frame, memoizeByObject } from '../terminal/index.js'
import { captureGroups } from './capture.js'
import type { Pack, RuleSpec, RuleTimer } from './pack/pack.js'
import { type Region, rowsOf } from './region.js'
import type { ScreenRow } from './screen-row.js'
import { matchesRow } from './style-match.js'

export interface RuleMatch {
  rule: RuleSpec
  rows: [number, number]
  text: string
  values: Record<string, string | number>
}

/** Whether a rule matched and why not, for `explain`. */
export interface RuleResult {
  rule: RuleSpec
  match: RuleMatch | null
  why: string
}

export function evaluateRules(
  frame: Frame,
  rows: readonly ScreenRow[],
  pack: Pack,
  regions: ReadonlyMap<string, Region>,
): RuleResult[] {
  const rules = pack.rules.filter(rule => rule.region !== 'title')
  const isOther = usesOtherLanguage(rows, regions, pack.locale)
  const evaluate = (rule: RuleSpec): RuleResult =>
    isOther && !rule.structural
      ? { rule, match: null, why: `the interface is not in ${pack.locale}` }
      : evaluateRule(rule, frame, rows, regions)
  return pack.ruleTimer ? timed(rules, evaluate, pack.ruleTimer) : rules.map(evaluate)
}

/** Evaluates the rules and reports the time of each to the timer. */
function timed(rules: readonly RuleSpec[], evaluate: (rule: RuleSpec) => RuleResult, watch: RuleTimer): RuleResult[] {
  const measure = (rule: RuleSpec): { result: RuleResult; ms: number } => {
    const from = watch.now()
    const result = evaluate(rule)
    return { result, ms: watch.now() - from }
  }
  const measured = rules.map(measure)
  watch.frame(measured.map(({ result, ms }) => ({ rule: result.rule, ms, again: () => measure(result.rule).ms })))
  return measured.map(({ result }) => result)
}

function evaluateRule(
  rule: RuleSpec,
  frame: Frame,
  rows: readonly ScreenRow[],
  regions: ReadonlyMap<string, Region>,
): RuleResult {
  const fail = (why: string): RuleResult => ({ rule, match: null, why })
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
    return fail('the cursor is outside the region')
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

/*
 * Some agents use the language of their user. There the words of a pack do not apply, and where
 * they appear they belong to other text. The key hints below the input box are always the agent's
 * own words: a row of them in another script decides. Languages that share a script cannot be
 * distinguished this way; there the pack's words simply do not match.
 */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ko: /[\p{Script=Hangul}\p{Script=Han}]/u,
  ru: /\p{Script=Cyrillic}/u,
  uk: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  ar: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  th: /\p{Script=Thai}/u,
  hi: /\p{Script=Devanagari}/u,
}
const LATIN = /\p{Script=Latin}/u
const LETTERS_MIN = 4

/** The agent writes another script than the pack: only language-independent rules count. */
function usesOtherLanguage(rows: readonly ScreenRow[], regions: ReadonlyMap<string, Region>, locale: string): boolean {
  const footer = rowsOf(rows, regions.get('footer'))
  return footer.length > 0 && footer.some(isOtherScriptThan(SCRIPTS[locale.toLowerCase().split(/[-_]/u)[0]!] ?? LATIN))
}

const tests = new Map<RegExp, (row: ScreenRow) => boolean>()

function isOtherScriptThan(own: RegExp): (row: ScreenRow) => boolean {
  const known = tests.get(own)
  if (known) return known
  const test = memoizeByObject((row: ScreenRow) => {
    // Key names and paths are Latin in every language: only letters that are neither Latin nor of
    // the pack's script count.
    const otherLetters = row.text.match(/\p{L}/gu)?.filter(letter => !LATIN.test(letter) && !own.test(letter)) ?? []
    return otherLetters.length >= LETTERS_MIN
  })
  tests.set(own, test)
  return test
}
