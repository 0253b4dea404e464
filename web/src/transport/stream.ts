import { EventStreamParser } from '../../../src/text/event-stream'
import type { EphemeralUpdate, Hello, StreamEvent } from '../api/types'
import { ApiError, request } from './request'

const STALE_MS = 60_000
/** A tab that returns to the foreground may have been asleep: it waits less. */
const STALE_ON_RETURN_MS = 45_000
const CHECK_MS = 5_000
/**
 * Every chunk costs the page time. Requests for a decision arrive at once, everything else this
 * often.
 */
const INTERVAL_MS = 100

export type StreamState = { is: 'connecting' } | { is: 'live' } | { is: 'offline'; since: number; tries: number }

export interface StreamHandlers {
  state(state: StreamState): void
  hello(hello: Hello): void
  /** An event of the log; its id is the position to resume from. */
  event(event: StreamEvent, id: string): void
  /** Provisional text, previews: what is not in the log. */
  ephemeral(update: EphemeralUpdate): void
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
      const response = await request(`/events?updates=watched&records=changed&intervalMs=${INTERVAL_MS}`, {
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
        this.#receiveEvent(event, data, id)
      }
    }
  }

  #receiveEvent(event: string, text: string, id: string | null): void {
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
    } else this.#handlers.ephemeral({ event, data } as EphemeralUpdate)
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

const RETRY_MIN_MS = 1_000
const RETRY_MAX_MS = 30_000
const JITTER_MS = 500
const TRIES = 8
const AFTER_TRIES_MS = 5 * 60_000

/**
 * The delay before try number `failures` + 1: none, then 1 s doubled up to 30 s, and five minutes
 * after eight failures.
 */
export function waitBefore(failures: number, random: number): number {
  if (failures <= 0) return 0
  if (failures > TRIES) return AFTER_TRIES_MS
  return Math.min(RETRY_MIN_MS * 2 ** (failures - 1), RETRY_MAX_MS) + random * JITTER_MS
}

const NAME = 'signalbox-events'

type Shared =
  | { is: 'state'; state: StreamState }
  | { is: 'hello'; hello: Hello }
  | { is: 'event'; event: StreamEvent; id: string }
  | { is: 'ephemeral'; update: EphemeralUpdate }
  | { is: 'many'; many: Shared[] }
  | { is: 'retry' }
  /** A new tab asks for the current state. */
  | { is: 'who' }

/**
 * All tabs of a browser share one stream, because HTTP/1.1 allows six connections to a host. The
 * tab that holds the lock reads the stream and forwards it to the others. When that tab closes, the
 * next one takes the lock and resumes after the last event that it received.
 */
export class SharedStream {
  readonly #handlers: StreamHandlers
  readonly #channel = new BroadcastChannel(NAME)
  readonly #end = new AbortController()
  #cursor: string | null
  #stream: EventStream | null = null
  #state: StreamState = { is: 'connecting' }
  #hello: Hello | null = null
  /** Messages of one chunk of the stream: the other tabs get them together. */
  #unsent: Shared[] = []

  constructor(handlers: StreamHandlers, cursor: string | null) {
    this.#handlers = handlers
    this.#cursor = cursor
    this.#channel.onmessage = message => this.#receive(message.data as Shared)
    this.#channel.postMessage({ is: 'who' } satisfies Shared)
    void navigator.locks.request(NAME, { signal: this.#end.signal }, () => this.#lead()).catch(() => undefined)
  }

  /** Requests that say what this page watches name the subscription. */
  get subscription(): string | null {
    return this.#hello?.subscription ?? null
  }

  retry(): void {
    if (this.#stream) this.#stream.retry()
    else this.#channel.postMessage({ is: 'retry' } satisfies Shared)
  }

  close(): void {
    this.#end.abort()
    this.#stream?.close()
    this.#channel.close()
  }

  #lead(): Promise<void> {
    this.#stream = new EventStream(
      {
        state: state => this.#share({ is: 'state', state }),
        hello: hello => this.#share({ is: 'hello', hello }),
        event: (event, id) => this.#share({ is: 'event', event, id }),
        ephemeral: update => this.#share({ is: 'ephemeral', update }),
      },
      this.#cursor,
    )
    return new Promise(resolve => this.#end.signal.addEventListener('abort', () => resolve()))
  }

  #share(message: Shared): void {
    if (this.#unsent.length === 0) queueMicrotask(() => this.#send())
    this.#unsent.push(message)
    this.#receiveShared(message)
  }

  #send(): void {
    const many = this.#unsent
    this.#unsent = []
    if (many.length > 0 && !this.#end.signal.aborted) this.#channel.postMessage({ is: 'many', many } satisfies Shared)
  }

  #receive(message: Shared): void {
    if (message.is === 'who') {
      if (!this.#stream) return
      this.#send()
      this.#channel.postMessage({ is: 'state', state: this.#state } satisfies Shared)
      if (this.#hello)
        this.#channel.postMessage({ is: 'hello', hello: { ...this.#hello, resume: 'ok' } } satisfies Shared)
    } else if (message.is === 'retry') this.#stream?.retry()
    else this.#receiveShared(message)
  }

  #receiveShared(message: Shared): void {
    switch (message.is) {
      case 'state':
        this.#state = message.state
        return this.#handlers.state(message.state)
      case 'hello':
        this.#hello = message.hello
        return this.#handlers.hello(message.hello)
      case 'event':
        this.#handlers.event(message.event, message.id)
        this.#cursor = message.id
        return
      case 'ephemeral':
        return this.#handlers.ephemeral(message.update)
      case 'many':
        for (const each of message.many) this.#receiveShared(each)
        return
    }
  }
}
