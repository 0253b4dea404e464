import type { ImplementationState } from '../../pipelines/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'

const COLOURS = { critical: 'red', major: 'yellow', minor: 'cyan', none: 'dim' } as const

/** The checklist of a review: each item with its severity, its place, what is wrong and why, and what the Evaluator made of it. */
export function showItems({ out, style }: CommandContext, state: ImplementationState): void {
  const judged = new Map(state.evaluation_result?.items.map(entry => [entry.number, entry]))
  for (const item of state.last_review?.items ?? []) {
    const place = `${item.file}${item.line === null ? '' : `:${item.line}`}`
    const type = item.type === undefined || state.review_types.length < 2 ? '' : ` ${style('dim', `(${item.type})`)}`
    const severity = style(COLOURS[item.severity], `[${item.severity}]`)
    out(`${item.number}. ${severity} ${visibleText(`${place} ${item.title}`.trim())}${type}`)
    const said = judged.get(item.number)
    const lines: [string, string][] = [
      ['', item.issue],
      ['why: ', item.why],
      ['fix: ', item.fix],
      ...(said ? [[`${said.disposition}: `, said.reason] as [string, string]] : []),
    ]
    for (const [name, text] of lines)
      for (const [at, line] of text.trim().split('\n').entries())
        if (line.trim() !== '') out(`   ${at === 0 ? style('dim', name) : ''}${visibleText(line)}`)
  }
}
