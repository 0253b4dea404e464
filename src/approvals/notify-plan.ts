/**
 * Who is notified of a request, where, and when. A pure function of the situation at one moment:
 * it returns what to send now and when to ask again. The caller sends, and calls again at
 * `lookAgainAt` or when something changes.
 *
 * The ladder: somebody is present → only there, nothing elsewhere for the grace time · nobody → everybody's first channel · not seen for
 * `nextMs` → everybody's next channel · not decided for `allMs` → everybody everywhere · `remindMs` → one reminder, then silence. Quiet
 * hours hold everything back into one digest, unless the deadline is near or the run urgent. A message is sent once for each request, person
 * and channel, and edited afterwards.
 */
export type NotifyChannel = 'telegram' | 'browser' | 'terminal'

export interface NotifySubject {
  id: string
  isPending: boolean
  requestedAt: number
  /** Session or run: many requests of one within seconds become one card. */
  group: string
  fingerprint: string
  deadlineAt?: number
  isUrgent?: boolean
  /** When a person first had it on screen. */
  seenAt?: number
}

export interface NotifyPerson {
  id: string
  mayDecide: boolean
  /** In the order in which they want to be reached. */
  channels: readonly NotifyChannel[]
  /** When they were last active there. */
  lastActive: Readonly<Partial<Record<NotifyChannel, number>>>
  /** Quiet hours in minutes of their day; `from` may be later than `to`. */
  quiet?: { from: number; to: number }
  /** Minutes that their clock is ahead of UTC. */
  utcOffset?: number
}

export interface NotifySettings {
  graceMs: number
  nextMs: number
  allMs: number
  remindMs: number
}

export const NOTIFY_DEFAULTS: NotifySettings = { graceMs: 20_000, nextMs: 180_000, allMs: 600_000, remindMs: 1_800_000 }

export interface SentMessage {
  approval: string
  person: string
  channel: NotifyChannel
  what: NotifyStep['what']
}

export interface NotifyStep {
  person: string
  channel: NotifyChannel
  /** `digest` holds all that waited through quiet hours; `count` edits the card of the group; `loop` warns that the agent asks in a loop. */
  what: 'message' | 'reminder' | 'digest' | 'count' | 'loop' | 'edit'
  approval: string
  /** For `count`: how many requests the card stands for. */
  count?: number
}

export interface NotifySituation {
  now: number
  approval: NotifySubject
  people: readonly NotifyPerson[]
  sent: readonly SentMessage[]
  /** Other requests of the ledger that are not long ago, this one left out. */
  recent: readonly Pick<NotifySubject, 'id' | 'requestedAt' | 'group' | 'fingerprint'>[]
  settings: NotifySettings
}

export interface NotifyPlan {
  steps: NotifyStep[]
  lookAgainAt: number | null
}

const PRESENT_MS: Readonly<Record<NotifyChannel, number>> = { browser: 60_000, terminal: 60_000, telegram: 120_000 }
const GROUP_MS = 10_000
const GROUP_MAX = 3
/** The same request so often within so long is a loop. */
export const LOOP_MS = 600_000
export const LOOP_COUNT = 5
const NEAR_DEADLINE_MS = 15 * 60_000
const MINUTE_MS = 60_000
const DAY_MIN = 1_440

export function planNotifications(situation: NotifySituation): NotifyPlan {
  const { approval, sent } = situation
  if (!approval.isPending) return { steps: editSteps(approval.id, sent), lookAgainAt: null }
  const approvers = situation.people.filter(person => person.mayDecide && person.channels.length > 0)
  if (isLoop(situation)) return { steps: loopSteps(situation, approvers), lookAgainAt: null }
  const card = cardOfGroup(situation)
  if (card) return { steps: countSteps(situation, card), lookAgainAt: null }
  const plans = approvers.map(person => planFor(person, approvers, situation))
  const times = plans.flatMap(plan => (plan.lookAgainAt === null ? [] : [plan.lookAgainAt]))
  return { steps: plans.flatMap(plan => plan.steps), lookAgainAt: times.length > 0 ? Math.min(...times) : null }
}

/** Every message about it is brought up to date, once; a reminder is part of the conversation it reminds of. */
function editSteps(approval: string, sent: readonly SentMessage[]): NotifyStep[] {
  const mine = sent.filter(message => message.approval === approval)
  const isEdited = ({ person, channel }: SentMessage) =>
    mine.some(message => message.what === 'edit' && message.person === person && message.channel === channel)
  return mine
    .filter(message => (message.what === 'message' || message.what === 'digest') && !isEdited(message))
    .map(({ person, channel }) => ({ person, channel, what: 'edit', approval }))
}

function planFor(person: NotifyPerson, all: readonly NotifyPerson[], situation: NotifySituation): NotifyPlan {
  const { now, approval, sent, settings } = situation
  const age = now - approval.requestedAt
  const { graceMs, nextMs, allMs, remindMs } = settings
  const quietUntil = quietEnd(person, now)
  const isPassing =
    approval.isUrgent === true || (approval.deadlineAt !== undefined && approval.deadlineAt - now <= NEAR_DEADLINE_MS)
  if (quietUntil !== null && !isPassing) {
    const nearDeadline = approval.deadlineAt === undefined ? quietUntil : approval.deadlineAt - NEAR_DEADLINE_MS
    return { steps: [], lookAgainAt: Math.min(quietUntil, nearDeadline) }
  }
  const has = (channel: NotifyChannel, what: NotifyStep['what'][]) =>
    sent.some(
      message =>
        message.approval === approval.id &&
        message.person === person.id &&
        message.channel === channel &&
        what.includes(message.what),
    )
  const wasHeld = wasQuietAt(person, approval.requestedAt) && !isPassing
  const wanted = channelsAt(person, all, situation)
  const what: NotifyStep['what'] = wasHeld ? 'digest' : 'message'
  const steps: NotifyStep[] = wanted
    .filter(channel => !has(channel, ['message', 'digest']))
    .map(channel => ({ person: person.id, channel, what, approval: approval.id }))
  const first = person.channels[0]!
  if (age >= remindMs && !has(first, ['reminder']))
    steps.push({ person: person.id, channel: first, what: 'reminder', approval: approval.id })
  const marks = [graceMs, nextMs, allMs, remindMs].filter(mark => mark > age)
  return { steps, lookAgainAt: marks.length > 0 ? approval.requestedAt + Math.min(...marks) : null }
}

/** Where this person should have been told by now. */
function channelsAt(
  person: NotifyPerson,
  all: readonly NotifyPerson[],
  { now, approval, settings }: NotifySituation,
): readonly NotifyChannel[] {
  const age = now - approval.requestedAt
  if (age >= settings.allMs) return person.channels
  // Who is present is asked as of the moment of asking: sitting down later does not take a message back.
  const here = presentAt(person, approval.requestedAt)
  const isAnyoneHere = all.some(other => presentAt(other, approval.requestedAt).length > 0)
  if (isAnyoneHere && age < settings.graceMs) return here
  if (isAnyoneHere && approval.seenAt !== undefined) return here
  const reached = age >= settings.nextMs && approval.seenAt === undefined ? 2 : 1
  return [...new Set([...here, ...person.channels.slice(0, reached)])]
}

function presentAt({ channels, lastActive }: NotifyPerson, at: number): NotifyChannel[] {
  return channels.filter(channel => {
    const last = lastActive[channel]
    return last !== undefined && at - last <= PRESENT_MS[channel]
  })
}

/** More than three of one session or run within ten seconds: the first three have messages of their own, the rest is a count on the last. */
function cardOfGroup({ approval, recent }: NotifySituation): { id: string; count: number } | null {
  const burst = recent
    .filter(({ group, requestedAt }) => group === approval.group && requestedAt <= approval.requestedAt)
    .filter(({ requestedAt }) => approval.requestedAt - requestedAt <= GROUP_MS)
    .sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1))
  return burst.length < GROUP_MAX ? null : { id: burst[GROUP_MAX - 1]!.id, count: burst.length - GROUP_MAX + 2 }
}

function countSteps({ sent, approval }: NotifySituation, { id, count }: { id: string; count: number }): NotifyStep[] {
  const isTold = sent.some(message => message.approval === approval.id && message.what === 'count')
  if (isTold) return []
  return sent
    .filter(message => message.approval === id && (message.what === 'message' || message.what === 'digest'))
    .map(({ person, channel }) => ({ person, channel, what: 'count', approval: approval.id, count }))
}

function isLoop({ approval, recent }: NotifySituation): boolean {
  const same = recent.filter(
    ({ fingerprint, requestedAt }) =>
      fingerprint === approval.fingerprint &&
      requestedAt <= approval.requestedAt &&
      approval.requestedAt - requestedAt <= LOOP_MS,
  )
  return same.length + 1 >= LOOP_COUNT
}

/** One warning for the loop, not one for each time round. */
function loopSteps({ approval, sent, recent }: NotifySituation, people: readonly NotifyPerson[]): NotifyStep[] {
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

function minuteOfDay({ utcOffset = 0 }: NotifyPerson, at: number): number {
  const minutes = Math.floor(at / MINUTE_MS) + utcOffset
  return ((minutes % DAY_MIN) + DAY_MIN) % DAY_MIN
}

function wasQuietAt(person: NotifyPerson, at: number): boolean {
  return quietEnd(person, at) !== null
}

/** When the quiet hours that hold now are over, or null. */
function quietEnd(person: NotifyPerson, at: number): number | null {
  if (!person.quiet || person.quiet.from === person.quiet.to) return null
  const { from, to } = person.quiet
  const minute = minuteOfDay(person, at)
  const isQuiet = from < to ? minute >= from && minute < to : minute >= from || minute < to
  if (!isQuiet) return null
  const left = (to - minute + DAY_MIN) % DAY_MIN
  return Math.floor(at / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS
}
