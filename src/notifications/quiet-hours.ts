const MINUTE_MS = 60_000
const DAY_MIN = 1_440

/** `22:00-07:00` as minutes of the day; null for none. */
export function quietHours(setting: string | null): { from: number; to: number } | null {
  const match = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(setting ?? '')
  if (!match) return null
  const [, h1, m1, h2, m2] = match.map(Number) as [number, number, number, number, number]
  return { from: h1 * 60 + m1, to: h2 * 60 + m2 }
}

/** How long the present quiet hours last; null outside of them. */
export function isQuiet(setting: string | null, now: number, utcOffset: number): { leftMs: number } | null {
  const hours = quietHours(setting)
  if (!hours || hours.from === hours.to) return null
  const { from, to } = hours
  const minute = (((Math.floor(now / MINUTE_MS) + utcOffset) % DAY_MIN) + DAY_MIN) % DAY_MIN
  const isIn = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isIn) return null
  const left = (to - minute + DAY_MIN) % DAY_MIN
  return { leftMs: left * MINUTE_MS - (now % MINUTE_MS) }
}
