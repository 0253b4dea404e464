import { SignalboxError } from '../errors/index.js'
import { parseBackend, type SandboxNetwork } from '../sandbox/index.js'

/*
 * Values of options, from text to what the program works with. Each throws `E_INPUT` with the
 * option's name.
 */

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** `90s`, `30m`, `2h`, `7d` in milliseconds; more than 0. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|min|h|d)$/.exec(text.trim())
  const ms = match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN
  if (ms > 0) return ms
  throw new SignalboxError('E_INPUT', `${option} takes a duration, not "${text}"`, {
    next: 'such as 90s, 30m, 2h or 7d',
  })
}

/** `90`, `90s`, `5m`, `1h` in milliseconds; seconds by default, 0 is allowed. */
export function parseTime(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim())
  if (match) return Number(match[1]) * UNITS[match[2] ?? 's']!
  throw new SignalboxError('E_INPUT', `${option} takes a time such as 90s or 5m, not "${text}"`)
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

export function parseSeconds(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000
  throw new SignalboxError('E_INPUT', `${option} takes a number of seconds, not "${text}"`)
}

export function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new SignalboxError('E_INPUT', `${option} takes a whole number of 1 or more, not "${text}"`)
}

function parsePositive(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new SignalboxError('E_INPUT', `${option} takes a number above 0, not "${text}"`)
}

/** An amount in USD; null for `none`. */
export function parseAmount(option: string, text: string): number | null {
  return text === 'none' ? null : parsePositive(option, text.replace(/^\$/, ''))!
}

export function parsePairs(option: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map(pair => {
      const at = pair.indexOf('=')
      if (at >= 1) return [pair.slice(0, at), pair.slice(at + 1)]
      throw new SignalboxError('E_INPUT', `${option} takes key=value, not "${pair}"`)
    }),
  )
}

/** `--sandbox` without a value means auto; `--network` alone means a sandbox, too. */
export function parseSandbox({
  sandbox,
  network,
}: {
  sandbox?: string | boolean | undefined
  network?: string | undefined
}): { use: string; network?: SandboxNetwork } | undefined {
  if (sandbox === undefined && network === undefined) return undefined
  if (network !== undefined && !isNetwork(network))
    throw new SignalboxError('E_INPUT', `unknown network mode "${network}"`, { next: 'use off, filtered or on' })
  const use = typeof sandbox === 'string' ? sandbox : 'auto'
  if (use !== 'off') parseBackend(use)
  return { use, ...(network !== undefined && { network }) }
}

function isNetwork(text: string): text is SandboxNetwork {
  return ['off', 'filtered', 'on'].includes(text)
}

/** `--on`, `--pool` and `--needs`; undefined if the server performs the run. */
export function parsePlacement({
  on,
  pool,
  needs,
}: {
  on?: string | undefined
  pool?: string | undefined
  needs?: readonly string[] | undefined
}): { worker?: string; pool?: string; labels?: Record<string, string> } | undefined {
  if (on === undefined && pool === undefined && needs === undefined) return undefined
  return {
    ...(on !== undefined && on !== 'any' && { worker: on }),
    ...(pool !== undefined && { pool }),
    ...(needs !== undefined && { labels: parsePairs('--needs', needs) }),
  }
}

/** `120x40` → columns and rows; null if the option was not given. */
export function parseSize(text: string | undefined, most = 9_999): { cols: number; rows: number } | null {
  if (text === undefined) return null
  const match = /^(\d{1,4})x(\d{1,4})$/i.exec(text)
  const [cols, rows] = [Number(match?.[1]), Number(match?.[2])]
  if (match && cols >= 1 && rows >= 1 && cols <= most && rows <= most) return { cols, rows }
  throw new SignalboxError('E_INPUT', `invalid terminal size "${text}"`, {
    next: `columns x rows, such as 120x40; at most ${most}x${most}`,
  })
}

/** The limits of a run that `--max-cost`, `--max-tokens` and `--max-time` set. */
export function parseLimits(options: {
  maxCost?: string | undefined
  maxTokens?: string | undefined
  maxTime?: string | undefined
}): { costUsd?: number; tokens?: number; timeMs?: number } {
  const costUsd = parsePositive('--max-cost', options.maxCost)
  const tokens = parseCount('--max-tokens', options.maxTokens)
  const timeMs = parseTime('--max-time', options.maxTime)
  return {
    ...(costUsd !== undefined && { costUsd }),
    ...(tokens !== undefined && { tokens }),
    ...(timeMs !== undefined && { timeMs }),
  }
}

/** One form for every command with actions. */
export function unknownAction(action: string, actions: readonly string[]): SignalboxError {
  return new SignalboxError('E_INPUT', `unknown action "${action}"`, { next: `use ${actions.join(', ')}` })
}
