import type { KeeperPort } from '../../keeper/index.js'
import type { AcpConversation, AcpEvent, PermissionAsk } from './acp-conversation.js'
import { callOfLabel } from './begin-label.js'
import { encodeMessage, LineSplitter, parseMessage, type RpcMessage } from './wire.js'

interface AcpChannelOptions {
  session: string
  keeper: Pick<KeeperPort, 'write'>
  conversation: AcpConversation
  /** What a message of either direction means. */
  perform(event: AcpEvent): void
}

/** Lines of the agent that are not messages of the protocol: the newest say why it ended. */
const OTHER_LINES_KEPT = 50

/** Bytes of both directions → messages → events of the conversation; calls and answers → bytes. */
export class AcpChannel {
  readonly #options: AcpChannelOptions
  readonly #received = new LineSplitter()
  readonly #sent = new LineSplitter()
  #offset = 0
  #t = 0
  #otherLines: readonly string[] = []

  constructor(options: AcpChannelOptions) {
    this.#options = options
  }

  get offset(): number {
    return this.#offset
  }

  /** The time of the newest message, in seconds since the start. */
  get t(): number {
    return this.#t
  }

  get otherLines(): readonly string[] {
    return this.#otherLines
  }

  output(bytes: Uint8Array, t: number, offset: number): void {
    this.#offset = offset + bytes.length
    this.#t = t
    for (const line of this.#received.push(bytes)) {
      const message = parseMessage(line)
      if (message) this.#perform(this.#options.conversation.received(message, t))
      else if (line !== '') this.#otherLines = [...this.#otherLines, line].slice(-OTHER_LINES_KEPT)
    }
  }

  /** What an earlier host wrote. */
  typed(bytes: Uint8Array, t: number): void {
    this.#t = t
    for (const line of this.#sent.push(bytes)) {
      const message = parseMessage(line)
      if (message) this.#perform(this.#options.conversation.sent(message, t))
    }
  }

  /** A marker of the recording. */
  marked(label: string): void {
    const rpc = callOfLabel(label)
    if (rpc !== null) this.#options.conversation.callStarted(rpc)
  }

  /** A command that Signalbox runs for the agent has printed this so far. */
  printed(terminal: string, output: string): void {
    this.#perform(this.#options.conversation.printed(terminal, output))
  }

  exited(t: number): void {
    this.#perform(this.#options.conversation.exited(t))
  }

  call(method: string, params: unknown): Promise<void> {
    return this.write({ id: this.#options.conversation.nextCall, method, params })
  }

  /** Answers a permission call; null: it was cancelled. */
  answer({ rpc }: PermissionAsk, option: string | null): Promise<void> {
    const outcome = option === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option }
    return this.write({ id: rpc, result: { outcome } })
  }

  async write(message: RpcMessage): Promise<void> {
    const { session, keeper, conversation } = this.#options
    this.#perform(conversation.sent(message, this.#t))
    await keeper.write(session, encodeMessage(message))
  }

  #perform(events: readonly AcpEvent[]): void {
    for (const event of events) this.#options.perform(event)
  }
}
