import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { type OpenUpdate, telegramUpdatesProjection } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import type { EventStore } from '../../store/index.js'
import { type Intent, parseUpdate } from './parse-update.js'

interface UpdateHandlerOptions {
  store: EventStore
  clock: Clock
  bot: { id: number; username: string }
  /** The person of this account; null for an unpaired account. */
  personOf(telegram: number): Person | null
  /** Whether the bot is enabled in this group. */
  isEnabled(group: number): Promise<boolean>
  /** Does what was asked. `isRetry`: an earlier process started it. */
  handle(intent: Intent, person: Person, about: { update: number; at: number; isRetry: boolean }): Promise<string>
  /** An account that is not paired; true when it sent the pairing code. */
  onStranger(intent: Intent, update: number): Promise<boolean>
  onFailure(intent: Intent, reference: string): Promise<void>
  onError(error: unknown): void
}

/** The recorded reason for refusing an unpaired account. */
export const UNPAIRED = 'an unpaired account'
const HANDLER_TIMEOUT_MS = 30_000

/**
 * Handles each update once. The handler stores an update under its number before the poller
 * confirms it to Telegram, and acts on it after that, in order within a chat. A crash can therefore
 * repeat an update but never lose one, and a repeated update has no effect.
 */
export class UpdateHandler {
  readonly #options: UpdateHandlerOptions
  readonly #chats = new Map<string, Promise<unknown>>()
  /** The update before the last files of a chat; files are handled in parallel. */
  readonly #beforeFiles = new Map<string, Promise<unknown>>()
  #isStopped = false

  constructor(options: UpdateHandlerOptions) {
    this.#options = options
  }

  /** Resumes the updates that the last process stored and did not finish. */
  async start(): Promise<void> {
    const open = await this.#options.store.documents<OpenUpdate>(telegramUpdatesProjection.name)
    for (const { state } of open.sort((a, b) => a.state.at - b.state.at || a.state.update - b.state.update))
      this.#enqueue(state.intent as unknown as Intent, state)
  }

  async acceptUpdate(update: Readonly<Record<string, unknown>> & { update_id: number }): Promise<void> {
    const { store, clock, bot } = this.#options
    const intent = parseUpdate(update, bot)
    if (!intent) return
    const taken = newEvent('telegram.update-taken', { update: update.update_id, intent: { ...intent } })
    try {
      await store.append(streamOf(update.update_id), 0, [taken])
    } catch (error) {
      // It is stored already: Telegram repeated it, or this process crashed before it confirmed it.
      if (error instanceof SignalboxError && error.code === 'E_VERSION') return
      throw error
    }
    this.#enqueue(intent, {
      update: update.update_id,
      intent: taken.data.intent as OpenUpdate['intent'],
      at: clock.now(),
      attempts: 0,
    })
  }

  async settled(): Promise<void> {
    await Promise.all(this.#chats.values())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.settled()
  }

  #enqueue(intent: Intent, open: OpenUpdate): void {
    // A button press is answered at once: it does not wait for a text that the agent reads slowly.
    const key = `${intent.chat}${intent.kind === 'press' ? ' press' : ''}`
    const last = this.#chats.get(key) ?? Promise.resolve()
    const isFile = intent.kind === 'file'
    const before = isFile ? (this.#beforeFiles.get(key) ?? last) : last
    const done = before
      .then(() => (this.#isStopped ? undefined : this.#handle(intent, open)))
      .catch(this.#options.onError)
    if (isFile) this.#beforeFiles.set(key, before)
    else this.#beforeFiles.delete(key)
    // Updates that follow files wait for all of them.
    this.#chats.set(key, isFile ? Promise.all([last, done]) : done)
  }

  async #handle(intent: Intent, { update, at, attempts }: OpenUpdate): Promise<void> {
    const { store } = this.#options
    const person = this.#options.personOf(intent.from.id)
    const why = person ? await this.#whyNot(intent) : UNPAIRED
    if (!person || why !== null) {
      const isPairing = !person && (await this.#options.onStranger(intent, update))
      if (isPairing) return this.#end(update, 'done', 'pairing')
      await store.append('telegram/refusals', 'any', [
        newEvent('telegram.refused', { update, from: intent.from.id, chat: intent.chat, reason: why ?? UNPAIRED }),
      ])
      return this.#end(update, 'refused', why ?? UNPAIRED)
    }
    await store.append(streamOf(update), 'any', [newEvent('telegram.update-started', { attempt: attempts + 1 })])
    try {
      const work = this.#options.handle(intent, person, { update, at, isRetry: attempts > 0 })
      await this.#end(update, 'done', await this.#withTimeout(work))
    } catch (error) {
      this.#options.onError(error)
      await this.#options.onFailure(intent, `u${update}`).catch(this.#options.onError)
      await this.#end(update, 'failed', error instanceof Error ? error.message : String(error))
    }
  }

  async #whyNot(intent: Intent): Promise<string | null> {
    if (intent.chatKind === 'private') return null
    if (!(await this.#options.isEnabled(intent.chat))) return 'a group that is not enabled'
    return 'isForUs' in intent && !intent.isForUs ? 'not meant for the bot' : null
  }

  /** A handler that hangs does not block the chat. */
  #withTimeout<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimer(HANDLER_TIMEOUT_MS, () =>
        reject(new Error(`the handler did not finish within ${HANDLER_TIMEOUT_MS / 1000} s`)),
      )
      work.then(resolve, reject).finally(() => timer.cancel())
    })
  }

  async #end(update: number, result: 'done' | 'refused' | 'failed', reason: string): Promise<void> {
    await this.#options.store.append(streamOf(update), 'any', [newEvent('telegram.update-done', { result, reason })])
  }
}

function streamOf(update: number): string {
  return `telegram/update/${update}`
}
