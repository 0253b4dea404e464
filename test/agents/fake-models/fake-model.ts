import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anthropicMessages } from './anthropic-messages.js'
import { geminiGenerate } from './gemini-generate.js'
import { openaiChat } from './openai-chat.js'
import { openaiResponses } from './openai-responses.js'
import { type ModelRequest, object, sendJson, type ToolCall, type Wire } from './wire.js'

const WIRES: readonly Wire[] = [anthropicMessages, openaiResponses, openaiChat, geminiGenerate]
/** Characters of a piece of streamed text, and the pause between two pieces. */
const PIECE = 16
const PAUSE_MS = 15
/** How agents ask for the summary of a conversation that they compact. */
const COMPACTION = /summar|compact|state_snapshot|checkpoint/i

/** One answer of the model. */
export interface Reply {
  text?: string
  tool?: ToolCall
  /** After the text, the model sends nothing until `release` is called or the agent disconnects. */
  hold?: string
}

export interface Served {
  at: number
  request: ModelRequest
  key: string | null
  /** How the answer ended. */
  end: 'whole' | 'cut'
}

/**
 * A model on 127.0.0.1 that sends scripted replies. The last prompt and the number of tool results
 * since then select a reply, so that calls for titles, retries and repeated requests change
 * nothing.
 */
export class FakeModel {
  readonly served: Served[] = []
  readonly #replies = new Map<string, readonly Reply[]>()
  readonly #held = new Map<string, () => void>()
  readonly #arrivals = new Map<string, number>()
  #newestKey = ''
  #compaction: Reply | null = null
  #server: Server | null = null

  /** `key` is a word of the prompt. */
  when(key: string, ...replies: Reply[]): void {
    this.#replies.set(key, replies)
    this.#newestKey = key
  }

  /** Answers requests for a summary of the conversation; the first one stops at the hold. */
  whenCompacting(hold: string): void {
    this.#compaction = { text: 'The person asked about several things.', hold }
  }

  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      void this.#serve(request, response).catch(error => {
        if (!response.headersSent) sendJson(response, { error: { message: String(error) } }, 500)
        else response.destroy()
      })
    })
    this.#server = server
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** Whether an answer has reached this hold. */
  hasReached(hold: string): boolean {
    return this.#held.has(hold)
  }

  release(hold: string): void {
    this.#held.get(hold)?.()
  }

  /** When the first request with this key arrived. */
  arrivedAt(key: string): number | null {
    return this.#arrivals.get(key) ?? null
  }

  /**
   * How often the conversation has a prompt with this key. Requests are not counted: an agent may
   * repeat one, or send the conversation again to a helper that titles or remembers it.
   */
  timesSaid(key: string): number {
    return Math.max(0, ...this.served.map(({ request }) => said(request, key).length))
  }

  /** The prompts with this key, as the model got them. */
  heard(key: string): string[] {
    return this.served.flatMap(({ request }) => said(request, key))
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise(resolve => (this.#server ? this.#server.close(resolve) : resolve(undefined)))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    for (const wire of WIRES) {
      const asked = wire.read(request, body)
      if (asked === null) continue
      const found = this.#summary(asked) ?? (asked.tools.length > 0 ? this.#find(asked) : null)
      if (!found) wire.side(response, request, body)
      else await this.#answer(wire, { request, response, body, asked, ...found })
      return
    }
    if (request.method === 'GET' && request.url?.includes('models'))
      sendJson(response, { object: 'list', data: [{ id: 'test-model', object: 'model' }], models: [] })
    else if (request.url?.includes('ount')) sendJson(response, { input_tokens: 100, totalTokens: 100 })
    else sendJson(response, { error: { message: `nothing is served at ${request.url}` } }, 404)
  }

  /**
   * A request for a summary repeats the conversation, as messages or in its text, and may offer
   * tools. What the agent adds to the next prompt mentions the summary, too: that prompt has the
   * newest key, and no answer yet.
   */
  #summary(asked: ModelRequest): { key: string; reply: Reply } | null {
    const last = asked.prompts.at(-1) ?? ''
    const isAnswered = this.served.some(({ key, end }) => key === this.#newestKey && end === 'whole')
    if (!this.#compaction || !COMPACTION.test(last) || (last.includes(this.#newestKey) && !isAnswered)) return null
    const { hold, ...reply } = this.#compaction
    this.#compaction = reply
    return { key: 'compaction', reply: { ...reply, ...(hold !== undefined && { hold }) } }
  }

  #find(asked: ModelRequest): { key: string; reply: Reply } | null {
    // Agents add their own notes as user messages: the newest message with a known key counts.
    for (const prompt of [...asked.prompts].reverse()) {
      for (const [key, replies] of this.#replies) {
        if (!prompt.includes(key)) continue
        const reply = replies[Math.min(asked.results.length, replies.length - 1)]
        if (reply) return { key, reply }
      }
    }
    return null
  }

  async #answer(
    wire: Wire,
    turn: {
      request: IncomingMessage
      response: ServerResponse
      body: unknown
      asked: ModelRequest
      key: string
      reply: Reply
    },
  ): Promise<void> {
    const { request, response, body, asked, key, reply } = turn
    const served: Served = { at: Date.now(), request: asked, key, end: 'cut' }
    this.served.push(served)
    if (!this.#arrivals.has(key)) this.#arrivals.set(key, served.at)
    const gone = new Promise<'gone'>(resolve => response.on('close', () => resolve('gone')))
    const writer = wire.write(response, request, body)
    writer.begin()
    for (let at = 0; at < (reply.text ?? '').length; at += PIECE) {
      writer.text(reply.text!.slice(at, at + PIECE))
      await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    }
    if (reply.hold !== undefined) {
      const released = new Promise<'released'>(resolve => this.#held.set(reply.hold!, () => resolve('released')))
      if ((await Promise.race([released, gone])) === 'gone') return
    }
    if (reply.tool) writer.tool(reply.tool)
    writer.end()
    served.end = 'whole'
  }
}

function said({ prompts }: ModelRequest, key: string): string[] {
  return prompts.filter(prompt => prompt.includes(key))
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch {
    return object(null)
  }
}
