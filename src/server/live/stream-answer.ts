import type { Timer } from '../../clock/index.js'
import type { Call } from '../route.js'
import type { EventQueue } from './event-queue.js'

/** How long a reader has to read the last frame before its connection is cut. */
const BYE_MS = 5_000

/**
 * A response body that streams `opening`, then the queue. It reads from them only when the reader
 * has consumed the previous chunk.
 */
export function streamOf(
  { parts, closed, hangUp }: Pick<Call, 'parts' | 'closed' | 'hangUp'>,
  queue: EventQueue,
  opening: AsyncIterator<string> | null,
  close: () => void,
): Response {
  const encoder = new TextEncoder()
  let first = opening
  let byeTimer: Timer | null = null
  const finish = () => {
    byeTimer?.cancel()
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
    byeTimer = parts.clock.setTimer(BYE_MS, hangUp)
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}
