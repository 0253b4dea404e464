import { type AgentContext, methods } from '@agentclientprotocol/sdk'
import { SignalboxError } from '../errors/index.js'
import type { AcpBackend } from './backend.js'
import { EditorRequests } from './editor-requests.js'

export interface TurnOptions {
  backend: AcpBackend
  client: AgentContext
  session: string
  person: { id: string; name: string }
  signal: AbortSignal
}

const WAIT_MS = 30_000

interface FinalMessage {
  message: string
  markdown: string
}

/**
 * One prompt of the editor: it is typed into the session, the messages of the turn are passed on as
 * they become final, requests are shown, and the turn ends when the agent is idle. Text that is
 * still changing on the screen is not sent, because an editor can only append.
 */
export class PromptTurn {
  readonly #options: TurnOptions
  readonly #path: string
  /** The length of what was sent of each message: a later revision adds only its end. */
  readonly #sent = new Map<string, string>()
  #isCancelled = false

  constructor(options: TurnOptions) {
    this.#options = options
    this.#path = `/sessions/${encodeURIComponent(options.session)}`
  }

  async run(text: string): Promise<'end_turn' | 'cancelled' | 'refusal'> {
    const { backend, signal } = this.#options
    const ended = new AbortController()
    const requests = new EditorRequests(this.#options)
    const following = this.#follow(AbortSignal.any([signal, ended.signal]), requests)
    try {
      const sent = (await backend.post(`${this.#path}/messages`, { text, whenBusy: 'queue' })) as { outcome?: string }
      if (sent.outcome === 'refused') return 'refusal'
      await this.#untilIdle(requests)
    } finally {
      ended.abort()
      requests.close()
      await following.catch(() => undefined)
    }
    // What became final while the stream was closing.
    const { messages } = (await backend.get(`${this.#path}/conversation`)) as {
      messages: (FinalMessage & { provisional: boolean })[]
    }
    for (const message of messages.filter(({ message: id, provisional }) => this.#sent.has(id) && !provisional))
      await this.#say(message)
    return this.#isCancelled ? 'cancelled' : 'end_turn'
  }

  /** Interrupts the agent; the prompt then ends as cancelled. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    await this.#options.backend.post(`${this.#path}/interrupt`)
  }

  async #untilIdle(requests: EditorRequests): Promise<void> {
    const { backend, signal } = this.#options
    while (!signal.aborted) {
      const query = `for=idle&timeoutMs=${WAIT_MS}`
      const { reached } = (await backend.get(`${this.#path}/wait?${query}`)) as { reached: string }
      if (reached === 'idle') return
      if (reached === 'done') throw new SignalboxError('E_STATE', 'the session has ended')
      if (reached === 'approval') await requests.settled(signal)
    }
  }

  async #follow(signal: AbortSignal, requests: EditorRequests): Promise<void> {
    for await (const { event, data } of this.#options.backend.events(this.#options.session, signal)) {
      const inner = (data as { data?: unknown }).data
      if (event === 'message.final') await this.#say(inner as FinalMessage)
      if (event.startsWith('approval.')) void requests.look()
    }
  }

  async #say({ message, markdown }: FinalMessage): Promise<void> {
    const before = this.#sent.get(message) ?? ''
    if (markdown === before) return
    this.#sent.set(message, markdown)
    const text = markdown.startsWith(before) ? markdown.slice(before.length) : `\n\n${markdown}`
    const { client, session: sessionId } = this.#options
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${text}\n\n` } },
    })
  }
}
