import type { EventStore, StoredEvent } from '../../store/index.js'

/**
 * How much of the log is replayed to a reader that reconnects. Beyond these limits loading
 * everything again is cheaper. The log is read page by page as the reader consumes it, so they
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

/** The next page of the log, filtered. */
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
export async function someAfter(
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
