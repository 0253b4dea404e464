import type { Clock, Timer } from '../../clock/index.js'
import { getRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { RunProgress } from '../views/run-progress.js'
import { runView } from '../views/run-view.js'
import { sessionView } from '../views/session-view.js'
import type { CleanText } from '../wire/clean-text.js'
import { type EventFeed, type FedEvent, frameOf } from './event-feed.js'

/** Events come in groups, and what they announce settles a moment after them. One look then serves the whole group. */
const SETTLE_MS = 120
/** However much happens, this much time lies between two looks. */
const PAUSE_MS = 400

export interface FedRecord {
  type: 'session.record' | 'run.record'
  subject: string
  /** Written as text once, however many listen. */
  frame: string
}

export interface RecordFeedOptions {
  host: Host
  progress: RunProgress
  events: EventFeed
  text: CleanText
  onError(error: unknown): void
}

/**
 * Sessions and runs as they are after something happened to them, looked at once for all readers. A browser that had to ask for itself
 * would cost a signed request for every event, and twenty browsers twenty of them in the same moment: that in which a request for
 * somebody's decision should be drawn.
 */
export class RecordFeed {
  readonly #host: Host
  readonly #progress: RunProgress
  readonly #events: EventFeed
  readonly #text: CleanText
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<(record: FedRecord) => void>()
  #dirty = new Set<string>()
  #timer: Timer | null = null
  #isLooking = false
  #unlisten: (() => void) | null = null

  constructor({ host, progress, events, text, onError }: RecordFeedOptions) {
    this.#host = host
    this.#progress = progress
    this.#events = events
    this.#text = text
    this.#clock = host.clock
    this.#onError = onError
  }

  /** Costs nothing while nobody does. */
  listen(listener: (record: FedRecord) => void): () => void {
    this.#listeners.add(listener)
    this.#unlisten ??= this.#events.listen(events => this.#mark(events))
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#unlisten?.()
    this.#unlisten = null
    this.#timer?.cancel()
    this.#timer = null
    this.#dirty.clear()
  }

  #mark(events: readonly FedEvent[]): void {
    for (const { stream, type } of events) if (isTelling(stream, type)) this.#dirty.add(stream)
    if (this.#dirty.size > 0 && !this.#isLooking) this.#wait(SETTLE_MS)
  }

  #wait(ms: number): void {
    this.#timer ??= this.#clock.setTimer(ms, () => {
      this.#timer = null
      void this.#look()
    })
  }

  async #look(): Promise<void> {
    const dirty = this.#dirty
    this.#dirty = new Set()
    this.#isLooking = true
    try {
      for (const subject of await this.#subjects(dirty)) {
        const told = await this.#record(subject)
        if (told) for (const listener of this.#listeners) listener(told)
      }
    } catch (error) {
      this.#onError(error)
    }
    this.#isLooking = false
    if (this.#listeners.size > 0 && this.#dirty.size > 0) this.#wait(PAUSE_MS)
  }

  /** Whether a session waits for somebody is part of how it is: a request stands for whoever asked. */
  async #subjects(dirty: ReadonlySet<string>): Promise<Set<string>> {
    const subjects = new Set<string>()
    for (const stream of dirty) {
      const [kind, id] = stream.split('/') as [string, string]
      if (kind !== 'approval') {
        subjects.add(stream)
        continue
      }
      const session = (await this.#host.ledger.get(id))?.subject.session
      if (session) subjects.add(`session/${session}`)
    }
    return subjects
  }

  /** Null where something is written under a name that has no record. */
  async #record(subject: string): Promise<FedRecord | null> {
    const [kind, id] = subject.split('/') as ['session' | 'run', string]
    const type = kind === 'session' ? 'session.record' : 'run.record'
    const parts = { parts: { host: this.#host, progress: this.#progress } }
    try {
      const data =
        kind === 'session'
          ? { session: sessionView(this.#host, await this.#host.record(id)) }
          : { run: await runView(parts, await getRun(this.#host.store, id)) }
      const body = { type, at: this.#clock.now(), subject, data }
      return { type, subject, frame: frameOf(type, this.#text.json(body, 'rfc3339')) }
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
      throw error
    }
  }
}

/** That somebody was shown a request, or told of it, changes nothing about who asked. */
function isTelling(stream: string, type: string): boolean {
  if (stream.startsWith('approval/')) return type !== 'approval.seen' && type !== 'approval.notified'
  return stream.startsWith('session/') || stream.startsWith('run/')
}
