import { z } from 'zod'
import { newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Hello } from '../api-types.js'
import { cursorOf, EventQueue, positionOf, serverSentEvent, streamOf } from '../live/event-stream.js'
import type { SerializedPaneChange } from '../live/pane-feed.js'
import { eventsAfter, isInScope, isReplayable, pageAfter, parseScope, typeFilter } from '../live/replay.js'
import { Watched } from '../live/streams.js'
import { type Call, type Route, route } from '../route.js'
import { listAnswer, okAnswer } from '../schemas/common.js'
import { loggedEvent } from '../schemas/events.js'
import { toJson } from '../wire/index.js'

const HEARTBEAT_MS = 20_000
/** Increased when the meaning of events changes; clients with another number reload. */
const SCHEMA = 1

const streamQuery = z.strictObject({
  scope: z.string().max(80).default('all').describe('`all`, `session:<id>` or `run:<id>`'),
  types: z
    .array(z.string().max(60))
    .max(50)
    .default([])
    .describe('only these types; `approval.*` matches all with this prefix'),
  since: z.string().max(40).optional().describe('cursor to resume after, if there is no `Last-Event-ID` header'),
  updates: z
    .enum(['all', 'watched'])
    .default('all')
    .describe('provisional text: of all sessions, or of those named in `POST /events/:subscription/watch`'),
  records: z
    .enum(['none', 'changed'])
    .default('none')
    .describe('`changed`: the records of sessions and runs after each change (`session.record`, `run.record`)'),
  intervalMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000)
    .optional()
    .describe('minimum time between two batches of updates, in ms; requests for a decision are sent at once'),
})

const logQuery = z.strictObject({
  types: z.array(z.string().max(60)).max(50).default([]),
  since: z.string().max(40).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})

const watchBody = z.strictObject({
  panes: z.array(z.string().max(64)).max(200).default([]).describe('panes whose previews are sent'),
  sessions: z.array(z.string().max(64)).max(50).default([]).describe('sessions whose provisional text is sent'),
  viewer: z.string().max(64).default('').describe('the tab or program, if several share the stream'),
})

/**
 * All events as server-sent events. Events of the log have an id to resume from; ephemeral updates
 * (provisional text, panes) do not, because only their newest state matters.
 */
export const eventRoutes: readonly Route[] = [
  route({
    id: 'events.stream',
    method: 'GET',
    path: '/events',
    summary: 'A live stream of all events; resumable.',
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
        throw new SignalboxError('E_INPUT', 'the cursor belongs to another store', { next: 'start without a cursor' })
      const { events, isLast, last } = await eventsAfter(store, after, {
        isWanted: typeFilter(query.types),
        limit: query.limit,
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
    summary: 'Sets the panes and sessions that a subscriber of this stream watches.',
    access: 'viewer',
    isWrite: false,
    body: watchBody,
    answers: { 200: okAnswer },
    handle: ({ parts, params, body, who, json }) => {
      const stream = parts.streams.get(params.subscription!)
      // Only the credential that opened a subscription may change it.
      if (!stream?.watched || ownerOf(stream.who) !== ownerOf(who))
        throw new SignalboxError('E_UNKNOWN', `unknown subscription "${params.subscription}"`, {
          next: 'open GET /events first',
        })
      const { viewer, ...items } = body
      stream.watched.set(viewer, items)
      return json({ ok: true })
    },
  }),
]

/** A request or a decision. That a person saw a request is not urgent. */
function isForDecision(type: string): boolean {
  return type.startsWith('approval.') && type !== 'approval.seen'
}

/** An event that a person saw a request must not replace the request itself. */
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

  const queue = new EventQueue({
    clock: parts.clock,
    ...(query.intervalMs !== undefined && { ephemeralMs: query.intervalMs }),
  })
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
   * Null while the subscriber still gets the events that it missed; newer ones are read from the
   * log.
   */
  let liveAfter: number | null = isResumed ? null : from
  closing.push(
    parts.events.listen(events => {
      if (liveAfter === null) return
      for (const { position, type, stream, data, text } of events)
        if (position > liveAfter && isWanted(type, stream, data))
          queue.push(text, { isUrgent: query.intervalMs === undefined || isForDecision(type) })
    }),
  )

  /** One for each stream that something was missed of. */
  const missed = new Map<string, { stream: string; type: string }>()
  const goLive = (after: number) => {
    liveAfter = after
    if (scope.kind === 'all') {
      const pushPane = ({ type, pane, text }: SerializedPaneChange) => {
        if (isType(type)) queue.pushEphemeral(`pane/${pane.id}`, text)
      }
      // Panes are not in the log, so a subscriber that resumes gets the current state of each.
      if (isResumed) for (const pane of parts.panes.list()) pushPane(parts.panes.asIs(pane))
      closing.push(
        parts.panes.listen(pushPane),
        parts.panes.preview(
          () => watched.panes,
          preview =>
            queue.pushEphemeral(`preview/${preview.pane}`, serverSentEvent('pane.preview', toJson(preview, 'rfc3339'))),
        ),
      )
    }
    if (query.records === 'changed')
      closing.push(
        parts.records.listen(({ type, subject, text }) => {
          if (isType(type) && isInScope(scope, subject, {})) queue.pushEphemeral(`record/${subject}`, text)
        }),
      )
    // Sends the records that changed while the client had no stream.
    parts.records.readChanged(missed.values())
    missed.clear()
    if (scope.kind !== 'run')
      closing.push(
        parts.updates.listen(({ type, session, text }) => {
          if ((scope.kind === 'session' && session !== scope.id) || !isType(type)) return
          if (query.updates === 'watched' && !watched.sessions.has(session)) return
          queue.pushEphemeral(`${type}/${session}`, text())
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
  /** Hello, then the missed events page by page, then live events without a gap. */
  async function* opening(): AsyncGenerator<string, void> {
    yield serverSentEvent('hello', JSON.stringify(hello))
    let at = since ?? from
    while (liveAfter === null && !queue.isEnding && !isOver) {
      const sentTo = parts.events.position
      const page = await pageAfter(store, at, isWanted)
      if (query.records === 'changed') for (const event of page.events) noteMissed(missed, event)
      at = page.isHead ? Math.max(page.last, sentTo) : page.last
      if (page.isHead && at >= parts.events.position && !isOver) goLive(at)
      if (page.events.length > 0) yield page.events.map(event => parts.events.serialize(event).text).join('')
    }
  }
  const { clock } = parts
  let timer = clock.setTimer(HEARTBEAT_MS, beat)
  function beat() {
    queue.pushEphemeral('heartbeat', serverSentEvent('heartbeat', '{}'))
    timer = clock.setTimer(HEARTBEAT_MS, beat)
  }
  closing.push(() => timer.cancel())
  return streamOf(call, queue, opening(), () => {
    isOver = true
    for (const close of closing.splice(0)) close()
  })
}
