import type { EventStore, StoredEvent } from '../../store/index.js'

const EVENTS_MAX = 5_000
const BYTES_MAX = 8 * 1024 * 1024
const PAGE = 500

export interface Replay {
  events: StoredEvent[]
  /** False: there is more than may be sent again. */
  isLast: boolean
  /** The position that was looked at last. */
  last: number
}

/** What happened after a position, as far as it is wanted and there is not too much of it. */
export async function replayAfter(
  store: EventStore,
  after: number,
  options: {
    isWanted: (type: string, stream: string, data: Record<string, unknown>) => boolean
    upTo?: number
    most?: number
  },
): Promise<Replay> {
  const { isWanted, upTo = Number.POSITIVE_INFINITY, most = EVENTS_MAX } = options
  const events: StoredEvent[] = []
  let bytes = 0
  let last = after
  while (last < upTo) {
    const page = await store.readAll({ after: last, limit: PAGE })
    for (const event of page) {
      if (event.position > upTo) return { events, isLast: true, last }
      if (isWanted(event.type, event.stream, event.data)) {
        bytes += JSON.stringify(event.data).length
        if (events.length >= most || bytes > BYTES_MAX) return { events, isLast: false, last }
        events.push(event)
      }
      last = event.position
    }
    if (page.length < PAGE) break
  }
  return { events, isLast: true, last }
}
