import { SignalboxError } from '../../errors/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'

/**
 * How much of the log is replayed to a subscriber that reconnects. Beyond these limits loading
 * everything again is cheaper. The log is read page by page as the subscriber consumes it, so they
 * limit time, not memory.
 */
export const REPLAY_EVENTS_MAX = 12_000
export const REPLAY_BYTES_MAX = 16 * 1024 * 1024
const PAGE = 250

type IsWanted = (type: string, stream: string, data: Record<string, unknown>) => boolean

export interface LogPage {
  events: StoredEvent[]
  /** The last position that was read. */
  last: number
  /** The page reached the end of the log. */
  isHead: boolean
}

export async function pageAfter(store: EventStore, after: number, isWanted: IsWanted): Promise<LogPage> {
  const page = await store.readAll({ after, limit: PAGE })
  return {
    events: page.filter(({ type, stream, data }) => isWanted(type, stream, data)),
    last: page.at(-1)?.position ?? after,
    isHead: page.length < PAGE,
  }
}

/**
 * Whether the wanted events after a position are within the limits of a replay. Keeps none of them.
 */
export async function isReplayable(store: EventStore, after: number, isWanted: IsWanted): Promise<boolean> {
  let count = 0
  let bytes = 0
  for (let at = after; ; ) {
    const { events, last, isHead } = await pageAfter(store, at, isWanted)
    count += events.length
    for (const { data } of events) bytes += JSON.stringify(data).length
    if (count > REPLAY_EVENTS_MAX || bytes > REPLAY_BYTES_MAX) return false
    if (isHead) return true
    at = last
  }
}

/** At most `limit` events after a position. */
export async function eventsAfter(
  store: EventStore,
  after: number,
  { isWanted, limit }: { isWanted: IsWanted; limit: number },
): Promise<{ events: StoredEvent[]; isLast: boolean; last: number }> {
  const events: StoredEvent[] = []
  let last = after
  for (;;) {
    const page = await pageAfter(store, last, isWanted)
    const room = limit - events.length
    if (page.events.length > room) {
      events.push(...page.events.slice(0, room))
      return { events, isLast: false, last: events.at(-1)?.position ?? last }
    }
    events.push(...page.events)
    last = page.last
    if (page.isHead) return { events, isLast: true, last }
  }
}

/** The subject of a stream: everything, one session, or one run. */
export interface EventScope {
  kind: 'all' | 'session' | 'run'
  id: string
}

/** @throws SignalboxError `E_INPUT` */
export function parseScope(text: string): EventScope {
  if (text === 'all') return { kind: 'all', id: '' }
  const match = /^(session|run):([\w-]{1,64})$/.exec(text)
  if (match) return { kind: match[1] as 'session' | 'run', id: match[2]! }
  throw new SignalboxError('E_INPUT', `unknown scope "${text.slice(0, 80)}"`, {
    next: 'use all, session:<id> or run:<id>',
  })
}

/** Whether an event belongs to a scope: by its stream, or by the id that it names. */
export function isInScope(scope: EventScope, stream: string, data: Record<string, unknown>): boolean {
  if (scope.kind === 'all' || stream === `${scope.kind}/${scope.id}`) return true
  const subject = data.subject as Record<string, unknown> | undefined
  return data[scope.kind] === scope.id || subject?.[scope.kind] === scope.id
}

/** Matches types such as `message.final` or `approval.*`; an empty list matches all. */
export function typeFilter(types: readonly string[]): (type: string) => boolean {
  if (types.length === 0) return () => true
  const exact = new Set(types.filter(type => !type.endsWith('*')))
  const prefixes = types.filter(type => type.endsWith('*')).map(type => type.slice(0, -1))
  return type => exact.has(type) || prefixes.some(prefix => type.startsWith(prefix))
}
