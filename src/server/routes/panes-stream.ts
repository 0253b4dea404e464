import { frameOf } from '../live/event-feed.js'
import { EventQueue } from '../live/event-queue.js'
import { streamOf } from '../live/stream-answer.js'
import { type Route, route } from '../route.js'
import { boardOf } from './panes.js'

const HEARTBEAT_MS = 20_000

/**
 * The list of panes and its changes, for `signalbox watch` on the owner's socket. Browsers have
 * `/events`.
 */
export const paneStreamRoutes: readonly Route[] = [
  route({
    id: 'panes.stream',
    method: 'GET',
    path: '/panes/stream',
    summary: 'The panes, then every change and every call to the person.',
    access: 'owner',
    isSocketOnly: true,
    answers: { 200: { description: 'server-sent events', media: 'text/event-stream' } },
    handle: call => {
      const { host, parts } = call
      const board = boardOf(host)
      const queue = new EventQueue()
      const all = frameOf('panes', JSON.stringify({ items: board.list(), at: host.clock.now() }))
      const push = (event: string, value: unknown) => queue.push(frameOf(event, JSON.stringify(value)))
      const unlisten = board.listen(change => push(change.type, { pane: change.pane }))
      const unnotice = host.notices?.listen(notice => push('notice', notice)) ?? (() => undefined)
      let timer = parts.clock.setTimer(HEARTBEAT_MS, beat)
      function beat() {
        push('heartbeat', {})
        timer = parts.clock.setTimer(HEARTBEAT_MS, beat)
      }
      return streamOf(call, queue, once(all), () => {
        timer.cancel()
        unlisten()
        unnotice()
      })
    },
  }),
]

async function* once(text: string): AsyncGenerator<string, void> {
  yield text
}
