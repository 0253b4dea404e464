import { parse } from 'smol-toml'
import type { ScreenBlockKind, TerminalView } from '../screen/index.js'

/** One entry of a pack that was learned. */
export type LearnedEntry =
  | { list: 'blocks'; kind: ScreenBlockKind; first: string; more: string; strip: number; running?: string }
  | { list: 'terminators'; line: string; outcome: 'done' | 'interrupted' }
  | { list: 'chrome'; line: string }
  | {
      list: 'rule'
      id: string
      region: string
      line: string
      priority: number
      view?: TerminalView
      skip?: string
      busy?: boolean
      awaiting?: 'question' | 'auth'
      composer?: 'absent' | 'live'
    }

/** Entries with equal keys have the same effect. */
export function entryKey(entry: LearnedEntry): string {
  const { list } = entry
  if (list === 'rule') return [list, entry.view ?? entry.skip, entry.region, entry.line].join(' ')
  if (list === 'chrome') return [list, entry.line].join(' ')
  return list === 'blocks' ? [list, entry.kind, entry.first].join(' ') : [list, entry.outcome, entry.line].join(' ')
}

/** The pattern that decides whether the entry concerns a row. */
export function patternOf(entry: LearnedEntry): string {
  return entry.list === 'blocks' ? entry.first : entry.line
}

/** The entries of a file that was learned earlier. */
export function readLearnedEntries(text: string): LearnedEntry[] {
  const data = parse(text) as Record<string, Record<string, unknown>[] | undefined>
  return (['blocks', 'terminators', 'chrome', 'rule'] as const).flatMap(list =>
    (data[list] ?? []).map(entry => ({ list, ...entry }) as unknown as LearnedEntry),
  )
}

/** Whether it names words of the screen, besides marks. */
export function hasWords(entry: LearnedEntry): boolean {
  return /\p{L}{2}/u.test(patternOf(entry).replace(/\\u[\da-f]{4}|\\[a-zA-Z]/gu, ''))
}
