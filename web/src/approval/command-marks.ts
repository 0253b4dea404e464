import type { Approval } from '../api/types'
import type { Style } from '../diff/styled-text'

/**
 * The parts of a command that its risk names: `deletes recursively (rm)` marks `rm -rf build`, and
 * `writes outside the project: /etc/hosts` marks the path. The rating decides what is dangerous;
 * this only finds its words again, so that both never differ.
 */
export function commandMarks(command: string, risk: Approval['risk']): Style[] {
  if (risk.level === 'low') return []
  const kind = risk.level === 'high' ? 'danger-mark' : 'warning-mark'
  const marks: Style[] = []
  for (const reason of risk.reasons) {
    for (const { from, to } of spansOf(reason, command)) marks.push({ from, to, class: kind, title: reason })
  }
  return withoutInner(marks)
}

function spansOf(reason: string, command: string): { from: number; to: number }[] {
  const program = /\(([^()\s]+)\)$/.exec(reason)?.[1]
  if (program !== undefined) return segmentsOf(command).filter(({ text }) => startsWith(text, program))
  if (reason.startsWith('runs a download'))
    return [...command.matchAll(/\|\s*\S*(?:sh|python\d?|node|perl|ruby)\b/g)].map(match => spanOf(match))
  const named = /: (\S.*)$/.exec(reason)?.[1]
  if (named === undefined) return []
  const words = [named, named.replace(/^.*\//, '')].filter(word => word.length > 1)
  for (const word of words) {
    const at = command.indexOf(word)
    if (at >= 0) return [wordAround(command, at, at + word.length)]
  }
  return []
}

function spanOf(match: RegExpExecArray): { from: number; to: number } {
  return { from: match.index, to: match.index + match[0].length }
}

/** Simple commands: the text between operators. */
function segmentsOf(command: string): { from: number; to: number; text: string }[] {
  const segments = []
  for (const match of command.matchAll(/[^;&|\n()`]+/g)) {
    const lead = /^\s*/.exec(match[0])![0].length
    const text = match[0].trim()
    if (text !== '') segments.push({ from: match.index + lead, to: match.index + lead + text.length, text })
  }
  return segments
}

function startsWith(segment: string, program: string): boolean {
  const words = segment.split(/\s+/).map(word => word.replace(/^["'$]+|["']+$/g, ''))
  return words.some((word, index) => index < 4 && (word === program || word.endsWith(`/${program}`)))
}

function wordAround(command: string, from: number, to: number): { from: number; to: number } {
  let [start, end] = [from, to]
  while (start > 0 && !/[\s'"=]/.test(command[start - 1]!)) start--
  while (end < command.length && !/[\s'";|&]/.test(command[end]!)) end++
  return { from: start, to: end }
}

/** Of two marks of which one contains the other, only the larger is kept. */
function withoutInner(marks: readonly Style[]): Style[] {
  return marks.filter(
    (mark, index) =>
      !marks.some(
        (other, at) =>
          at !== index &&
          other.from <= mark.from &&
          other.to >= mark.to &&
          (other.to - other.from > mark.to - mark.from || at < index),
      ),
  )
}
