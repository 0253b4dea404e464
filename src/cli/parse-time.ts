import { SignalboxError } from '../errors/index.js'

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `90s`, `30m`, `2h`, `7d` in milliseconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|min|h|d)$/.exec(text.trim())
  const ms = match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN
  if (ms > 0) return ms
  throw new SignalboxError('E_INPUT', `${option} takes a duration, not "${text}"`, {
    next: 'such as 90s, 30m, 2h or 7d',
  })
}

/** A moment: a date, or how long ago. */
export function parseMoment(option: string, text: string, now: number): number {
  if (/^\d+(\.\d+)?(s|m|min|h|d)$/.test(text.trim())) return now - parseDuration(option, text)
  const time = Date.parse(text)
  if (Number.isFinite(time)) return time
  throw new SignalboxError('E_INPUT', `${option} takes a date or a duration, not "${text}"`, {
    next: 'such as 2026-03-01 or 24h',
  })
}
