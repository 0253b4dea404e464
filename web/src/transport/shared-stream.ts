import type { EphemeralFrame, Hello, StreamEvent } from '../api/types'
import { EventStream, type StreamHandlers, type StreamState } from './stream'

const NAME = 'signalbox-events'

type Shared =
  | { is: 'state'; state: StreamState }
  | { is: 'hello'; hello: Hello }
  | { is: 'event'; event: StreamEvent; id: string }
  | { is: 'ephemeral'; frame: EphemeralFrame }
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
        ephemeral: frame => this.#share({ is: 'ephemeral', frame }),
      },
      this.#cursor,
    )
    return new Promise(resolve => this.#end.signal.addEventListener('abort', () => resolve()))
  }

  #share(message: Shared): void {
    if (this.#unsent.length === 0) queueMicrotask(() => this.#send())
    this.#unsent.push(message)
    this.#take(message)
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
    else this.#take(message)
  }

  #take(message: Shared): void {
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
        return this.#handlers.ephemeral(message.frame)
      case 'many':
        for (const each of message.many) this.#take(each)
        return
    }
  }
}
