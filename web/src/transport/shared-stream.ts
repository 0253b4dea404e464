import type { Hello, StreamEvent } from '../api/types'
import { EventStream, type StreamHandlers, type StreamState } from './stream'

const NAME = 'signalbox-events'

type Shared =
  | { is: 'state'; state: StreamState }
  | { is: 'hello'; hello: Hello }
  | { is: 'event'; event: StreamEvent; id: string }
  | { is: 'passing'; type: string; data: Record<string, unknown> }
  | { is: 'many'; many: Shared[] }
  | { is: 'retry' }
  /** A tab that has just come asks how things stand. */
  | { is: 'who' }

/**
 * Tabs of one browser share one stream: HTTP/1.1 gives a host six connections. The tab that holds the lock reads and tells the others;
 * when it closes, the lock passes on and the next one resumes after the last event that it has heard of.
 */
export class SharedStream {
  readonly #handlers: StreamHandlers
  readonly #channel = new BroadcastChannel(NAME)
  readonly #end = new AbortController()
  #cursor: string | null
  #stream: EventStream | null = null
  #state: StreamState = { is: 'connecting' }
  #hello: Hello | null = null
  /** Told to the other tabs together: what came in one piece of the stream. */
  #untold: Shared[] = []

  constructor(handlers: StreamHandlers, cursor: string | null) {
    this.#handlers = handlers
    this.#cursor = cursor
    this.#channel.onmessage = message => this.#hear(message.data as Shared)
    this.#channel.postMessage({ is: 'who' } satisfies Shared)
    void navigator.locks.request(NAME, { signal: this.#end.signal }, () => this.#lead()).catch(() => undefined)
  }

  get isLeader(): boolean {
    return this.#stream !== null
  }

  /** Ids of the panes whose previews are wanted are told to the server by whoever knows the subscription. */
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
        state: state => this.#tell({ is: 'state', state }),
        hello: hello => this.#tell({ is: 'hello', hello }),
        event: (event, id) => this.#tell({ is: 'event', event, id: id! }),
        passing: (type, data) => this.#tell({ is: 'passing', type, data }),
      },
      this.#cursor,
    )
    return new Promise(resolve => this.#end.signal.addEventListener('abort', () => resolve()))
  }

  #tell(message: Shared): void {
    if (this.#untold.length === 0) queueMicrotask(() => this.#tellOthers())
    this.#untold.push(message)
    this.#take(message)
  }

  #tellOthers(): void {
    const many = this.#untold
    this.#untold = []
    if (many.length > 0 && !this.#end.signal.aborted) this.#channel.postMessage({ is: 'many', many } satisfies Shared)
  }

  #hear(message: Shared): void {
    if (message.is === 'who') {
      if (!this.#stream) return
      this.#tellOthers()
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
      case 'passing':
        return this.#handlers.passing(message.type, message.data)
      case 'many':
        for (const each of message.many) this.#take(each)
        return
    }
  }
}
