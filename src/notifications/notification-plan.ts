/*
 * When one user is notified of a request, and on which channels. A pure function of the situation
 * at one moment: it returns what to send now, and when to check again. The caller sends, and calls
 * again at `nextCheckAt` or when something changes.
 *
 * Two callers: notification-center.ts for panes (the user of this machine), and the bot
 * (telegram/outgoing/presence.ts) for the time of a card. The plan does not choose people: the
 * chats that get a card are `Chats.recipients()` (telegram/chats.ts), all at the same time.
 *
 * The escalation: the user is present → only there for the grace time · not present → the first
 * channel · not seen for `nextMs` → the next channel · not decided for `allMs` → every channel ·
 * `remindMs` → one reminder, then silence. Quiet hours delay everything until they end. The same
 * request again and again is one warning of a loop; a burst of one pane gets three notifications.
 */
import { LOOP_COUNT, LOOP_MS } from '../approvals/index.js'

/**
 * `browser` (a value of `notify.channels`) is all of `NotificationOutlets.send`: desktop,
 * subscribed browsers, webhooks and the command of the user.
 */
export type NotificationChannel = 'telegram' | 'browser' | 'terminal'

export interface NotificationSubject {
  id: string
  requestedAt: number
  /** The pane: of many requests within seconds only the first ones notify. */
  group: string
  fingerprint: string
  /** When the user first saw it. */
  seenAt?: number
}

export interface NotificationRecipient {
  /** In the order of preference. */
  channels: readonly NotificationChannel[]
  /** When the user was last active on each channel. */
  lastActive: Readonly<Partial<Record<NotificationChannel, number>>>
  /** Quiet hours in minutes of the user's day; `from` may be later than `to`. */
  quiet?: { from: number; to: number }
  /** Minutes that the user's clock is ahead of UTC. */
  utcOffset?: number
}

export interface NotificationTimes {
  graceMs: number
  nextMs: number
  allMs: number
  remindMs: number
}

export const DEFAULT_NOTIFICATION_TIMES: NotificationTimes = {
  graceMs: 20_000,
  nextMs: 180_000,
  allMs: 600_000,
  remindMs: 1_800_000,
}

interface NotificationStep {
  channel: NotificationChannel
  what: 'message' | 'reminder' | 'loop'
}

export interface SentMessage extends NotificationStep {
  request: string
}

export interface NotificationSituation {
  now: number
  request: NotificationSubject
  recipient: NotificationRecipient
  sent: readonly SentMessage[]
  /** Other recent requests. */
  recent: readonly Pick<NotificationSubject, 'id' | 'requestedAt' | 'group' | 'fingerprint'>[]
  times: NotificationTimes
}

interface NotificationPlan {
  steps: NotificationStep[]
  nextCheckAt: number | null
}

const PRESENT_MS: Readonly<Record<NotificationChannel, number>> = {
  browser: 60_000,
  terminal: 60_000,
  telegram: 120_000,
}
const BURST_MS = 10_000
const BURST_MAX = 3
const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440

export function planNotifications(situation: NotificationSituation): NotificationPlan {
  const { now, request, recipient, sent, times } = situation
  const first = recipient.channels[0]
  if (first === undefined) return { steps: [], nextCheckAt: null }
  if (isLoop(situation)) {
    const steps: NotificationStep[] = isLoopReported(situation) ? [] : [{ channel: first, what: 'loop' }]
    return { steps, nextCheckAt: null }
  }
  if (isBurst(situation)) return { steps: [], nextCheckAt: null }
  const quietUntil = quietEnd(recipient, now)
  if (quietUntil !== null) return { steps: [], nextCheckAt: quietUntil }
  const isSent = (step: NotificationStep) =>
    sent.some(
      message => message.request === request.id && message.channel === step.channel && message.what === step.what,
    )
  const age = now - request.requestedAt
  const wanted: NotificationStep[] = channelsAt(situation).map(channel => ({ channel, what: 'message' }))
  if (age >= times.remindMs) wanted.push({ channel: first, what: 'reminder' })
  const later = Object.values(times).filter(time => time > age)
  return {
    steps: wanted.filter(step => !isSent(step)),
    nextCheckAt: later.length > 0 ? request.requestedAt + Math.min(...later) : null,
  }
}

/** The channels on which the user should have been notified by now. */
function channelsAt({ now, request, recipient, times }: NotificationSituation): readonly NotificationChannel[] {
  const age = now - request.requestedAt
  if (age >= times.allMs) return recipient.channels
  // Presence counts at the time of the request: a user who comes later does not cancel a message.
  const here = presentAt(recipient, request.requestedAt)
  if (here.length > 0 && (age < times.graceMs || request.seenAt !== undefined)) return here
  const reached = age >= times.nextMs && request.seenAt === undefined ? 2 : 1
  return [...new Set([...here, ...recipient.channels.slice(0, reached)])]
}

function presentAt({ channels, lastActive }: NotificationRecipient, at: number): NotificationChannel[] {
  return channels.filter(channel => {
    const last = lastActive[channel]
    return last !== undefined && at - last <= PRESENT_MS[channel]
  })
}

/** Three requests of the same pane came within the ten seconds before this one. */
function isBurst({ request, recent }: NotificationSituation): boolean {
  const earlier = recent.filter(
    ({ group, requestedAt }) =>
      group === request.group && requestedAt <= request.requestedAt && request.requestedAt - requestedAt <= BURST_MS,
  )
  return earlier.length >= BURST_MAX
}

function isLoop({ request, recent }: NotificationSituation): boolean {
  const same = recent.filter(
    ({ fingerprint, requestedAt }) =>
      fingerprint === request.fingerprint &&
      requestedAt <= request.requestedAt &&
      request.requestedAt - requestedAt <= LOOP_MS,
  )
  return same.length + 1 >= LOOP_COUNT
}

/** One warning for the loop, not one for each repetition. */
function isLoopReported({ request, sent, recent }: NotificationSituation): boolean {
  const same = recent.filter(({ fingerprint }) => fingerprint === request.fingerprint)
  const loop = new Set([request.id, ...same.map(({ id }) => id)])
  return sent.some(message => message.what === 'loop' && loop.has(message.request))
}

/** When the present quiet hours end; null outside them. */
export function quietEnd({ quiet, utcOffset = 0 }: Omit<NotificationRecipient, 'channels' | 'lastActive'>, at: number) {
  if (!quiet || quiet.from === quiet.to) return null
  const { from, to } = quiet
  const minutes = Math.floor(at / MINUTE_MS)
  const minute = (((minutes + utcOffset) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  return isQuiet ? (minutes + ((to - minute + DAY_MINUTES) % DAY_MINUTES)) * MINUTE_MS : null
}
