import { parse } from 'smol-toml'
import { closestMatch } from '../text/index.js'
import { type KnownSetting, type Unit, unitOf } from './schema.js'
import type { Setting } from './setting.js'

export type Checked = { ok: true; value: unknown } | { ok: false; expected: string; found: string }

const UNIT_MS: Record<Unit, number> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }
const UNIT_BY_WORD: Record<string, Unit> = { ms: 'ms', s: 's', m: 'min', min: 'min', h: 'h', d: 'd' }

export function checkValue({ pattern, setting }: KnownSetting, raw: unknown): Checked {
  const refuse = (): Checked => ({
    ok: false,
    expected: describeExpected(pattern, setting),
    found: describeFound(setting, raw),
  })
  if (setting.default === null && (raw === null || raw === 'none')) return { ok: true, value: null }
  switch (setting.type) {
    case 'boolean':
      return typeof raw === 'boolean' ? { ok: true, value: raw } : refuse()
    case 'integer':
      return isNumber(setting, raw) && Number.isSafeInteger(raw) ? { ok: true, value: raw } : refuse()
    case 'number':
      return isNumber(setting, raw) ? { ok: true, value: raw } : refuse()
    case 'duration': {
      const value = typeof raw === 'string' ? parseDuration(raw, unitOf(pattern)) : raw
      return isNumber(setting, value) ? { ok: true, value } : refuse()
    }
    case 'string':
    case 'enum':
      return isText(setting, raw) ? { ok: true, value: raw } : refuse()
    case 'strings':
      return Array.isArray(raw) && raw.every(item => isText(setting, item))
        ? { ok: true, value: Object.freeze([...raw]) }
        : refuse()
    case 'table':
      return isTextTable(raw) ? { ok: true, value: Object.freeze({ ...raw }) } : refuse()
  }
}

/** A value as text. Lists are comma-separated or a TOML array, tables inline. */
export function checkText(known: KnownSetting, text: string): Checked {
  const { type } = known.setting
  const trimmed = text.trim()
  if (type === 'string' || type === 'enum') return checkValue(known, text)
  if (known.setting.default === null && trimmed === 'none') return checkValue(known, null)
  if (type === 'boolean') return checkValue(known, BOOLEAN_WORDS[trimmed.toLowerCase()] ?? text)
  if (type === 'integer' || type === 'number') return checkValue(known, trimmed === '' ? text : numberOr(trimmed))
  if (type === 'duration') return checkValue(known, /^\d/.test(trimmed) ? numberOr(trimmed) : text)
  if (/^[[{]/.test(trimmed)) return checkValue(known, parseToml(trimmed) ?? text)
  if (type === 'table') return checkValue(known, text)
  return checkValue(known, trimmed === '' ? [] : trimmed.split(',').map(item => item.trim()))
}

const BOOLEAN_WORDS: Record<string, boolean | undefined> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
}

function numberOr(text: string): unknown {
  return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text
}

function parseToml(text: string): unknown {
  try {
    return parse(`value = ${text}`).value
  } catch {
    // The caller reports the text: there is nothing to add but that it is not a list or table.
    return undefined
  }
}

/** `90`, `90s`, `1.5h` in the wanted unit; undefined if it is not a duration. */
export function parseDuration(text: string, unit: Unit): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|d)?$/.exec(text.trim())
  if (!match) return undefined
  const given = match[2] ? UNIT_BY_WORD[match[2]]! : unit
  return (Number(match[1]) * UNIT_MS[given]) / UNIT_MS[unit]
}

function isNumber({ min, max }: Setting<unknown>, value: unknown): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false
  return (min === undefined || value >= min) && (max === undefined || value <= max)
}

function isText({ values, pattern }: Setting<unknown>, value: unknown): value is string {
  if (typeof value !== 'string' || value.includes('\0')) return false
  return (!values || values.includes(value)) && (!pattern || pattern.test(value))
}

function isTextTable(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) === Date.prototype) return false
  return !Array.isArray(value) && Object.values(value).every(item => typeof item === 'string')
}

/** Describes the values that a setting accepts: "an integer from 1 to 200". */
export function describeExpected(key: string, setting: Setting<unknown>): string {
  const range = describeRange(setting)
  const choices = setting.values?.map(value => `"${value}"`).join(', ')
  const none = setting.default === null ? ', or "none"' : ''
  switch (setting.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `an integer${range}${none}`
    case 'number':
      return `a number${range}${none}`
    case 'duration':
      return `a duration in ${unitOf(key)}${range}, or text such as "90s"${none}`
    case 'string':
      return `${setting.form ?? 'text'}${none}`
    case 'enum':
      return `one of ${choices}${none}`
    case 'strings':
      return choices ? `a list of ${choices}` : `a list of ${setting.form ?? 'texts'}`
    case 'table':
      return 'a table of texts'
  }
}

function describeRange({ min, max }: Setting<unknown>): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (max !== undefined) return ` up to ${max}`
  return min === undefined ? '' : ` of ${min} or more`
}

function describeFound(setting: Setting<unknown>, raw: unknown): string {
  if (setting.isSecret) return 'something else'
  if (Array.isArray(raw)) {
    const wrong: unknown = raw.find(item => !isText(setting, item))
    return `a list with ${describeFound(setting, wrong)}`
  }
  if (raw instanceof Date) return 'a date'
  if (typeof raw === 'object' && raw !== null) return 'a table'
  if (typeof raw !== 'string') return typeof raw === 'number' ? `the number ${raw}` : String(raw)
  const meant = setting.values && closestMatch(raw, setting.values)
  const shown = raw.length > 40 ? `${raw.slice(0, 40)}…` : raw
  return `the text ${JSON.stringify(shown)}${meant ? `; did you mean "${meant}"?` : ''}`
}
