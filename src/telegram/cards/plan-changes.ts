import { lineDiff } from '../../text/index.js'

/** The lines that only one of two versions of a plan has. */
export interface PlanChanges {
  added: string[]
  removed: string[]
}

/** Repeated lines count each time; blank lines do not count. Pure. */
export function planChanges(before: string, after: string): PlanChanges {
  const lines = lineDiff(linesOf(before), linesOf(after))
  const textsOf = (kind: 'added' | 'removed') => lines.filter(line => line.kind === kind).map(line => line.text)
  return { added: textsOf('added'), removed: textsOf('removed') }
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
}
