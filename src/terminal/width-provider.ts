import {
  type AmbiguousWidth,
  ASCII_END,
  asciiCluster,
  characterClass,
  characterClasses,
  columnsOf,
  nextCluster,
} from '../text/index.js'

/*
 * Widths for xterm.js. For every character xterm asks for its properties and passes those of the
 * character before it (0 after a cursor move or at the start of a line). The answer says how wide
 * the whole cluster is now and whether the character joins it, so the state of the cluster
 * (text/cluster.ts) travels inside the answer.
 */
export interface WidthProvider {
  readonly version: string
  /** The class of every code point met so far; `CharClass.unseen` for the others. */
  readonly classes: Uint8Array
  wcwidth(codePoint: number): 0 | 1 | 2
  charProperties(codePoint: number, preceding: number): number
}

export const WIDTH_VERSION = 'signalbox'

export function createWidthProvider(ambiguous: AmbiguousWidth = 1): WidthProvider {
  return {
    version: WIDTH_VERSION,
    classes: characterClasses(ambiguous),
    wcwidth: codePoint => columnsOf(characterClass(codePoint, ambiguous)),
    charProperties(codePoint, preceding) {
      if (codePoint < ASCII_END) return asciiCluster(codePoint)
      return nextCluster(characterClass(codePoint, ambiguous), preceding)
    },
  }
}
