import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, delay } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { EventStreamParser } from '../text/index.js'
import type { AgentEventSource, AgentEvents, EventsAnswer, EventsOptions } from './adapter.js'
import { partsOf, type TimedStatement } from './conversation.js'
import { parseRecord, textOf } from './json-lines.js'
import { OpenCodeReport } from './opencode-report.js'

/** In the session directory: the port and password of the terminal's own server. */
export const SERVER_FILE = 'opencode-server.json'

/** While starting, the server accepts connections that it never answers. */
const CONNECT_MS = 5_000
/** The server sends a heartbeat every ten seconds. */
const SILENCE_MS = 35_000
/** For the list of open requests; a busy machine needs time. */
const LIST_MS = 20_000
const FIRST_RETRY_MS = 200
const LAST_RETRY_MS = 5_000
const ANSWER_MS = 10_000
/** Characters of one event; longer ones are dropped. */
const EVENT_MAX = 10 * 1024 * 1024

/** The server inside OpenCode's terminal, started with `--port` and a password for this session. */
export const opencodeEvents: AgentEventSource = {
  open({ directory, clock }: EventsOptions) {
    const server = readServer(directory)
    return server ? new OpenCodeEvents(server, clock) : null
  },
}

export interface OpenCodeServer {
  port: number
  password: string
}

function readServer(directory: string): OpenCodeServer | null {
  let text = ''
  try {
    text = readFileSync(join(directory, SERVER_FILE), 'utf8')
  } catch {
    // Started without the channel: by another version, or with the person's own options.
    return null
  }
  const { port, password } = parseRecord(text) ?? {}
  return typeof port === 'number' && typeof password === 'string' ? { port, password } : null
}

/**
 * Listens until closed. After each connection it fetches the list of open requests, so that nothing
 * is missed that was asked while disconnected, and reports requests that were answered meanwhile.
 */
class OpenCodeEvents implements AgentEvents {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #clock: Clock
  readonly #report = new OpenCodeReport()
  readonly #closed = new AbortController()
  readonly #onStatement: ((statement: TimedStatement, id: string) => void)[] = []

  constructor({ port, password }: OpenCodeServer, clock: Clock) {
    this.#base = `http://127.0.0.1:${port}`
    this.#headers = { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}` }
    this.#clock = clock
    void this.#listen()
  }

  onStatement(listener: Parameters<AgentEvents['onStatement']>[0]): void {
    this.#onStatement.push(({ at, ...statement }, id) => listener(statement as never, { id, at }))
  }

  async answer(key: string, { behavior, message }: EventsAnswer): Promise<'taken' | 'gone' | 'unreachable'> {
    const isQuestion = key.startsWith('que')
    if (isQuestion && behavior !== 'deny')
      throw new SignalboxError('E_INPUT', 'a question of OpenCode can only be answered on its screen', {
        next: 'attach to the session, or deny the question here',
      })
    const path = `${isQuestion ? 'question' : 'permission'}/${encodeURIComponent(key)}/${isQuestion ? 'reject' : 'reply'}`
    const reply = behavior === 'deny' ? 'reject' : behavior
    const body = isQuestion ? {} : { reply, ...(message !== undefined && { message }) }
    try {
      const { status } = await this.#fetch(path, ANSWER_MS, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return status === 200 ? 'taken' : status === 404 ? 'gone' : 'unreachable'
    } catch {
      return 'unreachable'
    }
  }

  close(): void {
    this.#closed.abort()
  }

  async #listen(): Promise<void> {
    let pause = FIRST_RETRY_MS
    while (!this.#closed.signal.aborted) {
      try {
        await this.#follow(() => {
          pause = FIRST_RETRY_MS
        })
      } catch {
        // Not up yet, gone, or silent for too long: try again.
      }
      await delay(this.#clock, pause, this.#closed.signal)
      pause = Math.min(pause * 2, LAST_RETRY_MS)
    }
  }

  async #follow(onStarted: () => void): Promise<void> {
    const watch = new Deadline(this.#clock, this.#closed.signal)
    try {
      watch.reset(CONNECT_MS)
      const response = await fetch(`${this.#base}/event`, { headers: this.#headers, signal: watch.signal })
      if (response.status !== 200 || response.body === null) return
      const parser = new EventStreamParser(EVENT_MAX)
      const decoder = new TextDecoder()
      for await (const chunk of response.body) {
        watch.reset(SILENCE_MS)
        for (const { data } of parser.push(decoder.decode(chunk as Uint8Array, { stream: true }))) {
          const event = parseRecord(data)
          if (event?.type === 'server.connected') {
            onStarted()
            await this.#catchUp()
          } else if (event) this.#emit(this.#report.parseEvent(event), textOf(event.id) ?? data)
        }
      }
    } finally {
      watch.cancel()
    }
  }

  async #catchUp(): Promise<void> {
    const permissions = await this.#list('permission')
    const questions = await this.#list('question')
    const keys = new Set([...permissions, ...questions].flatMap(({ id }) => textOf(id) ?? []))
    for (const request of permissions) this.#emit(this.#report.asked(request), textOf(request.id) ?? '')
    for (const request of questions) this.#emit(this.#report.questionAsked(request), textOf(request.id) ?? '')
    this.#emit(this.#report.stillPending(keys), `pending ${[...keys].join(' ')}`)
  }

  async #list(what: 'permission' | 'question') {
    const response = await this.#fetch(what, LIST_MS)
    return response.status === 200 ? partsOf(await response.json()) : []
  }

  #fetch(path: string, limitMs: number, init: RequestInit = {}): Promise<Response> {
    const watch = new Deadline(this.#clock, this.#closed.signal)
    watch.reset(limitMs)
    const headers = { ...this.#headers, ...(init.headers as Record<string, string>) }
    return fetch(`${this.#base}/${path}`, { ...init, headers, signal: watch.signal }).finally(() => watch.cancel())
  }

  #emit(statements: readonly TimedStatement[], id: string): void {
    statements.forEach((statement, index) => {
      for (const listener of this.#onStatement) listener(statement, index === 0 ? id : `${id}#${index}`)
    })
  }
}

/** Aborts when it is not reset in time, or when another signal aborts. */
class Deadline {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal
  readonly #abort = () => this.#controller.abort()
  #timer: { cancel(): void } | null = null

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock
    this.#outer = outer
    if (outer.aborted) this.#abort()
    outer.addEventListener('abort', this.#abort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  reset(ms: number): void {
    this.#timer?.cancel()
    this.#timer = this.#clock.setTimer(ms, this.#abort)
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#outer.removeEventListener('abort', this.#abort)
  }
}
