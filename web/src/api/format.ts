import type { KnownCost } from '../../../src/text/cost-words'

/** A moment: RFC 3339 as the API sends it, or milliseconds as this browser's clock has it. */
export type Time = number | string

export function timeOf(time: Time): number {
  return typeof time === 'number' ? time : Date.parse(time)
}

/** `12 s`, `4 min 5 s`, `25 min`, `3 h 5 min`, `2 days`: as precise as a glance needs. */
export function formatSpan(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s} s`
  const min = Math.floor(s / 60)
  if (min < 60) return min < 10 && s % 60 > 0 ? `${min} min ${s % 60} s` : `${min} min`
  const h = Math.floor(min / 60)
  if (h < 24) return min % 60 > 0 ? `${h} h ${min % 60} min` : `${h} h`
  const d = Math.floor(h / 24)
  return d === 1 ? '1 day' : `${d} days`
}

/** How long ago: `12 s`, `4 min`, `3 h`, `2 days`. One unit says enough. */
export function formatAge(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  if (s < 60) return `${s} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  return formatSpan(Math.floor(s / 3600) * 3_600_000)
}

/** What something took: `0.4 s`, `3.8 s`, then as `formatSpan`. */
export function formatTook(ms: number): string {
  if (ms < 50) return '<0.1 s'
  return ms < 10_000 ? `${(Math.max(0, ms) / 1000).toFixed(1)} s` : formatSpan(ms)
}

/** `0:05`, `12:34`, `1:02:03`: a position in a recording or a timeline. */
export function formatClock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  const tail = `${String(Math.floor((s % 3600) / 60)).padStart(s >= 3600 ? 2 : 1, '0')}:${String(s % 60).padStart(2, '0')}`
  return s >= 3600 ? `${Math.floor(s / 3600)}:${tail}` : tail
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

const exact = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/** The time of day, with the date unless it is today. */
export function formatTime(ms: number, now = Date.now()): string {
  const isToday = new Date(ms).toDateString() === new Date(now).toDateString()
  return isToday ? clock.format(ms) : `${day.format(ms)}, ${clock.format(ms)}`
}

/** With seconds, for logs. */
export function formatExact(ms: number): string {
  return exact.format(ms)
}

export function formatWhen(ms: number): string {
  return whole.format(ms)
}

/** A cost of which a part may be unknown; `–` if all of it is. */
export function formatCost({ costUsd, isPartial }: KnownCost): string {
  return `${isPartial && costUsd != null ? 'at least ' : ''}${formatMoney(costUsd ?? undefined)}`
}

export function formatMoney(usd: number | undefined): string {
  if (usd === undefined) return '–'
  if (usd === 0) return '$0'
  if (usd < 0.01) return '<$0.01'
  return `$${usd < 100 ? usd.toFixed(2) : Math.round(usd).toLocaleString('en')}`
}

export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} k`
  return `${(count / 1_000_000).toFixed(count < 10_000_000 ? 1 : 0)} M`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(0)} kB`
  if (bytes < 1024 * 1024 * 1024) return `${(bytes / 1024 / 1024).toFixed(1)} MB`
  return `${(bytes / 1024 / 1024 / 1024).toFixed(1)} GB`
}

/** The id of a turn ends with its number. */
export function turnNumber(turn: string): number {
  return Number(turn.slice(turn.lastIndexOf('.') + 1))
}

/** The last part of a path: the name that a person uses for the project. */
export function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').pop() || path
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
