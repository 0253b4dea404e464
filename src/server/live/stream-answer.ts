import type { Timer } from '../../clock/index.js'
import type { Call } from '../route.js'
import type { EventQueue } from './event-stream.js'

/** A reader that does not even take the goodbye is cut off after this. */
const FAREWELL_MS = 5_000

/** A body of what comes first, then of the queue: either is asked for more only when the reader has taken what was there. */
export function streamOf(
  { parts, closed, hangUp }: Pick<Call, 'parts' | 'closed' | 'hangUp'>,
  queue: EventQueue,
  opening: AsyncIterator<string> | null,
  close: () => void,
): Response {
  const encoder = new TextEncoder()
  let first = opening
  let farewell: Timer | null = null
  const finish = () => {
    farewell?.cancel()
    first = null
    queue.abort()
    close()
  }
  closed.addEventListener('abort', finish)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const ahead = await first?.next()
        if (ahead?.done) first = null
        const text = ahead && !ahead.done ? ahead.value : await queue.next()
        if (text === null) {
          finish()
          controller.close()
          return
        }
        controller.enqueue(encoder.encode(text))
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  )
  queue.onEnding(() => {
    farewell = parts.clock.setTimer(FAREWELL_MS, hangUp)
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}
