import type { Clock } from '../clock/index.js'

/** The agent has been silent for too long. */
export class SilenceTimeout extends Error {
  readonly ms: number

  constructor(ms: number) {
    super(`nothing was heard for ${Math.round(ms / 1000)} s`)
    this.name = 'Silence'
    this.ms = ms
  }
}

export interface WatchOptions {
  clock: Clock
  /** How long silence may last at this moment; null for as long as it likes. Asked again whenever it seems to be over. */
  threshold(): number | null
  /** Whether the agent shows life elsewhere, such as a transcript that has grown since it was asked last. */
  isAliveElsewhere?(): Promise<boolean>
}

/**
 * Passes a stream on and throws `Silence` when nothing comes for too long. The time runs only while we wait for the producer: a slow
 * consumer is not the agent's silence.
 */
export async function* withSilenceTimeout<T>(
  source: AsyncIterable<T>,
  options: WatchOptions,
): AsyncGenerator<T, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const item = items.next()
      await speaks(item, options)
      const { done, value } = await item
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a producer that is silent would never answer. Whoever kills it ends it.
    void items.return?.()?.catch(() => undefined)
  }
}

/** Resolves as soon as there is an item. @throws Silence */
async function speaks(item: Promise<unknown>, { clock, threshold, isAliveElsewhere }: WatchOptions): Promise<void> {
  let since = clock.monotonic()
  const start = since
  for (;;) {
    const limit = threshold()
    if (limit === null) since = clock.monotonic()
    const left = limit === null ? LOOK_AGAIN_MS : since + limit - clock.monotonic()
    if (limit !== null && left <= 0) {
      if (!(await isAliveElsewhere?.())) throw new SilenceTimeout(clock.monotonic() - start)
      since = clock.monotonic()
      continue
    }
    if (await isFirst(item, clock, Math.min(left, LOOK_AGAIN_MS))) return
  }
}

/** What silence may mean can change without a byte: an approval is decided, a delay is over. */
const LOOK_AGAIN_MS = 1_000

function isFirst(item: Promise<unknown>, clock: Clock, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = clock.setTimer(ms, () => resolve(false))
    const done = () => {
      timer.cancel()
      resolve(true)
    }
    item.then(done, done)
  })
}
