import { characterClass } from './character-class.js'
import { ASCII_END, asciiCluster, clusterColumns, columnsOf, hasJoined, nextCluster } from './cluster.js'

const ASCII = /^[\x20-\x7e]*$/

/**
 * How many terminal columns a text takes: as many as the emulator's cursor moves, with ambiguous
 * characters as one column. Control characters and marks never count. (The emulator gives a column
 * to a mark that has nothing to join; here such a mark is expected to join what is printed before.)
 */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  let cluster = 0
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at)!
    if (codePoint > 0xffff) at++
    if (isControl(codePoint)) {
      cluster = 0
      continue
    }
    if (codePoint < ASCII_END) {
      cluster = asciiCluster(codePoint)
      width++
      continue
    }
    const found = characterClass(codePoint)
    const next = nextCluster(found, cluster)
    if (columnsOf(found) === 0 && !hasJoined(next)) continue
    width += clusterColumns(next) - (hasJoined(next) ? clusterColumns(cluster) : 0)
    cluster = next
  }
  return width
}

function isControl(codePoint: number): boolean {
  return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)
}
