import { normaliseLines, planLines } from './markdown-lines.js'
import { taskHeaders } from './validate-plan.js'

/**
 * What the Developer of each task gets: the head of the plan, the heading of the task's phase, and
 * the task itself. Nothing of other tasks or phases, or of the text after the tasks. A plan with
 * fewer than two tasks is passed as a whole.
 */
export function planSections(plan: string): string[] {
  const lines = planLines(plan)
  const headers = taskHeaders(lines)
  if (headers.length < 2) return [plan]
  const isHeading = (at: number) => !lines[at]!.isFenced && /^#{1,2} /.test(lines[at]!.text)
  const isPhase = (at: number) => !lines[at]!.isFenced && /^## Phase\b/i.test(lines[at]!.text)
  const isRule = (at: number) => !lines[at]!.isFenced && lines[at]!.text.trim() === '---'
  const texts = normaliseLines(plan).split('\n')
  const firstTask = headers[0]!.line
  let headEnd = 0
  while (headEnd < firstTask && !isPhase(headEnd) && !isRule(headEnd)) headEnd++
  const head = texts.slice(0, headEnd).join('\n').trim()
  return headers.map(({ line }, index) => {
    const next = headers[index + 1]?.line ?? lines.length
    let end = line + 1
    while (end < next && !isHeading(end)) end++
    let phase: string | null = null
    for (let at = line - 1; at >= 0 && phase === null; at--) {
      if (isPhase(at)) phase = texts[at]!.trim()
      else if (isHeading(at)) break
    }
    const body = texts
      .slice(line, end)
      .join('\n')
      .trim()
      .replace(/(?:\n+---)+$/, '')
      .trim()
    const own = phase === null ? body : `${phase}\n\n${body}`
    return head === '' ? own : `${head}\n\n---\n\n${own}`
  })
}
