import type { Clock } from '../clock/index.js'

/** The agent was silent for too long. */
export class SilenceTimeout extends Error {
  readonly ms: number

  constructor(ms: number) {
    super(`no output for ${Math.round(ms / 1000)} s`)
    this.name = 'Silence'
    this.ms = ms
  }
}

export interface WatchOptions {
  clock: Clock
  /** How long the silence may last; null: any length. Asked again when it seems over. */
  threshold(): number | null
  /** Whether the agent is active elsewhere, such as in a transcript that has grown. */
  isAliveElsewhere?(): Promise<boolean>
}

/**
 * Passes a stream on and throws `SilenceTimeout` when no item arrives for too long. The time counts
 * only while we wait for the producer: a slow consumer is not silence of the agent.
 */
export async function* withSilenceTimeout<T>(
  source: AsyncIterable<T>,
  options: WatchOptions,
): AsyncGenerator<T, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const item = items.next()
      await waitForItem(item, options)
      const { done, value } = await item
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a silent producer would never answer. The code that kills it ends it.
    void items.return?.()?.catch(() => undefined)
  }
}

/**
 * Resolves as soon as there is an item.
 * @throws SilenceTimeout
 */
async function waitForItem(
  item: Promise<unknown>,
  { clock, threshold, isAliveElsewhere }: WatchOptions,
): Promise<void> {
  let since = clock.monotonic()
  const start = since
  for (;;) {
    const limit = threshold()
    if (limit === null) since = clock.monotonic()
    const left = limit === null ? RECHECK_MS : since + limit - clock.monotonic()
    if (limit !== null && left <= 0) {
      if (!(await isAliveElsewhere?.())) throw new SilenceTimeout(clock.monotonic() - start)
      since = clock.monotonic()
      continue
    }
    if (await arrivesWithin(item, clock, Math.min(left, RECHECK_MS))) return
  }
}

/** The limit can change without a byte: an approval is decided, a delay is over. */
const RECHECK_MS = 1_000

function arrivesWithin(item: Promise<unknown>, clock: Clock, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = clock.setTimer(ms, () => resolve(false))
    const done = () => {
      timer.cancel()
      resolve(true)
    }
    item.then(done, done)
  })
}
