import { confirmsOrLeaves } from './menu/menu-head.js'
import { makeRegion, type Region } from './region.js'
import { isBlank, type ScreenRow } from './screen-row.js'

const POINTED = /^\s{0,2}[❯›>▸]\s+\S/u

/**
 * A list of which only the entry that is pointed at has a pointer, right above the keys that confirm or leave. With one entry alone it looks
 * like an input box or an echo; the keys below tell that it takes the keyboard. What completes a draft stands apart from the box, and is none.
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
