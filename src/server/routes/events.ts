import { Hono } from 'hono'
import { streamSSE } from 'hono/streaming'
import { newId } from '../../clock/index.js'
import type { Host } from '../../host/index.js'

const HEARTBEAT_MS = 20_000
const REPLAY_MAX = 5_000

/**
 * Everything that happens, as server-sent events. What is in the log carries an id and can be resumed from; provisional text does not:
 * of that only the newest state matters.
 */
export function eventRoutes(host: Host): Hono {
  const app = new Hono()

  app.get('/events', context =>
    streamSSE(context, async stream => {
      const scope = context.req.query('scope') ?? 'all'
      const cursor = context.req.header('last-event-id') ?? context.req.query('since')
      const head = await host.store.head()
      const since = positionOf(cursor, host.store.id)
      const isGap = cursor !== undefined && (since === null || since > head || head - since > REPLAY_MAX)
      const after = isGap || since === null ? head : since
      const session = scope.startsWith('session:') ? scope.slice('session:'.length) : null

      await stream.writeSSE({
        event: 'hello',
        data: JSON.stringify({ subscription: newId('sub'), resume: isGap ? 'gap' : 'ok', position: after }),
      })
      const queue: { event: string; data: string; id?: string }[] = []
      let wake: () => void = () => undefined
      const push = (message: { event: string; data: string; id?: string }) => {
        queue.push(message)
        wake()
      }
      const subscription = host.store.subscribe({ after }, events => {
        for (const event of events) {
          if (session && event.stream !== `session/${session}` && !isAboutSession(event.data, session)) continue
          const { type, at, stream: subject, version, data } = event
          push({
            event: type,
            id: `${host.store.id}:${event.position}`,
            data: JSON.stringify({ type, at, subject, version, data }),
          })
        }
      })
      const unlisten = host.bus.listen(update => {
        if (session && update.session !== session) return
        push({ event: update.type, data: JSON.stringify(update) })
      })
      const heartbeat = () => push({ event: 'heartbeat', data: '{}' })
      let timer = host.clock.setTimer(HEARTBEAT_MS, beat)
      function beat() {
        heartbeat()
        timer = host.clock.setTimer(HEARTBEAT_MS, beat)
      }
      stream.onAbort(() => wake())
      while (!stream.aborted && !stream.closed) {
        const message = queue.shift()
        if (message) await stream.writeSSE(message)
        else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
      timer.cancel()
      unlisten()
      subscription.close()
    }),
  )

  return app
}

/** `store:position` → position; null for a cursor of another store or none at all. */
function positionOf(cursor: string | undefined, store: string): number | null {
  if (cursor === undefined) return null
  const [name, position] = cursor.includes(':') ? cursor.split(':') : [store, cursor]
  return name === store && /^\d+$/.test(position ?? '') ? Number(position) : null
}

function isAboutSession(data: Record<string, unknown>, session: string): boolean {
  const subject = data.subject as { session?: string } | undefined
  return data.session === session || subject?.session === session
}
