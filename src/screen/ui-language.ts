import { memoizeByObject } from '../terminal/index.js'
import { type Region, rowsOf } from './region.js'
import type { ScreenRow } from './screen-row.js'

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

/**
 * Whether the agent's own rows are in another script than the pack's words: then only
 * language-independent rules count.
 */
export function usesOtherLanguage(
  rows: readonly ScreenRow[],
  regions: ReadonlyMap<string, Region>,
  locale: string,
): boolean {
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
