/*
 * Who is notified of a request, where, and when. A pure function of the situation at one moment: it
 * says what to send now, and when to check again. The caller sends, and calls again at
 * `nextCheckAt` or when something changes.
 *
 * The escalation: a person is present → only there, nothing elsewhere for the grace time · no one
 * is present → the first channel of each person · not seen for `nextMs` → the next channel of each
 * · not decided for `allMs` → every channel of every person · `remindMs` → one reminder, then
 * silence. Quiet hours hold everything back into one digest, unless the deadline is near or the run
 * is urgent. Each request, person and channel gets one message, which is edited afterwards.
 */
import { LOOP_COUNT, LOOP_MS } from '../approvals/index.js'

export type NotificationChannel = 'telegram' | 'browser' | 'terminal'

export interface NotificationSubject {
  id: string
  isPending: boolean
  requestedAt: number
  /** The session or run: many of its requests within seconds become one card. */
  group: string
  fingerprint: string
  deadlineAt?: number
  isUrgent?: boolean
  /** When a person first saw it. */
  seenAt?: number
}

export interface NotificationRecipient {
  id: string
  mayDecide: boolean
  /** In the order of preference. */
  channels: readonly NotificationChannel[]
  /** When they were last active on each channel. */
  lastActive: Readonly<Partial<Record<NotificationChannel, number>>>
  /** Quiet hours in minutes of their day; `from` may be later than `to`. */
  quiet?: { from: number; to: number }
  /** Minutes that their clock is ahead of UTC. */
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

export interface SentMessage {
  approval: string
  person: string
  channel: NotificationChannel
  what: NotificationStep['what']
}

interface NotificationStep {
  person: string
  channel: NotificationChannel
  /** `digest`: held by quiet hours; `count`: edits the group's card; `loop`: warns. */
  what: 'message' | 'reminder' | 'digest' | 'count' | 'loop' | 'edit'
  approval: string
  /** For `count`: the number of requests that the card represents. */
  count?: number
}

export interface NotificationSituation {
  now: number
  approval: NotificationSubject
  people: readonly NotificationRecipient[]
  sent: readonly SentMessage[]
  /** Other recent requests of the ledger. */
  recent: readonly Pick<NotificationSubject, 'id' | 'requestedAt' | 'group' | 'fingerprint'>[]
  settings: NotificationTimes
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
const GROUP_MS = 10_000
const GROUP_MAX = 3
const NEAR_DEADLINE_MS = 15 * 60_000
const MINUTE_MS = 60_000
const DAY_MIN = 1_440

export function planNotifications(situation: NotificationSituation): NotificationPlan {
  const { approval, sent } = situation
  if (!approval.isPending) return { steps: editSteps(approval.id, sent), nextCheckAt: null }
  const approvers = situation.people.filter(person => person.mayDecide && person.channels.length > 0)
  if (isLoop(situation)) return { steps: loopSteps(situation, approvers), nextCheckAt: null }
  const card = cardOfGroup(situation)
  if (card) return { steps: countSteps(situation, card), nextCheckAt: null }
  const plans = approvers.map(person => planFor(person, approvers, situation))
  const times = plans.flatMap(plan => (plan.nextCheckAt === null ? [] : [plan.nextCheckAt]))
  return { steps: plans.flatMap(plan => plan.steps), nextCheckAt: times.length > 0 ? Math.min(...times) : null }
}

/** Edits every message about the request once; reminders are not edited. */
function editSteps(approval: string, sent: readonly SentMessage[]): NotificationStep[] {
  const mine = sent.filter(message => message.approval === approval)
  const isEdited = ({ person, channel }: SentMessage) =>
    mine.some(message => message.what === 'edit' && message.person === person && message.channel === channel)
  return mine
    .filter(message => (message.what === 'message' || message.what === 'digest') && !isEdited(message))
    .map(({ person, channel }) => ({ person, channel, what: 'edit', approval }))
}

function planFor(
  person: NotificationRecipient,
  all: readonly NotificationRecipient[],
  situation: NotificationSituation,
): NotificationPlan {
  const { now, approval, sent, settings } = situation
  const age = now - approval.requestedAt
  const { graceMs, nextMs, allMs, remindMs } = settings
  const quietUntil = quietEnd(person, now)
  const isUrgent =
    approval.isUrgent === true || (approval.deadlineAt !== undefined && approval.deadlineAt - now <= NEAR_DEADLINE_MS)
  if (quietUntil !== null && !isUrgent) {
    const nearDeadline = approval.deadlineAt === undefined ? quietUntil : approval.deadlineAt - NEAR_DEADLINE_MS
    return { steps: [], nextCheckAt: Math.min(quietUntil, nearDeadline) }
  }
  const has = (channel: NotificationChannel, what: NotificationStep['what'][]) =>
    sent.some(
      message =>
        message.approval === approval.id &&
        message.person === person.id &&
        message.channel === channel &&
        what.includes(message.what),
    )
  const wasHeld = wasQuietAt(person, approval.requestedAt) && !isUrgent
  const wanted = channelsAt(person, all, situation)
  const what: NotificationStep['what'] = wasHeld ? 'digest' : 'message'
  const steps: NotificationStep[] = wanted
    .filter(channel => !has(channel, ['message', 'digest']))
    .map(channel => ({ person: person.id, channel, what, approval: approval.id }))
  const first = person.channels[0]!
  if (age >= remindMs && !has(first, ['reminder']))
    steps.push({ person: person.id, channel: first, what: 'reminder', approval: approval.id })
  const marks = [graceMs, nextMs, allMs, remindMs].filter(mark => mark > age)
  return { steps, nextCheckAt: marks.length > 0 ? approval.requestedAt + Math.min(...marks) : null }
}

/** The channels on which this person should have been notified by now. */
function channelsAt(
  person: NotificationRecipient,
  all: readonly NotificationRecipient[],
  { now, approval, settings }: NotificationSituation,
): readonly NotificationChannel[] {
  const age = now - approval.requestedAt
  if (age >= settings.allMs) return person.channels
  // Presence counts at the time of the request: a person who comes later does not cancel a message.
  const here = presentAt(person, approval.requestedAt)
  const isAnyoneHere = all.some(other => presentAt(other, approval.requestedAt).length > 0)
  if (isAnyoneHere && age < settings.graceMs) return here
  if (isAnyoneHere && approval.seenAt !== undefined) return here
  const reached = age >= settings.nextMs && approval.seenAt === undefined ? 2 : 1
  return [...new Set([...here, ...person.channels.slice(0, reached)])]
}

function presentAt({ channels, lastActive }: NotificationRecipient, at: number): NotificationChannel[] {
  return channels.filter(channel => {
    const last = lastActive[channel]
    return last !== undefined && at - last <= PRESENT_MS[channel]
  })
}

/**
 * More than three requests of a session or run within ten seconds: the first three have messages of
 * their own, the others are counted on the third.
 */
function cardOfGroup({ approval, recent }: NotificationSituation): { id: string; count: number } | null {
  const burst = recent
    .filter(({ group, requestedAt }) => group === approval.group && requestedAt <= approval.requestedAt)
    .filter(({ requestedAt }) => approval.requestedAt - requestedAt <= GROUP_MS)
    .sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1))
  return burst.length < GROUP_MAX ? null : { id: burst[GROUP_MAX - 1]!.id, count: burst.length - GROUP_MAX + 2 }
}

function countSteps(
  { sent, approval }: NotificationSituation,
  { id, count }: { id: string; count: number },
): NotificationStep[] {
  const isCounted = sent.some(message => message.approval === approval.id && message.what === 'count')
  if (isCounted) return []
  return sent
    .filter(message => message.approval === id && (message.what === 'message' || message.what === 'digest'))
    .map(({ person, channel }) => ({ person, channel, what: 'count', approval: approval.id, count }))
}

function isLoop({ approval, recent }: NotificationSituation): boolean {
  const same = recent.filter(
    ({ fingerprint, requestedAt }) =>
      fingerprint === approval.fingerprint &&
      requestedAt <= approval.requestedAt &&
      approval.requestedAt - requestedAt <= LOOP_MS,
  )
  return same.length + 1 >= LOOP_COUNT
}

/** One warning for the loop, not one for each repetition. */
function loopSteps(
  { approval, sent, recent }: NotificationSituation,
  people: readonly NotificationRecipient[],
): NotificationStep[] {
  const round = new Set([
    approval.id,
    ...recent.filter(other => other.fingerprint === approval.fingerprint).map(({ id }) => id),
  ])
  return people
    .filter(
      person =>
        !sent.some(message => message.person === person.id && message.what === 'loop' && round.has(message.approval)),
    )
    .map(person => ({ person: person.id, channel: person.channels[0]!, what: 'loop', approval: approval.id }))
}

function minuteOfDay({ utcOffset = 0 }: NotificationRecipient, at: number): number {
  const minutes = Math.floor(at / MINUTE_MS) + utcOffset
  return ((minutes % DAY_MIN) + DAY_MIN) % DAY_MIN
}

function wasQuietAt(person: NotificationRecipient, at: number): boolean {
  return quietEnd(person, at) !== null
}

/** When the present quiet hours end; null outside them. */
function quietEnd(person: NotificationRecipient, at: number): number | null {
  if (!person.quiet || person.quiet.from === person.quiet.to) return null
  const { from, to } = person.quiet
  const minute = minuteOfDay(person, at)
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isQuiet) return null
  const left = (to - minute + DAY_MIN) % DAY_MIN
  return Math.floor(at / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS
}
