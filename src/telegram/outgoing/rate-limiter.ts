/** How fast the bot speaks: below what Telegram allows, so that its own refusals stay rare. Pure; times in milliseconds. */
export interface PaceRules {
  privatePerS: number
  privateBurst: number
  groupPerMin: number
  allPerS: number
}

export const DEFAULT_PACE: PaceRules = { privatePerS: 1, privateBurst: 3, groupPerMin: 18, allPerS: 25 }

/** What kind of call it is: drafts leave nothing behind and cost half; edits in groups have an allowance of their own. */
export type CallKind = 'send' | 'edit' | 'draft'

export interface Allowance {
  tokens: number
  at: number
}

/** Of one chat, or of all together. Nothing is allowed before `sleepsUntil`; until `slowUntil` it goes at half the speed. */
export interface PaceState {
  /** Since when somebody counts. What was sent before that nobody knows, so nothing has been saved up by then. */
  since: number
  allowances: Readonly<Record<string, Allowance>>
  sleepsUntil: number
  slowUntil: number
}

export function freshPace(since: number): PaceState {
  return { since, allowances: {}, sleepsUntil: 0, slowUntil: 0 }
}

const PRIVATE_EDIT_MS = 1100
const GROUP_EDIT_MS = 3200
const SLOWER_PER_1000_MS = 500

/** How far two edits of a growing message are apart: in groups more, with its length more. */
export function editPace(chat: number, characters: number): number {
  return (chat > 0 ? PRIVATE_EDIT_MS : GROUP_EDIT_MS) + (characters / 1000) * SLOWER_PER_1000_MS
}

const SLOW_FOR_MS = 10 * 60_000

/** How long a call has to wait. */
export function waitBefore(
  state: PaceState,
  kind: CallKind,
  where: 'private' | 'group' | 'all',
  now: number,
  rules: PaceRules = DEFAULT_PACE,
): number {
  const asleep = Math.max(0, state.sleepsUntil - now)
  const { capacity, perMs } = speed(state, where, now, rules)
  const { tokens } = refilled(state, keyOf(kind, where), capacity, perMs, now)
  const missing = costOf(kind) - tokens
  return Math.max(asleep, missing <= EPSILON ? 0 : Math.ceil(missing / perMs))
}

/** The state after a call. */
export function spend(
  state: PaceState,
  kind: CallKind,
  where: 'private' | 'group' | 'all',
  now: number,
  rules: PaceRules = DEFAULT_PACE,
): PaceState {
  const { capacity, perMs } = speed(state, where, now, rules)
  const key = keyOf(kind, where)
  const { tokens } = refilled(state, key, capacity, perMs, now)
  return { ...state, allowances: { ...state.allowances, [key]: { tokens: tokens - costOf(kind), at: now } } }
}

/** Telegram said how long to be silent. What follows goes slower for a while. */
export function sleep(state: PaceState, ms: number, now: number): PaceState {
  return { ...state, sleepsUntil: Math.max(state.sleepsUntil, now + ms), slowUntil: now + ms + SLOW_FOR_MS }
}

const EPSILON = 1e-9

function costOf(kind: CallKind): number {
  return kind === 'draft' ? 0.5 : 1
}

function keyOf(kind: CallKind, where: 'private' | 'group' | 'all'): string {
  return where === 'group' ? (kind === 'edit' ? 'edits' : 'sends') : 'calls'
}

function speed(state: PaceState, where: 'private' | 'group' | 'all', now: number, rules: PaceRules) {
  const half = now < state.slowUntil ? 0.5 : 1
  if (where === 'private') return { capacity: rules.privateBurst * half, perMs: (rules.privatePerS / 1000) * half }
  if (where === 'group')
    return { capacity: Math.max(1, rules.groupPerMin * half), perMs: (rules.groupPerMin / 60_000) * half }
  return { capacity: rules.allPerS, perMs: rules.allPerS / 1000 }
}

function refilled(state: PaceState, key: string, capacity: number, perMs: number, now: number): Allowance {
  const { tokens, at } = state.allowances[key] ?? { tokens: 0, at: Math.min(state.since, now) }
  return { tokens: Math.min(Math.max(1, capacity), tokens + Math.max(0, now - at) * perMs), at: now }
}
