import type { NodeVisit, Timeline } from '../api/types'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'
import { valueText } from './node-detail'

type Visit = Timeline['visits'][number]

/**
 * What a visit printed or said: the first of these fields of its last attempt that has text. The
 * timeline has no results, so the visit is loaded. Null until then.
 */
export function useVisitText(run: string, visit: Visit | null, fields: readonly string[]): string | null {
  const path = visit && `/runs/${run}/nodes/${encodeURIComponent(visit.node)}/visits/${visit.visit}`
  const { value } = useLoad(`text ${path}`, signal =>
    path === null ? Promise.resolve(null) : getJson<NodeVisit>(path, { signal }).catch(() => null),
  )
  return value ? textOf(value, fields) : null
}

function textOf({ attempts }: NodeVisit, fields: readonly string[]): string {
  const last = attempts.at(-1)
  if (!last) return ''
  const result = (last.result ?? {}) as Record<string, unknown>
  const context = (result.context_updates ?? {}) as Record<string, unknown>
  for (const name of fields) {
    const text = result[name] ?? context[`tool.${name}`]
    if (typeof text === 'string' && text.trim() !== '') return text
  }
  return typeof last.result === 'string' ? last.result : last.status === 'failed' ? valueText(last.result) : ''
}
