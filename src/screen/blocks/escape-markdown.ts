/*
 * A character is escaped only where it would act: text that reads as prose in the source reads the same in the Markdown.
 */

/** Marks that act at the beginning of a line. */
const LINE_START: readonly [RegExp, string][] = [
  [/^(\s{0,3})(#{1,6})(?=\s|$)/u, '$1\\$2'],
  [/^(\s{0,3})>/u, '$1\\>'],
  [/^(\s*)([-+*])(?=\s)/u, '$1\\$2'],
  [/^(\s*\d{1,9})([.)])(?=\s)/u, '$1\\$2'],
  [/^(\s{0,3})(?=(?:-+|=+|_{3,})\s*$)/u, '$1\\'],
  [/^(\s{0,3})(?=`{3}|~{3})/u, '$1\\'],
  [/^(\s{0,3})(?=\|.*\|\s*$)/u, '$1\\'],
]

/** `isStart`: the text begins a line. */
export function escapeMarkdown(text: string, isStart: boolean): string {
  return text
    .split('\n')
    .map((line, index) => escapeLine(line, isStart || index > 0))
    .join('\n')
}

function escapeLine(line: string, isStart: boolean): string {
  const inner = line
    .replace(/\\(?=[!-/:-@[-`{-~])/gu, '\\\\')
    .replace(/`(?=[^`]*`)|(?<=`[^`]*)`/gu, '\\`')
    .replace(/\*(?=\S)(?=.*\S\*)|(?<=\*.*\S)\*/gu, '\\*')
    .replace(
      /(?<![\p{L}\p{N}\\])_(?=\S)(?=.*\S_(?![\p{L}\p{N}]))|(?<=(?<![\p{L}\p{N}])_.*\S)_(?![\p{L}\p{N}])/gu,
      '\\_',
    )
    .replace(/~~(?=\S.*\S~~)/gu, '\\~~')
    .replace(/\[(?=[^\]]*\]\()/gu, '\\[')
    .replace(/<(?=[a-z/!?])/giu, '\\<')
    .replace(/&(?=#?\w+;)/gu, '\\&')
  return isStart
    ? LINE_START.reduce((escaped, [mark, by]) => (mark.test(escaped) ? escaped.replace(mark, by) : escaped), inner)
    : inner
}
