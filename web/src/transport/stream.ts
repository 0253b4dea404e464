import { EventStreamParser } from '../../../src/text/event-stream'
import type { Hello, StreamEvent } from '../api/types'
import { waitBefore } from './backoff'
import { ApiError, request } from './request'

const STALE_MS = 60_000
/** A tab that returns to the foreground was perhaps asleep: less patience. */
const STALE_ON_RETURN_MS = 45_000
const CHECK_MS = 5_000
/** A page pays for every piece that arrives. Requests for a decision come at once, all else this often. */
const REST_MS = 100

export type StreamState = { is: 'connecting' } | { is: 'live' } | { is: 'offline'; since: number; tries: number }

export interface StreamHandlers {
  state(state: StreamState): void
  hello(hello: Hello): void
  /** What is in the log carries an id; what is only shown now does not. */
  event(event: StreamEvent, id: string | null): void
  /** Frames that are no log events: provisional text, previews. */
  passing(type: string, data: Record<string, unknown>): void
}

/**
 * The one stream of this browser. It reads with `fetch`, because a proof must go along; it resumes after the last event that was handled;
 * it ends itself when nothing came for too long, and comes back by itself.
 */
export class EventStream {
  readonly #handlers: StreamHandlers
  #cursor: string | null
  #abort: AbortController | null = null
  #heardAt = 0
  #failures = 0
  #offlineSince = 0
  #isClosed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #check: ReturnType<typeof setInterval>

  constructor(handlers: StreamHandlers, cursor: string | null) {
    this.#handlers = handlers
    this.#cursor = cursor
    this.#check = setInterval(() => this.#cutIfStale(STALE_MS), CHECK_MS)
    document.addEventListener('visibilitychange', this.#onReturn)
    window.addEventListener('online', this.retry)
    void this.#open()
  }

  get cursor(): string | null {
    return this.#cursor
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#check)
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#onReturn)
    window.removeEventListener('online', this.retry)
    this.#abort?.abort()
  }

  /** Now, whatever the waiting time: a person asked, or the network is back. */
  readonly retry = (): void => {
    if (this.#isClosed || this.#abort) return
    clearTimeout(this.#timer)
    void this.#open()
  }

  readonly #onReturn = (): void => {
    if (document.visibilityState !== 'visible') return
    this.#cutIfStale(STALE_ON_RETURN_MS)
    this.retry()
  }

  #cutIfStale(limitMs: number): void {
    if (this.#abort && this.#heardAt > 0 && performance.now() - this.#heardAt > limitMs) this.#abort.abort()
  }

  async #open(): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    this.#heardAt = performance.now()
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
    this.#again()
  }

  async #read(response: Response): Promise<void> {
    const parser = new EventStreamParser()
    const text = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await text.read()
      if (done) return
      this.#heardAt = performance.now()
      for (const { event, data, id } of parser.push(value)) {
        if (event === 'bye') return
        this.#take(event, data, id)
      }
    }
  }

  #take(type: string, data: string, id: string | null): void {
    if (type === 'heartbeat') return
    const body = JSON.parse(data) as Record<string, unknown>
    if (type === 'hello') {
      this.#failures = 0
      this.#offlineSince = 0
      this.#handlers.state({ is: 'live' })
      this.#handlers.hello(body as unknown as Hello)
    } else if (id !== null) {
      this.#handlers.event(body as unknown as StreamEvent, id)
      this.#cursor = id
    } else this.#handlers.passing(type, body)
  }

  #again(): void {
    if (this.#isClosed) return
    const wait = waitBefore(this.#failures, Math.random())
    this.#failures++
    this.#offlineSince ||= Date.now()
    this.#handlers.state({ is: 'offline', since: this.#offlineSince, tries: this.#failures })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#open(), wait)
  }
}
