/*
 * How fast the bot may call Telegram: below what Telegram allows, so that it rarely refuses. Token
 * buckets as pure functions; times in milliseconds.
 */

export interface RateLimits {
  privatePerS: number
  privateBurst: number
  groupPerMin: number
  allPerS: number
}

export const DEFAULT_RATE_LIMITS: RateLimits = { privatePerS: 1, privateBurst: 3, groupPerMin: 18, allPerS: 25 }

/** Drafts leave no message behind and cost half; edits in groups have a bucket of their own. */
export type CallKind = 'send' | 'edit' | 'draft'

/** Awaited before each call that counts; resolves when the call may be made. */
export type Throttle = (kind: CallKind) => Promise<void>

type Scope = 'private' | 'group' | 'all'

interface Bucket {
  tokens: number
  at: number
}

/** The limits of one chat, or of all chats together. */
export interface RateState {
  /** When counting started. What was sent before is unknown, so every bucket starts empty. */
  since: number
  buckets: Readonly<Record<string, Bucket>>
  /** No call before this time. */
  blockedUntil: number
  /** Half the speed until this time. */
  slowUntil: number
}

export function newRateState(since: number): RateState {
  return { since, buckets: {}, blockedUntil: 0, slowUntil: 0 }
}

const PRIVATE_EDIT_MS = 1100
const GROUP_EDIT_MS = 3200
const SLOWER_PER_1000_CHARACTERS_MS = 500

/**
 * The least time between two edits of a growing message: longer in groups, and for longer texts.
 */
export function editIntervalMs(chat: number, characters: number): number {
  return (chat > 0 ? PRIVATE_EDIT_MS : GROUP_EDIT_MS) + (characters / 1000) * SLOWER_PER_1000_CHARACTERS_MS
}

const SLOW_FOR_MS = 10 * 60_000
/** Tokens are fractions: what is missing by less than this is rounding. */
const EPSILON = 1e-9

/** How long a call has to wait. */
export function waitBefore(
  state: RateState,
  kind: CallKind,
  scope: Scope,
  now: number,
  limits: RateLimits = DEFAULT_RATE_LIMITS,
): number {
  const blocked = Math.max(0, state.blockedUntil - now)
  const { capacity, perMs } = speedOf(state, scope, now, limits)
  const { tokens } = refillBucket(state, bucketOf(kind, scope), capacity, perMs, now)
  const missing = costOf(kind) - tokens
  return Math.max(blocked, missing <= EPSILON ? 0 : Math.ceil(missing / perMs))
}

/** The state after a call. */
export function countCall(
  state: RateState,
  kind: CallKind,
  scope: Scope,
  now: number,
  limits: RateLimits = DEFAULT_RATE_LIMITS,
): RateState {
  const { capacity, perMs } = speedOf(state, scope, now, limits)
  const key = bucketOf(kind, scope)
  const { tokens } = refillBucket(state, key, capacity, perMs, now)
  return { ...state, buckets: { ...state.buckets, [key]: { tokens: tokens - costOf(kind), at: now } } }
}

/** The state after a refusal: no call for `ms`, and slower calls for a while after that. */
export function backOff(state: RateState, ms: number, now: number): RateState {
  return { ...state, blockedUntil: Math.max(state.blockedUntil, now + ms), slowUntil: now + ms + SLOW_FOR_MS }
}

function costOf(kind: CallKind): number {
  return kind === 'draft' ? 0.5 : 1
}

function bucketOf(kind: CallKind, scope: Scope): string {
  return scope === 'group' ? (kind === 'edit' ? 'edits' : 'sends') : 'calls'
}

function speedOf(state: RateState, scope: Scope, now: number, limits: RateLimits) {
  const half = now < state.slowUntil ? 0.5 : 1
  if (scope === 'private') return { capacity: limits.privateBurst * half, perMs: (limits.privatePerS / 1000) * half }
  if (scope === 'group')
    return { capacity: Math.max(1, limits.groupPerMin * half), perMs: (limits.groupPerMin / 60_000) * half }
  return { capacity: limits.allPerS, perMs: limits.allPerS / 1000 }
}

function refillBucket(state: RateState, key: string, capacity: number, perMs: number, now: number): Bucket {
  const { tokens, at } = state.buckets[key] ?? { tokens: 0, at: Math.min(state.since, now) }
  return { tokens: Math.min(Math.max(1, capacity), tokens + Math.max(0, now - at) * perMs), at: now }
}
