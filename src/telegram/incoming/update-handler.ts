import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { type OpenUpdate, telegramUpdatesProjection } from '../../host/index.js'
import type { Person } from '../../people/index.js'
import type { EventStore } from '../../store/index.js'
import { type Intent, parseUpdate } from './parse-update.js'

export interface IntakeOptions {
  store: EventStore
  clock: Clock
  bot: { id: number; username: string }
  /** Who this account is; null for a stranger. */
  personOf(telegram: number): Person | null
  /** Whether the bot may speak at all in this chat of several people. */
  isEnabled(group: number): Promise<boolean>
  /** Does what was asked. `isAgain`: it was begun before, and nobody knows how far it got. */
  perform(intent: Intent, person: Person, about: { update: number; at: number; isAgain: boolean }): Promise<string>
  /** Somebody who is nobody here; only pairing may listen. */
  stranger(intent: Intent, update: number): Promise<boolean>
  failed(intent: Intent, reference: string): Promise<void>
  onError(error: unknown): void
}

const LONGEST_MS = 30_000

/**
 * Takes updates over, once. An update is written under its own number before Telegram is told that it can forget it; what it asks for is
 * done after that, in order within a chat. So a crash repeats and never loses, and repeating does nothing.
 */
export class Intake {
  readonly #options: IntakeOptions
  readonly #chats = new Map<string, Promise<unknown>>()
  /** What came before the files that came last in a chat: files in a row are taken side by side and told of together. */
  readonly #beforeFiles = new Map<string, Promise<unknown>>()
  #isStopped = false

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** What was taken and not finished when the last process ended. */
  async start(): Promise<void> {
    const open = await this.#options.store.documents<OpenUpdate>(telegramUpdatesProjection.name)
    for (const { state } of open.sort((a, b) => a.state.at - b.state.at || a.state.update - b.state.update))
      this.#enqueue(state.intent as unknown as Intent, state)
  }

  async take(update: Readonly<Record<string, unknown>> & { update_id: number }): Promise<void> {
    const { store, clock, bot } = this.#options
    const intent = parseUpdate(update, bot)
    if (!intent) return
    const taken = newEvent('telegram.update-taken', { update: update.update_id, intent: { ...intent } })
    try {
      await store.append(streamOf(update.update_id), 0, [taken])
    } catch (error) {
      // Known already: it was repeated, by Telegram or by a crash of ours.
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
    // A press is answered at once: it does not wait for words that an agent is slow to take.
    const key = `${intent.chat}${intent.kind === 'press' ? ' press' : ''}`
    const last = this.#chats.get(key) ?? Promise.resolve()
    const isFile = intent.kind === 'file'
    const before = isFile ? (this.#beforeFiles.get(key) ?? last) : last
    const done = before
      .then(() => (this.#isStopped ? undefined : this.#handle(intent, open)))
      .catch(this.#options.onError)
    if (isFile) this.#beforeFiles.set(key, before)
    else this.#beforeFiles.delete(key)
    // What comes after files waits for all of them.
    this.#chats.set(key, isFile ? Promise.all([last, done]) : done)
  }

  async #handle(intent: Intent, { update, at, attempts }: OpenUpdate): Promise<void> {
    const { store } = this.#options
    const person = this.#options.personOf(intent.from.id)
    const why = person ? await this.#whyNot(intent) : 'a stranger'
    if (!person || why !== null) {
      const isPairing = !person && (await this.#options.stranger(intent, update))
      if (isPairing) return this.#end(update, 'done', 'pairing')
      await store.append('telegram/refusals', 'any', [
        newEvent('telegram.refused', { update, from: intent.from.id, chat: intent.chat, reason: why ?? 'a stranger' }),
      ])
      return this.#end(update, 'refused', why ?? 'a stranger')
    }
    await store.append(streamOf(update), 'any', [newEvent('telegram.update-begun', { attempt: attempts + 1 })])
    try {
      const work = this.#options.perform(intent, person, { update, at, isAgain: attempts > 0 })
      await this.#end(update, 'done', await this.#within(work))
    } catch (error) {
      this.#options.onError(error)
      await this.#options.failed(intent, `u${update}`).catch(this.#options.onError)
      await this.#end(update, 'failed', error instanceof Error ? error.message : String(error))
    }
  }

  async #whyNot(intent: Intent): Promise<string | null> {
    if (intent.chatKind === 'private') return null
    if (!(await this.#options.isEnabled(intent.chat))) return 'a group that is not enabled'
    return 'isForUs' in intent && !intent.isForUs ? 'not meant for the bot' : null
  }

  /** A handler that hangs holds up nobody. */
  #within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#options.clock.setTimer(LONGEST_MS, () =>
        reject(new Error(`no end after ${LONGEST_MS / 1000} s`)),
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
