import type { PaneStreamEvent } from '../api-types.js'
import { EventQueue, serverSentEvent, streamOf } from '../live/event-stream.js'
import { type Route, route } from '../route.js'
import type { Sendable } from '../wire/index.js'
import { panesOf } from './panes.js'

const HEARTBEAT_MS = 20_000

/** The panes and their changes, for `signalbox watch`. Browsers have `/events`. */
export const paneStreamRoutes: readonly Route[] = [
  route({
    id: 'panes.stream',
    method: 'GET',
    path: '/panes/stream',
    summary: 'The panes, then every change and every notification.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: { description: 'server-sent events', media: 'text/event-stream' } },
    handle: call => {
      const { host, parts } = call
      const panes = panesOf(host)
      const queue = new EventQueue()
      const textOf = ({ event, data }: Sendable<PaneStreamEvent>) => serverSentEvent(event, JSON.stringify(data))
      const all = textOf({ event: 'panes', data: { items: panes.list(), at: host.clock.now() } })
      const push = (event: Sendable<PaneStreamEvent>) => queue.push(textOf(event))
      const unlisten = panes.listen(({ type, pane }) => push({ event: type, data: { pane } }))
      const unnotice = host.notifications?.listen(data => push({ event: 'notice', data })) ?? (() => undefined)
      let timer = parts.clock.setTimer(HEARTBEAT_MS, beat)
      function beat() {
        push({ event: 'heartbeat', data: {} })
        timer = parts.clock.setTimer(HEARTBEAT_MS, beat)
      }
      return streamOf(call, queue, singleChunk(all), () => {
        timer.cancel()
        unlisten()
        unnotice()
      })
    },
  }),
]

async function* singleChunk(text: string): AsyncGenerator<string, void> {
  yield text
}
