import type { Clock, Timer } from '../../clock/index.js'
import { getRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import type { RunRecordUpdate, SessionRecordUpdate } from '../api-types.js'
import type { RunProgress } from '../views/run-progress.js'
import { runView } from '../views/run-view.js'
import { sessionView } from '../views/session-view.js'
import type { CleanText } from '../wire/clean-text.js'
import type { Sendable } from '../wire/index.js'
import { type EventFeed, type SerializedEvent, serverSentEvent } from './event-stream.js'

/** Events come in groups and records settle after them: one read serves the group. */
const SETTLE_MS = 120
/** The minimum time between two reads of the same record. Other records are not delayed by it. */
const PAUSE_MS = 400

export interface SerializedRecord {
  type: 'session.record' | 'run.record'
  subject: string
  /** Serialised once for all streams. */
  text: string
}

export interface RecordFeedOptions {
  host: Host
  progress: RunProgress
  events: EventFeed
  text: CleanText
  onError(error: unknown): void
}

/**
 * Sends the records of sessions and runs after events changed them, read once for all streams.
 * Otherwise each browser would send a signed request for every event, and twenty browsers would
 * send twenty of them at the moment at which they should draw a request for a decision.
 */
export class RecordFeed {
  readonly #host: Host
  readonly #progress: RunProgress
  readonly #events: EventFeed
  readonly #text: CleanText
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #listeners = new Set<(record: SerializedRecord) => void>()
  /** Streams of the log with events since their records were read. */
  readonly #dirty = new Set<string>()
  readonly #lookedAt = new Map<string, number>()
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

  /** Without listeners nothing is read. */
  listen(listener: (record: SerializedRecord) => void): () => void {
    this.#listeners.add(listener)
    this.#unlisten ??= this.#followChanges()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  #followChanges(): () => void {
    const unlisten = [
      this.#events.listen(events => this.readChanged(events)),
      this.#host.onCaughtUp(id => this.readChanged([{ stream: `session/${id}`, type: 'session.live' }])),
    ]
    return () => {
      for (const stop of unlisten) stop()
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

  /** Sends the records of these streams to all listeners, after a short delay. */
  readChanged(events: Iterable<Pick<SerializedEvent, 'stream' | 'type'>>): void {
    if (this.#listeners.size === 0) return
    for (const { stream, type } of events) if (changesRecord(stream, type)) this.#dirty.add(stream)
    this.#wait()
  }

  #wait(): void {
    if (this.#dirty.size === 0 || this.#isLooking) return
    this.#timer ??= this.#clock.setTimer(SETTLE_MS, () => {
      this.#timer = null
      void this.#sendDue()
    })
  }

  async #sendDue(): Promise<void> {
    this.#isLooking = true
    const now = this.#clock.monotonic()
    for (const [stream, at] of this.#lookedAt) if (now - at >= PAUSE_MS) this.#lookedAt.delete(stream)
    const due = [...this.#dirty].filter(stream => !this.#lookedAt.has(stream))
    const sent = new Set<string>()
    for (const stream of due) {
      this.#dirty.delete(stream)
      this.#lookedAt.set(stream, now)
      // A record that cannot be read does not stop the others.
      try {
        const subject = await this.#subjectOf(stream)
        if (subject === null || sent.has(subject)) continue
        sent.add(subject)
        const record = await this.#record(subject)
        if (record) for (const listener of this.#listeners) listener(record)
      } catch (error) {
        this.#onError(error)
      }
    }
    this.#isLooking = false
    this.#wait()
  }

  /** A request changes the record of the session or run that made it. */
  async #subjectOf(stream: string): Promise<string | null> {
    const [kind, id] = stream.split('/') as [string, string]
    if (kind !== 'approval') return stream
    const session = (await this.#host.ledger.get(id))?.subject.session
    return session ? `session/${session}` : null
  }

  /** Null for a stream without a record. */
  async #record(subject: string): Promise<SerializedRecord | null> {
    const [kind, id] = subject.split('/') as ['session' | 'run', string]
    const parts = { parts: { host: this.#host, progress: this.#progress } }
    try {
      const common = { at: this.#clock.now(), subject }
      const body: Sendable<SessionRecordUpdate | RunRecordUpdate> =
        kind === 'session'
          ? {
              ...common,
              type: 'session.record',
              data: { session: sessionView(this.#host, await this.#host.record(id)) },
            }
          : { ...common, type: 'run.record', data: { run: await runView(parts, await getRun(this.#host.store, id)) } }
      return { type: body.type, subject, text: serverSentEvent(body.type, this.#text.json(body, 'rfc3339')) }
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return null
      throw error
    }
  }
}

/** That a person saw a request does not change the record of its session. */
function changesRecord(stream: string, type: string): boolean {
  if (stream.startsWith('approval/')) return type !== 'approval.seen'
  return stream.startsWith('session/') || stream.startsWith('run/')
}
