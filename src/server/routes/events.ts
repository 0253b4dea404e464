import { z } from 'zod'
import { newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Hello } from '../api-types.js'
import { cursorOf, positionOf } from '../live/cursor.js'
import { frameOf } from '../live/event-feed.js'
import { isInScope, parseScope, typeFilter } from '../live/event-filter.js'
import { EventQueue } from '../live/event-queue.js'
import type { FedPane } from '../live/pane-feed.js'
import { isReplayable, pageAfter, someAfter } from '../live/replay.js'
import { streamOf } from '../live/stream-answer.js'
import { Watched } from '../live/watched.js'
import { type Call, type Route, route } from '../route.js'
import { listAnswer, okAnswer } from '../schemas/common.js'
import { loggedEvent } from '../schemas/events.js'
import { toJson } from '../wire/index.js'

const HEARTBEAT_MS = 20_000
/** Raised when frames change their meaning; clients of another one reload. */
const SCHEMA = 1

const streamQuery = z.strictObject({
  scope: z.string().max(80).default('all').describe('`all`, `session:<id>` or `run:<id>`'),
  types: z.array(z.string().max(60)).max(50).default([]).describe('only these; `approval.*` is all that begin so'),
  since: z.string().max(40).optional().describe('cursor to resume after, where `Last-Event-ID` is not sent'),
  updates: z
    .enum(['all', 'watched'])
    .default('all')
    .describe('text while it is written: of all sessions, or of those named in `POST /events/:subscription/watch`'),
  records: z
    .enum(['none', 'changed'])
    .default('none')
    .describe(
      '`changed`: sessions and runs as they are after something happened to them (`session.record`, `run.record`)',
    ),
  restMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe('what is no request for a decision is sent together, this often at most; a request is sent at once'),
})

const logQuery = z.strictObject({
  types: z.array(z.string().max(60)).max(50).default([]),
  since: z.string().max(40).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

const watchBody = z.strictObject({
  panes: z.array(z.string().max(64)).max(200).default([]).describe('whose previews are told'),
  sessions: z.array(z.string().max(64)).max(50).default([]).describe('whose text is told while it is written'),
  viewer: z.string().max(64).default('').describe('which of the readers that share the stream says so'),
})

/**
 * Everything that happens, as server-sent events. What is in the log carries an id and can be
 * resumed from; provisional text and panes do not: of those only the newest state matters.
 */
export const eventRoutes: readonly Route[] = [
  route({
    id: 'events.stream',
    method: 'GET',
    path: '/events',
    summary: 'Everything that happens, as it happens; resumable.',
    access: 'viewer',
    query: streamQuery,
    answers: { 200: { description: 'server-sent events', media: 'text/event-stream' } },
    handle: openEvents,
  }),
  route({
    id: 'events.log',
    method: 'GET',
    path: '/events/log',
    summary: 'A page of the log, oldest first.',
    access: 'viewer',
    query: logQuery,
    answers: { 200: listAnswer(loggedEvent) },
    handle: async ({ host, query, json }) => {
      const { store } = host
      const after = query.since === undefined ? 0 : positionOf(query.since, store.id)
      if (after === null)
        throw new SignalboxError('E_INPUT', 'this cursor is of another store', { next: 'begin without one' })
      const { events, isLast, last } = await someAfter(store, after, {
        isWanted: typeFilter(query.types),
        most: query.limit,
      })
      const items = events.map(({ position, type, at, stream, version, data }) => ({
        id: cursorOf(store.id, position),
        type,
        at,
        subject: stream,
        version,
        data,
      }))
      return json({ items, next: isLast ? null : cursorOf(store.id, last), position: cursorOf(store.id, last) })
    },
  }),
  route({
    id: 'events.watch',
    method: 'POST',
    path: '/events/:subscription/watch',
    summary: 'Names the panes and sessions that a reader of this stream looks at.',
    access: 'viewer',
    isWrite: false,
    body: watchBody,
    answers: { 200: okAnswer },
    handle: ({ parts, params, body, who, json }) => {
      const stream = parts.streams.get(params.subscription!)
      // A subscription belongs to whoever opened it.
      if (!stream?.watched || ownerOf(stream.who) !== ownerOf(who))
        throw new SignalboxError('E_UNKNOWN', 'there is no such subscription', { next: 'open GET /events first' })
      const { viewer, ...wish } = body
      stream.watched.set(viewer, wish)
      return json({ ok: true })
    },
  }),
]

/** Somebody has to answer, or somebody has. That a request was looked at can wait. */
function isForDecision(type: string): boolean {
  return type.startsWith('approval.') && type !== 'approval.seen' && type !== 'approval.notified'
}

/** A request that was only looked at does not hide that it was made. */
function noteMissed(
  missed: Map<string, { stream: string; type: string }>,
  event: { stream: string; type: string },
): void {
  const { stream, type } = event
  if (!missed.has(stream) || isForDecision(type)) missed.set(stream, { stream, type })
}

function ownerOf(who: Call['who']): string {
  return who.kind === 'device' ? who.device.id : who.kind
}

async function openEvents(call: Call<z.output<typeof streamQuery>>): Promise<Response> {
  const { parts, host, query, who } = call
  const { store } = host
  const scope = parseScope(query.scope)
  const isType = typeFilter(query.types)
  const isWanted = (type: string, stream: string, data: Record<string, unknown>) =>
    isType(type) && isInScope(scope, stream, data)
  const cursor = call.header('last-event-id') ?? query.since

  const queue = new EventQueue({ clock: parts.clock, ...(query.restMs !== undefined && { ephemeralMs: query.restMs }) })
  const subscription = newId('sub')
  const watched = new Watched()
  const closing: (() => void)[] = []
  let isOver = false
  parts.streams.add(subscription, { kind: 'events', who, watched, end: reason => queue.end(reason) })
  closing.push(() => parts.streams.remove(subscription))

  await parts.events.catchUp()
  const from = parts.events.position
  const since = positionOf(cursor, store.id)
  const isGap =
    cursor !== undefined &&
    (since === null || since > (await store.head()) || !(await isReplayable(store, since, isWanted)))
  const isResumed = cursor !== undefined && !isGap
  /**
   * Null while the reader is still told what it missed: the log keeps for it what comes meanwhile.
   */
  let liveAfter: number | null = isResumed ? null : from
  closing.push(
    parts.events.listen(events => {
      if (liveAfter === null) return
      for (const { position, type, stream, data, frame } of events)
        if (position > liveAfter && isWanted(type, stream, data))
          queue.push(frame, { isUrgent: query.restMs === undefined || isForDecision(type) })
    }),
  )

  /** One for each stream that something was missed of. */
  const missed = new Map<string, { stream: string; type: string }>()
  const goLive = (after: number) => {
    liveAfter = after
    if (scope.kind === 'all') {
      const tell = ({ type, pane, frame }: FedPane) => {
        if (isType(type)) queue.pushEphemeral(`pane/${pane.id}`, frame)
      }
      // Panes are not in the log, so a reader that comes back is told of each as it is now.
      if (isResumed) for (const pane of parts.panes.list()) tell(parts.panes.asIs(pane))
      closing.push(
        parts.panes.listen(tell),
        parts.panes.preview(
          () => watched.panes,
          preview =>
            queue.pushEphemeral(`preview/${preview.pane}`, frameOf('pane.preview', toJson(preview, 'rfc3339'))),
        ),
      )
    }
    if (query.records === 'changed')
      closing.push(
        parts.records.listen(({ type, subject, frame }) => {
          if (isType(type) && isInScope(scope, subject, {})) queue.pushEphemeral(`record/${subject}`, frame)
        }),
      )
    // What happened while nobody was there to listen for it is looked at now.
    parts.records.lookAfter(missed.values())
    missed.clear()
    if (scope.kind !== 'run')
      closing.push(
        parts.updates.listen(({ type, session, frame }) => {
          if ((scope.kind === 'session' && session !== scope.id) || !isType(type)) return
          if (query.updates === 'watched' && !watched.sessions.has(session)) return
          queue.pushEphemeral(`${type}/${session}`, frame())
        }),
      )
  }
  if (!isResumed) goLive(from)

  const hello: Hello = {
    subscription,
    resume: isGap ? 'gap' : 'ok',
    position: cursorOf(store.id, isResumed ? since! : from),
    server: parts.version,
    schema: SCHEMA,
  }
  /**
   * Hello, then what was missed page by page; at the head of the log it goes over to what comes,
   * without a moment between.
   */
  async function* opening(): AsyncGenerator<string, void> {
    yield frameOf('hello', JSON.stringify(hello))
    let at = since ?? from
    while (liveAfter === null && !queue.isEnding && !isOver) {
      const told = parts.events.position
      const page = await pageAfter(store, at, isWanted)
      if (query.records === 'changed') for (const event of page.events) noteMissed(missed, event)
      at = page.isHead ? Math.max(page.last, told) : page.last
      if (page.isHead && at >= parts.events.position && !isOver) goLive(at)
      if (page.events.length > 0) yield page.events.map(event => parts.events.feed(event).frame).join('')
    }
  }
  const { clock } = parts
  let timer = clock.setTimer(HEARTBEAT_MS, beat)
  function beat() {
    queue.pushEphemeral('heartbeat', frameOf('heartbeat', '{}'))
    timer = clock.setTimer(HEARTBEAT_MS, beat)
  }
  closing.push(() => timer.cancel())
  return streamOf(call, queue, opening(), () => {
    isOver = true
    for (const close of closing.splice(0)) close()
  })
}
