import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, delay, newNonce, systemClock } from '../../clock/index.js'
import type { FakeChat, FakeMessage } from './chats.js'
import { type Fault, Faults } from './faults.js'
import { type Fields, readFields } from './fields.js'
import { METHODS } from './methods.js'
import { chatPage } from './page.js'
import { FakePerson } from './person.js'
import { DEFAULT_RATES, type RateRules } from './rates.js'
import { badRequest, Refusal } from './refusal.js'
import { FakeState } from './state.js'

export interface ApiCall {
  at: number
  method: string
  fields: Fields
  /** The answer; null while there is none, or when it was never sent. */
  status: number | null
  description?: string
}

/**
 * A Bot API server on loopback that refuses what Telegram refuses, so that a passing test proves
 * something. It keeps every call and every version of every message, plays planned faults, and lets
 * a test (or the demo's page) act as the people in the chats.
 */
export class FakeBotApi {
  readonly token = '7000001:fake-token-for-tests-only-AAAAAAAAAAA'
  readonly state: FakeState
  readonly faults = new Faults()
  readonly calls: ApiCall[] = []
  readonly #clock: Clock
  /** Part of the page's address: other users of this machine must not open it. */
  readonly #pageKey = newNonce()
  readonly #waiting = new Set<() => void>()
  #server: Server | null = null
  #address = ''

  constructor(options: { clock?: Clock; rates?: RateRules } = {}) {
    this.#clock = options.clock ?? systemClock
    this.state = new FakeState(this.#clock, options.rates ?? DEFAULT_RATES, () => this.#changed())
  }

  /** The value for `telegram.api_root`. */
  get apiRoot(): string {
    return this.#address
  }

  /** A page that shows a chat and lets the reader act in it. */
  pageOf(person: FakePerson): string {
    return `${this.#address}/page/${this.#pageKey}/${person.id}`
  }

  person(id: number, name: string, options: { hasTopics?: boolean } = {}): FakePerson {
    return new FakePerson(this.state, id, name, options)
  }

  group(id: number, title: string, options: { hasTopics?: boolean } = {}): FakeChat {
    return this.state.addChat(id, title, { type: options.hasTopics ? 'supergroup' : 'group', ...options })
  }

  /** A group becomes a supergroup, with a new id. */
  migrate(chat: FakeChat, to: number): FakeChat {
    const next = this.state.addChat(to, chat.title, { type: 'supergroup', hasTopics: chat.hasTopics })
    chat.migratedTo = to
    return next
  }

  async start(port = 0): Promise<string> {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    await new Promise<void>((resolve, reject) => {
      this.#server!.once('error', reject).listen(port, '127.0.0.1', resolve)
    })
    this.#address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this.#address
  }

  /** Stops the server and closes its connections; the state stays for the next `start`. */
  async stop(): Promise<void> {
    this.state.updates.endPoll()
    const server = this.#server
    this.#server = null
    if (!server) return
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }

  /** Waits until a condition holds, and checks it after every change. */
  async until<T>(condition: () => T | undefined | null | false, what: string, timeoutMs = 90_000): Promise<T> {
    // Real time, independent of the server's own clock.
    const deadline = systemClock.monotonic() + timeoutMs
    for (;;) {
      const found = condition()
      if (found) return found
      const left = deadline - systemClock.monotonic()
      if (left <= 0) throw new Error(`waited ${timeoutMs} ms for ${what}; the chats:\n${this.transcript()}`)
      await new Promise<void>(resolve => {
        const timer = systemClock.setTimer(Math.min(left, 100), done)
        const waiting = this.#waiting
        waiting.add(done)
        function done() {
          timer.cancel()
          waiting.delete(done)
          resolve()
        }
      })
    }
  }

  /** The messages of a chat that a person sees, newest last. */
  visible(chat: FakeChat): FakeMessage[] {
    return chat.messages.filter(({ isDeleted }) => !isDeleted)
  }

  /** All chats as text. */
  transcript(): string {
    return [...this.state.chats.values()]
      .map(chat => [`— ${chat.title} (${chat.type}) —`, ...this.visible(chat).map(lineOf)].join('\n'))
      .join('\n\n')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const body = await readBody(request)
      const page = /^\/page\/([^/]+)\/(-?\d+)(\/act)?$/.exec(path)
      if (page) return this.#servePage(request, response, page, body)
      const file = /^\/file\/bot([^/]+)\/documents\/(\w+)$/.exec(path)
      if (file) return this.#serveFile(response, file[1]!, file[2]!)
      const call = /^\/bot([^/]+)\/(\w+)$/.exec(path)
      if (!call) return send(response, 404, new Refusal(404, 'Not Found').body)
      await this.#call(request, response, call[1]!, call[2]!, body)
    } catch {
      if (!response.headersSent) send(response, 500, new Refusal(500, 'Internal Server Error').body)
    }
  }

  async #call(
    request: IncomingMessage,
    response: ServerResponse,
    token: string,
    method: string,
    body: Uint8Array,
  ): Promise<void> {
    const call: ApiCall = { at: this.#clock.now(), method, fields: {}, status: null }
    this.calls.push(call)
    this.#changed()
    const answer = (status: number, content: Record<string, unknown>) => {
      call.status = status
      if (content.description) call.description = String(content.description)
      this.#changed()
      send(response, status, content)
    }
    try {
      if (token !== this.token) throw new Refusal(401, 'Unauthorized')
      call.fields = readFields(request.headers['content-type'] ?? '', body)
      const fault = this.faults.next(method)
      if (fault?.kind === 'status') throw refusalOf(fault)
      if (fault?.kind === 'no-answer') return void request.socket.destroy()
      const run = METHODS[method]
      if (!run) throw new Refusal(404, 'Not Found: method not found')
      const result = await run(this.state, call.fields)
      if (fault?.kind === 'lost') return void request.socket.destroy()
      if (fault?.kind === 'late') await delay(this.#clock, fault.ms)
      if (fault?.kind === 'malformed') return void response.writeHead(200).end('<html>502</html>')
      if (fault?.kind === 'half') {
        const text = JSON.stringify({ ok: true, result })
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
        response.write(text.slice(0, text.length / 2))
        return void response.destroy()
      }
      answer(200, { ok: true, result })
    } catch (error) {
      const refusal = error instanceof Refusal ? error : badRequest(error instanceof Error ? error.message : 'unknown')
      answer(refusal.code, refusal.body)
    }
  }

  #serveFile(response: ServerResponse, token: string, id: string): void {
    const file = token === this.token ? this.state.files.get(id) : undefined
    if (!file) return send(response, 404, new Refusal(404, 'Not Found').body)
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.bytes)
  }

  #servePage(request: IncomingMessage, response: ServerResponse, page: RegExpExecArray, body: Uint8Array): void {
    const chat = this.state.chats.get(Number(page[2]))
    if (page[1] !== this.#pageKey || !chat) return send(response, 404, { ok: false })
    if (page[3] === undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      return void response.end(chatPage(this.state, chat))
    }
    if (request.method !== 'POST') return send(response, 405, { ok: false })
    const form = new URLSearchParams(Buffer.from(body).toString('utf8'))
    const person = new FakePerson(this.state, chat.id, chat.title)
    const message = chat.messages.find(({ id }) => id === Number(form.get('message')))
    const data = form.get('data')
    if (message && data) person.press(message, { data })
    else if (form.get('text')) {
      const replyTo = Number(form.get('reply')) || undefined
      person.say(form.get('text')!, replyTo === undefined ? {} : { replyTo })
    }
    response.writeHead(303, { location: `/page/${page[1]}/${page[2]}` }).end()
  }

  #changed(): void {
    for (const wake of [...this.#waiting]) wake()
  }
}

function refusalOf({ code, description, retryAfter, migrateTo }: Extract<Fault, { kind: 'status' }>): Refusal {
  const texts: Record<number, string> = {
    409: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    429: `Too Many Requests: retry after ${retryAfter ?? 1}`,
    403: 'Forbidden: bot was blocked by the user',
    500: 'Internal Server Error',
    502: 'Bad Gateway',
  }
  return new Refusal(code, description ?? texts[code] ?? 'Bad Request', {
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(migrateTo !== undefined && { migrate_to_chat_id: migrateTo }),
  })
}

function lineOf(message: FakeMessage): string {
  const buttons = (message.markup?.inline_keyboard ?? []).map(row => row.map(({ text }) => `[${text}]`).join(' '))
  const file = message.document ? [`📎 ${message.document.name} (${message.document.bytes.length} bytes)`] : []
  const text = message.text.split('\n').join('\n    ')
  return [`#${message.id} ${message.from.name}: ${text}`, ...file, ...buttons].join('\n    ')
}

function send(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks)
}
