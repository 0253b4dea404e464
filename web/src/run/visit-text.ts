import type { Timeline } from '../api/types'
import { valueText } from './node-detail'

type Visit = Timeline['visits'][number]

/** What a visit printed or said: the first of these fields of its last attempt that has text. */
export function textOf({ attempts }: Visit, fields: readonly string[]): string {
  const last = attempts.at(-1)
  if (!last) return ''
  const result = (last.result ?? {}) as Record<string, unknown>
  for (const name of fields) if (typeof result[name] === 'string' && result[name].trim() !== '') return result[name]
  return typeof last.result === 'string' ? last.result : last.status === 'failed' ? valueText(last.result) : ''
}
