import { confirmsOrLeaves } from './menu/menu-head.js'
import { makeRegion, type Region } from './region.js'
import { isBlank, type ScreenRow } from './screen-row.js'

const POINTED = /^\s{0,2}[❯›>▸]\s+\S/u

/**
 * A list in which only the selected entry has a pointer, right above the keys that confirm or
 * cancel. With a single entry it looks like an input box or an echo; the keys below show that it
 * has the keyboard. A completion list is separated from the input box and does not count.
 */
export function findPointedEntry(rows: readonly ScreenRow[]): Region | null {
  const footer = rows.findLastIndex(row => !isBlank(row))
  if (footer < 1 || !confirmsOrLeaves(rows[footer]!)) return null
  let last = footer - 1
  while (last >= 0 && isBlank(rows[last])) last--
  for (let index = last; index >= 0 && !isBlank(rows[index]); index--) {
    if (!POINTED.test(rows[index]!.text)) continue
    const isAlone = rows.slice(index + 1, last + 1).every(row => row.indent > rows[index]!.indent)
    return isAlone ? makeRegion('overlay', index, footer) : null
  }
  return null
}
