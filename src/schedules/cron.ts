import { SignalboxError } from '../errors/index.js'

/**
 * A cron expression: minute, hour, day of the month, month, day of the week, in the time zone of
 * the machine. As in every cron, a day fits if the day of the month or the day of the week fits,
 * unless one of them is `*`.
 */
export interface Cron {
  readonly text: string
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  /** Both the day of the month and the day of the week are restricted: either is enough. */
  readonly isEitherDay: boolean
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')

const SHORTHANDS: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
}

const EXAMPLE = '"0 2 * * *" is every day at 2:00, "*/30 9-17 * * mon-fri" every half hour of a working day'

/** Longer than any expression that fits a date at all: 29 February comes after eight years. */
const HORIZON_DAYS = 9 * 366

/** @throws SignalboxError `E_INPUT` */
export function parseCron(text: string): Cron {
  const given = text.trim().toLowerCase()
  const fields = (SHORTHANDS[given] ?? given).split(/\s+/)
  if (fields.length !== 5)
    throw new SignalboxError('E_INPUT', `"${text}" is not a cron expression: it needs five fields`, { next: EXAMPLE })
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const field = (value: string, name: string, range: Range) => parseField(text, value, name, range)
  const weekdays = field(weekday, 'day of the week', { min: 0, max: 7, names: WEEKDAYS })
  const cron: Cron = {
    text: text.trim(),
    minutes: field(minute, 'minute', { min: 0, max: 59 }),
    hours: field(hour, 'hour', { min: 0, max: 23 }),
    days: field(day, 'day of the month', { min: 1, max: 31 }),
    months: field(month, 'month', { min: 1, max: 12, names: MONTHS, firstName: 1 }),
    // Sunday is 0 and 7.
    weekdays: new Set([...weekdays].map(value => value % 7)),
    isEitherDay: day !== '*' && weekday !== '*',
  }
  if (nextTime(cron, Date.UTC(2024, 0)) === null)
    throw new SignalboxError('E_INPUT', `"${text}" matches no date`, { next: EXAMPLE })
  return cron
}

interface Range {
  min: number
  max: number
  names?: readonly string[]
  firstName?: number
}

function parseField(text: string, field: string, name: string, { min, max, names, firstName = 0 }: Range): Set<number> {
  const fail = (part: string): never => {
    throw new SignalboxError('E_INPUT', `"${part}" in "${text}" is not a ${name} (${min} to ${max})`, { next: EXAMPLE })
  }
  const numberOf = (word: string): number => {
    const named = names?.indexOf(word) ?? -1
    const value = named >= 0 ? named + firstName : /^\d+$/.test(word) ? Number(word) : Number.NaN
    return value >= min && value <= max ? value : fail(word)
  }
  const values = new Set<number>()
  for (const part of field.split(',')) {
    const [range = '', step = '1', ...more] = part.split('/')
    if (more.length > 0 || !/^[1-9]\d*$/.test(step)) fail(part)
    const [from = '', to] = range.split('-')
    const first = range === '*' ? min : numberOf(from)
    // `5/10` is every ten from five on.
    const last =
      range === '*' || (to === undefined && part.includes('/')) ? max : to === undefined ? first : numberOf(to)
    if (last < first) fail(part)
    for (let value = first; value <= last; value += Number(step)) values.add(value)
  }
  return values
}

/**
 * The first minute after `after` that fits, in milliseconds; null if there is none. A time that a
 * change of the clock skips happens at the first minute after it; one that the change repeats
 * happens once.
 */
export function nextTime(cron: Cron, after: number): number | null {
  const start = new Date(after)
  for (let offset = 0; offset < HORIZON_DAYS; offset++) {
    const day = new Date(start.getFullYear(), start.getMonth(), start.getDate() + offset)
    if (!cron.months.has(day.getMonth() + 1) || !isDay(cron, day)) continue
    for (const hour of sorted(cron.hours))
      for (const minute of sorted(cron.minutes)) {
        const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute).getTime()
        if (at > after) return at
      }
  }
  return null
}

function isDay({ days, weekdays, isEitherDay }: Cron, day: Date): boolean {
  const isMonthDay = days.has(day.getDate())
  const isWeekday = weekdays.has(day.getDay())
  return isEitherDay ? isMonthDay || isWeekday : isMonthDay && isWeekday
}

function sorted(values: ReadonlySet<number>): number[] {
  return [...values].sort((a, b) => a - b)
}
