/*
 * A character is escaped only where it would have an effect: text that reads as prose in the source
 * reads the same in the Markdown. Whether a mark has an effect depends on its partner further along
 * the line, so all partners are found first, and the line is then written in one pass: a line may
 * be as long as anything that a program prints.
 */

/** Marks that have an effect at the start of a line. */
const LINE_START: readonly [RegExp, string][] = [
  [/^(\s{0,3})(#{1,6})(?=\s|$)/u, '$1\\$2'],
  [/^(\s{0,3})>/u, '$1\\>'],
  [/^(\s*)([-+*])(?=\s)/u, '$1\\$2'],
  [/^(\s*\d{1,9})([.)])(?=\s)/u, '$1\\$2'],
  [/^(\s{0,3})(?=(?:-+|=+|_{3,})\s*$)/u, '$1\\'],
  [/^(\s{0,3})(?=`{3}|~{3})/u, '$1\\'],
  [/^(\s{0,3})(?=\|.*\|\s*$)/u, '$1\\'],
]

const SPECIAL = /[\\`*_~[<&]/gu
const PUNCTUATION = /[!-/:-@[-`{-~]/u
const ENTITY = /&#?\w+;/uy

/** `isStart`: the text starts a line. */
export function escapeMarkdown(text: string, isStart: boolean): string {
  return text
    .split('\n')
    .map((line, index) => escapeLine(line, isStart || index > 0))
    .join('\n')
}

function escapeLine(line: string, isStart: boolean): string {
  const inner = escapeInner(line)
  return isStart
    ? LINE_START.reduce((escaped, [mark, by]) => (mark.test(escaped) ? escaped.replace(mark, by) : escaped), inner)
    : inner
}

function escapeInner(line: string): string {
  const acts = {
    '\\': (at: number) => PUNCTUATION.test(line.charAt(at + 1)),
    '`': pairedTicks(line),
    '*': paired(line, '*', () => true),
    _: paired(line, '_', character => !/[\p{L}\p{N}]/u.test(character)),
    '~': pairedStrikes(line),
    '[': linkStarts(line),
    '<': (at: number) => /[a-z/!?]/iu.test(line.charAt(at + 1)),
    '&': (at: number) => {
      ENTITY.lastIndex = at
      return ENTITY.test(line)
    },
  }
  return line.replace(SPECIAL, (mark, at: number) => (acts[mark as keyof typeof acts](at) ? `\\${mark}` : mark))
}

type ActsAt = (at: number) => boolean

function pairedTicks(line: string): ActsAt {
  const isPaired = line.indexOf('`') !== line.lastIndexOf('`')
  return () => isPaired
}

/**
 * Emphasis starts at a mark before text and ends at one after text, with at least one character
 * between. `isEdge`: what may be on the outer side of the mark.
 */
function paired(line: string, mark: string, isEdge: (character: string) => boolean): ActsAt {
  const opens = (at: number) => isText(characterAfter(line, at)) && isEdge(before(line, at))
  const closes = (at: number) => isText(before(line, at)) && isEdge(characterAfter(line, at))
  let first = line.indexOf(mark)
  while (first >= 0 && !isEdge(before(line, first))) first = line.indexOf(mark, first + 1)
  let last = line.lastIndexOf(mark)
  while (last >= 0 && !closes(last)) last = last === 0 ? -1 : line.lastIndexOf(mark, last - 1)
  return at => (opens(at) && last >= at + 2) || (closes(at) && first >= 0 && first <= at - 2)
}

/** Only the first tilde of an opening pair is escaped: a single tilde has no effect. */
function pairedStrikes(line: string): ActsAt {
  let last = line.lastIndexOf('~~')
  while (last > 0 && !isText(before(line, last))) last = line.lastIndexOf('~~', last - 1)
  let opened = -1
  return at => {
    if (at <= opened || line[at + 1] !== '~') return false
    const isOpen = isText(characterAfter(line, at + 1)) && last >= at + 3
    if (isOpen) opened = at + 1
    return isOpen
  }
}

/** Brackets whose text ends right before an address. */
function linkStarts(line: string): ActsAt {
  let close = -1
  return at => {
    if (close < at) {
      const next = line.indexOf(']', at)
      close = next < 0 ? line.length : next
    }
    return line[close] === ']' && line[close + 1] === '('
  }
}

/** The characters before and after a position, complete if they have two code units. */
function before(line: string, at: number): string {
  const unit = line.charAt(at - 1)
  return /[\udc00-\udfff]/.test(unit) ? line.slice(Math.max(0, at - 2), at) : unit
}

function characterAfter(line: string, at: number): string {
  const point = line.codePointAt(at + 1)
  return point === undefined ? '' : String.fromCodePoint(point)
}

function isText(character: string): boolean {
  return character !== '' && !/\s/u.test(character)
}
