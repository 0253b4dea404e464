import type { RunNode } from '../api/types'

/** `plan@2#3` as people say it: “Plan, visit 2, attempt 3”. */
export function stepName(step: string, nodes: readonly RunNode[] = []): string {
  const match = /^(?:.*\/)?([^/@]+)@(\d+)#(\d+)$/.exec(step)
  if (!match) return step
  const [, node, visit, attempt] = match as unknown as [string, string, string, string]
  const label = nodes.find(candidate => candidate.node === node)?.label ?? node.replaceAll('_', ' ')
  return [label, ...(visit === '1' ? [] : [`visit ${visit}`]), ...(attempt === '1' ? [] : [`attempt ${attempt}`])].join(
    ', ',
  )
}
