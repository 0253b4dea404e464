import type { Setting } from './setting.js'

/** A value as a settings file contains it. A secret is "set" or "unset". */
export function describeValue(setting: Setting<unknown>, value: unknown): string {
  if (setting.isSecret) return isSet(value) ? 'set' : 'unset'
  if (value === null) return 'none'
  if (Array.isArray(value)) return `[${value.map(item => JSON.stringify(item)).join(', ')}]`
  if (typeof value === 'object') {
    return `{ ${Object.entries(value)
      .map(([name, item]) => `${JSON.stringify(name)} = ${JSON.stringify(item)}`)
      .join(', ')} }`
  }
  return JSON.stringify(value)
}

function isSet(value: unknown): boolean {
  if (value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
