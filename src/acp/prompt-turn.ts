import { type AgentContext, methods } from '@agentclientprotocol/sdk'
import { newId } from '../clock/index.js'
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
/** Events after which the agent may be at work on a prompt. */
const WORKING: ReadonlySet<string> = new Set(['turn.opened', 'prompt.ended', 'session.phase'])

interface FinalMessage {
  turn: string
  message: string
  markdown: string
}

interface Sent {
  result: 'delivered' | 'queued' | 'held' | 'refused' | 'unconfirmed' | 'dropped'
  detail?: string
}

/** The fields of the events that matter here. */
type EventFields = FinalMessage & { prompt?: string; result?: string }

/**
 * One prompt of the editor: it is typed into the session, the messages of its turn are passed on as
 * they become final, requests are shown, and it ends when its turn is closed. Text that is still
 * changing on the screen is not sent, because an editor can only append.
 */
export class PromptTurn {
  readonly #options: TurnOptions
  readonly #path: string
  readonly #prompt = newId('msg')
  /** What was sent of each message: a later revision adds only its end. */
  readonly #sent = new Map<string, string>()
  #isCancelled = false
  #isInterrupted = false

  constructor(options: TurnOptions) {
    this.#options = options
    this.#path = `/sessions/${encodeURIComponent(options.session)}`
  }

  /** @throws SignalboxError when the prompt was not delivered, or the session has ended. */
  async run(text: string): Promise<'end_turn' | 'cancelled'> {
    const { backend, signal } = this.#options
    const ended = new AbortController()
    const requests = new EditorRequests(this.#options)
    try {
      // From before the prompt, so that no event of its turn is missed.
      const { position } = (await backend.get('/health')) as { position: string }
      // The agent may be asking already.
      void requests.showNew().catch(() => undefined)
      const body = { id: this.#prompt, text, whenBusy: 'hold' }
      checkSent((await backend.post(`${this.#path}/messages`, body)) as Sent)
      const turn = await this.#follow(position, AbortSignal.any([signal, ended.signal]), requests)
      if (signal.aborted) return 'cancelled'
      await backend.get(`${this.#path}/wait?for=idle&timeoutMs=${WAIT_MS}`)
      // A message may become final, or complete, after its turn was closed.
      const { messages } = (await backend.get(`${this.#path}/conversation`)) as {
        messages: (FinalMessage & { provisional: boolean })[]
      }
      for (const message of messages) if (message.turn === turn && !message.provisional) await this.#sendText(message)
    } finally {
      ended.abort()
      requests.close()
    }
    return this.#isCancelled ? 'cancelled' : 'end_turn'
  }

  /** Interrupts the agent; the prompt then ends as cancelled. */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    await this.#interrupt()
  }

  /** A prompt that is only being typed cannot be interrupted yet: `#follow` tries it again. */
  async #interrupt(): Promise<void> {
    if (this.#isInterrupted) return
    const { result } = (await this.#options.backend.post(`${this.#path}/interrupt`)) as { result: string }
    if (result === 'interrupted') this.#isInterrupted = true
  }

  /**
   * Follows the session until the turn of the prompt is closed.
   * @returns the turn; null if the agent took the prompt and opened none, as for a command of its
   * own.
   */
  async #follow(since: string, signal: AbortSignal, requests: EditorRequests): Promise<string | null> {
    const { backend, session } = this.#options
    let turn: string | undefined
    /** Events that came before the turn of the prompt was known. */
    const closed = new Set<string>()
    const early: FinalMessage[] = []
    for await (const { event, data } of backend.events(session, { since, signal })) {
      const fields = (data as { data?: EventFields }).data
      if (event.startsWith('approval.')) void requests.showNew().catch(() => undefined)
      if (event === 'session.ended' || event === 'session.lost')
        throw new SignalboxError('E_STATE', 'the session has ended')
      if (this.#isCancelled && WORKING.has(event)) void this.#interrupt().catch(() => undefined)
      if (!fields) continue
      if (event === 'message.final') {
        if (turn === undefined) early.push(fields)
        else if (fields.turn === turn) await this.#sendText(fields)
      }
      if (event === 'turn.closed') closed.add(fields.turn)
      if (event === 'prompt.ended' && fields.prompt === this.#prompt) {
        checkSent(fields as Sent & EventFields)
        if (!fields.turn) return null
        turn = fields.turn
        for (const message of early) if (message.turn === turn) await this.#sendText(message)
      }
      if (turn !== undefined && closed.has(turn)) return turn
    }
    return turn ?? null
  }

  async #sendText({ message, markdown }: FinalMessage): Promise<void> {
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

function checkSent({ result, detail }: Sent): void {
  if (result === 'delivered' || result === 'queued' || result === 'held') return
  throw new SignalboxError('E_STATE', `the prompt was not delivered: ${detail ?? result}`)
}
