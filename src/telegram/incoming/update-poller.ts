import type { Clock } from '../../clock/index.js'
import { ApiProblem, type BotApi } from '../bot-api.js'

interface UpdatePollerOptions {
  api: BotApi
  clock: Clock
  /** Stores one update; once it resolves, the update is confirmed to Telegram. */
  acceptUpdate(update: Readonly<Record<string, unknown>> & { update_id: number }): Promise<void>
  onHealth(state: 'connected' | 'not-receiving' | 'unauthorized', reason: string): void
  onError(error: unknown): void
}

const POLL_S = 50
/** Another poller may hold the connection for 50 s; the last wait repeats. */
const CONFLICT_WAITS_S = [3, 6, 12, 24, 50, 60]
const UNAUTHORIZED_MS = 600_000
const RETRY_MAX_MS = 60_000

/**
 * One long poll at a time: delivers updates in order, and confirms each only after it was stored.
 */
export class UpdatePoller {
  readonly #options: UpdatePollerOptions
  readonly #stopped = new AbortController()
  #running: Promise<void> | null = null

  constructor(options: UpdatePollerOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { api, onHealth, onError } = this.#options
    let offset = 0
    let conflicts = 0
    let failures = 0
    while (!this.#stopped.signal.aborted) {
      try {
        const updates = await api.call<({ update_id: number } & Record<string, unknown>)[]>(
          'getUpdates',
          {
            ...(offset > 0 && { offset }),
            timeout: POLL_S,
            limit: 100,
            allowed_updates: ['message', 'edited_message', 'callback_query', 'my_chat_member'],
          },
          this.#stopped.signal,
        )
        if (conflicts + failures > 0) onHealth('connected', 'receiving updates again')
        conflicts = 0
        failures = 0
        // All updates are confirmed. Telegram may restart their numbers after a quiet week; with an
        // old offset no new update would arrive.
        if (updates.length === 0) offset = 0
        for (const update of updates) {
          await this.#options.acceptUpdate(update)
          offset = update.update_id + 1
        }
      } catch (error) {
        if (this.#stopped.signal.aborted) return
        if (!(error instanceof ApiProblem)) {
          onError(error)
          await this.#wait(1000)
        } else if (error.code === 409) {
          const seconds = CONFLICT_WAITS_S[Math.min(conflicts, CONFLICT_WAITS_S.length - 1)]!
          conflicts += 1
          onHealth(
            'not-receiving',
            /webhook/.test(error.message)
              ? 'a webhook is set for this bot'
              : 'another program polls the updates of this bot',
          )
          await this.#wait(seconds * 1000)
        } else if (error.code === 401) {
          onHealth('unauthorized', 'the bot token is no longer valid')
          await this.#wait(UNAUTHORIZED_MS)
        } else {
          failures += 1
          if (failures === 3)
            onHealth('not-receiving', error.code === 0 ? `Telegram cannot be reached: ${error.message}` : error.message)
          await this.#wait(error.retryAfterMs ?? Math.min(1000 * 2 ** (failures - 1), RETRY_MAX_MS))
        }
      }
    }
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#stopped
    await new Promise<void>(resolve => {
      const timer = this.#options.clock.setTimer(ms, done)
      signal.addEventListener('abort', done, { once: true })
      function done() {
        timer.cancel()
        signal.removeEventListener('abort', done)
        resolve()
      }
    })
  }
}
