import { ASCII_END, CharClass } from '../text/index.js'
import { Background, Content } from './cell-style.js'
import type { WidthProvider } from './width-provider.js'
import { CELL_WORDS, type XtermCore } from './xterm-core.js'

/*
 * Most bytes of a program are text for cells. For every character xterm's own handler checks its
 * width, whether it joins the character before it, whether a link is open and whether it fits. For
 * nearly all text of nearly all programs the answers are one column, no, no and yes. Such a run is
 * written here: three words per character and nothing else. All other runs (wide or joining
 * characters, a character that was not met before, a wrap, insert mode, a character set, a link,
 * half of a wide character next to it) go to xterm's handler, and both leave the same cells behind.
 *
 * These runs do not mark rows for drawing: nothing draws.
 */
export function printPlainTextFast(core: XtermCore, widths: WidthProvider): void {
  const { _inputHandler: input, _charsetService: charsets, coreService, buffers } = core
  const parser = input._parser
  const { classes } = widths

  parser.setPrintHandler((data, start, end) => {
    const buffer = buffers.active
    const { x } = buffer
    const after = x + end - start
    const words = buffer.lines.get(buffer.ybase + buffer.y)!._data
    const { fg, bg } = input._curAttrData
    const isOrdinary =
      after <= core.cols &&
      charsets.charset === undefined &&
      coreService.modes.insertMode !== true &&
      (bg & Background.hasExtended) === 0 &&
      (x === 0 || columnsAt(words, x - 1) !== 2) &&
      (after === core.cols || columnsAt(words, after) !== 0) &&
      isPlain(classes, data, start, end)
    if (!isOrdinary) {
      input.print(data, start, end)
      return
    }
    let at = x * CELL_WORDS
    for (let index = start; index < end; index++) {
      words[at] = data[index]! | ONE_COLUMN
      words[at + 1] = fg
      words[at + 2] = bg
      at += CELL_WORDS
    }
    buffer.x = after
    parser.precedingJoinState = widths.charProperties(data[end - 1]!, 0)
  })
}

const ONE_COLUMN = 1 << Content.widthShift

/** Whether every character is one column wide and never joins another, whatever precedes it. */
function isPlain(classes: Uint8Array, data: Uint32Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const codePoint = data[index]!
    if (codePoint >= ASCII_END && classes[codePoint] !== CharClass.narrow) return false
  }
  return true
}

/** 2 in the first cell of a wide character, 0 in the second. */
function columnsAt(words: Uint32Array, x: number): number {
  return words[x * CELL_WORDS]! >>> Content.widthShift
}
