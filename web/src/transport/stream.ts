import { EventStreamParser } from '../../../src/text/event-stream'
import type { EphemeralFrame, Hello, StreamEvent } from '../api/types'
import { waitBefore } from './backoff'
import { ApiError, request } from './request'

const STALE_MS = 60_000
/** A tab that returns to the foreground may have been asleep: it waits less. */
const STALE_ON_RETURN_MS = 45_000
const CHECK_MS = 5_000
/**
 * Every chunk costs the page time. Requests for a decision arrive at once, everything else this
 * often.
 */
const REST_MS = 100

export type StreamState = { is: 'connecting' } | { is: 'live' } | { is: 'offline'; since: number; tries: number }

export interface StreamHandlers {
  state(state: StreamState): void
  hello(hello: Hello): void
  /** An event of the log; its id is the position to resume from. */
  event(event: StreamEvent, id: string): void
  /** A frame that is not in the log: provisional text, previews. */
  ephemeral(frame: EphemeralFrame): void
}

/**
 * The event stream of this browser. It uses `fetch`, because the request carries a proof. It
 * resumes after the last event that was handled, closes a connection that is silent for too long,
 * and reconnects.
 */
export class EventStream {
  readonly #handlers: StreamHandlers
  #cursor: string | null
  #abort: AbortController | null = null
  #receivedAt = 0
  #failures = 0
  #offlineSince = 0
  #isClosed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #check: ReturnType<typeof setInterval>

  constructor(handlers: StreamHandlers, cursor: string | null) {
    this.#handlers = handlers
    this.#cursor = cursor
    this.#check = setInterval(() => this.#closeIfStale(STALE_MS), CHECK_MS)
    document.addEventListener('visibilitychange', this.#onReturn)
    window.addEventListener('online', this.retry)
    void this.#open()
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#check)
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#onReturn)
    window.removeEventListener('online', this.retry)
    this.#abort?.abort()
  }

  /** Reconnects now, without the remaining delay: a person asked for it, or the network is back. */
  readonly retry = (): void => {
    if (this.#isClosed || this.#abort) return
    clearTimeout(this.#timer)
    void this.#open()
  }

  readonly #onReturn = (): void => {
    if (document.visibilityState !== 'visible') return
    this.#closeIfStale(STALE_ON_RETURN_MS)
    this.retry()
  }

  #closeIfStale(limitMs: number): void {
    if (this.#abort && this.#receivedAt > 0 && performance.now() - this.#receivedAt > limitMs) this.#abort.abort()
  }

  async #open(): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    this.#receivedAt = performance.now()
    if (this.#failures === 0) this.#handlers.state({ is: 'connecting' })
    try {
      const response = await request(`/events?updates=watched&records=changed&restMs=${REST_MS}`, {
        signal: abort.signal,
        headers: { accept: 'text/event-stream', ...(this.#cursor !== null && { 'last-event-id': this.#cursor }) },
      })
      await this.#read(response)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return this.close()
    } finally {
      abort.abort()
      if (this.#abort === abort) this.#abort = null
    }
    this.#reconnect()
  }

  async #read(response: Response): Promise<void> {
    const parser = new EventStreamParser()
    const text = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await text.read()
      if (done) return
      this.#receivedAt = performance.now()
      for (const { event, data, id } of parser.push(value)) {
        if (event === 'bye') return
        this.#take(event, data, id)
      }
    }
  }

  #take(event: string, text: string, id: string | null): void {
    if (event === 'heartbeat') return
    const data: unknown = JSON.parse(text)
    if (event === 'hello') {
      this.#failures = 0
      this.#offlineSince = 0
      this.#handlers.state({ is: 'live' })
      this.#handlers.hello(data as Hello)
    } else if (id !== null) {
      this.#handlers.event(data as StreamEvent, id)
      this.#cursor = id
    } else this.#handlers.ephemeral({ event, data } as EphemeralFrame)
  }

  #reconnect(): void {
    if (this.#isClosed) return
    const wait = waitBefore(this.#failures, Math.random())
    this.#failures++
    this.#offlineSince ||= Date.now()
    this.#handlers.state({ is: 'offline', since: this.#offlineSince, tries: this.#failures })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#open(), wait)
  }
}
