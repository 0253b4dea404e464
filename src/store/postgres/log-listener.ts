import type { Client } from 'pg'
import { type Clock, delay, type Timer } from '../../clock/index.js'
import type { Connections } from './connections.js'

/** A notification may get lost with its connection: the poll finds what it announced. */
const POLL_MS = 5_000
const RECONNECT_MS = 250

export interface LogListenerOptions {
  connections: Connections
  clock: Clock
  schema: string
  /** The connection was opened or opened again, and ended. */
  onConnected(client: Client): Promise<void>
  onDisconnected(): void
  /** There may be new events. */
  onChange(): void
  onError(error: unknown): void
}

/**
 * Notices commits of all processes: `LISTEN` on a connection of its own, and a slow poll beside it.
 */
export class LogListener {
  readonly #options: LogListenerOptions
  #poll: Timer | null = null
  #client: Client | null = null
  #isStarted = false

  constructor(options: LogListenerOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#armPoll()
    void this.#listen()
  }

  stop(): void {
    this.#isStarted = false
    this.#poll?.cancel()
    const client = this.#client
    this.#client = null
    void client?.end().catch(() => undefined)
  }

  #armPoll(): void {
    this.#poll = this.#options.clock.setTimer(POLL_MS, () => {
      this.#armPoll()
      this.#options.onChange()
    })
  }

  async #listen(): Promise<void> {
    const { connections, clock, schema, onConnected, onDisconnected, onChange, onError } = this.#options
    while (this.#isStarted) {
      let isConnected = false
      try {
        const client = await connections.retrying(() => connections.connect())
        const isOver = new Promise<void>(resolve => {
          client.once('end', resolve)
          client.once('error', () => resolve())
        })
        this.#client = client
        client.on('notification', onChange)
        await client.query(`LISTEN signalbox_${schema}`)
        await onConnected(client)
        isConnected = true
        // What was committed before `LISTEN` took effect is not announced.
        onChange()
        if (!this.#isStarted) return this.stop()
        await isOver
      } catch (error) {
        if (this.#isStarted) onError(error)
      }
      this.#client = null
      onDisconnected()
      // A connection that breaks is replaced at once: others see that this process is away.
      if (this.#isStarted && !isConnected) await delay(clock, RECONNECT_MS)
    }
  }
}
