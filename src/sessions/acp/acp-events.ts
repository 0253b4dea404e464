import type { AgentReport } from '../../agents/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { MessageWriter } from '../conversation/index.js'
import type { SessionEnding } from '../live/session-ending.js'
import type { SessionNotices } from '../live/session-notices.js'
import type { SessionRecord } from '../live/session-record.js'
import type { AcpChannel } from './acp-channel.js'
import type { AcpConversation, AcpEvent } from './acp-conversation.js'
import type { AcpHandshake } from './acp-handshake.js'
import type { AcpPhase } from './acp-phase.js'
import type { AcpRequests } from './acp-requests.js'
import type { ClientCalls } from './client/client-calls.js'
import { ERROR } from './wire.js'

interface AcpEventsOptions {
  session: Pick<SessionRecord, 'id' | 'number' | 'startedAt'>
  conversation: AcpConversation
  channel: AcpChannel
  handshake: AcpHandshake
  requests: AcpRequests
  /** Files and terminals for the agent; null if it has its own only. */
  clientCalls: ClientCalls | null
  messages: MessageWriter
  notices: SessionNotices
  ending: SessionEnding
  phase: AcpPhase
  /** Old messages are read; nothing acts on the agent or the ledger. */
  isCatchingUp(): boolean
  later(work: () => Promise<void>): void
  record<T extends EventType>(type: T, data: EventData<T>): void
  onReport(report: AgentReport): void
  onChanged(): void
}

/** What a session does with each event of its conversation. */
export class AcpEvents {
  readonly #options: AcpEventsOptions
  #reports = 0

  constructor(options: AcpEventsOptions) {
    this.#options = options
  }

  perform(event: AcpEvent): void {
    const { session, conversation, handshake, requests, messages, notices, ending, phase, record } = this.#options
    switch (event.kind) {
      case 'initialized':
        handshake.initialized(event)
        return this.#whenLive(() => this.continueHandshake())
      case 'identified':
        ending.identify(event.agentSession, 'acp', handshake.agentVersion)
        notices.ready()
        return record('session.ready', {})
      case 'handshake-failed':
        return this.#failHandshake(event)
      case 'turn-opened':
        record('turn.opened', { session: session.id, turn: event.turn, prompt: event.prompt })
        return phase.update('prompt-sent')
      case 'said':
        messages.update(conversation.openMessage, conversation.blocks)
        return phase.update('response_content')
      case 'message-closed':
        return this.#closeMessage(event)
      case 'turn-closed':
        if (event.error) this.#noticeError(event.error.message)
        record('turn.closed', { session: session.id, turn: event.turn, outcome: event.outcome })
        this.#whenLive(() => requests.withdrawAll('the turn has ended'))
        return phase.update(event.outcome === 'interrupted' ? 'interrupted' : 'idle_prompt')
      case 'asked':
        phase.update('tool_menu:new')
        return this.#whenLive(() => requests.raise(event.ask))
      case 'answered':
        return phase.update('tool_running')
      case 'called': {
        const { clientCalls } = this.#options
        if (!clientCalls) return this.#refuse(event.call)
        // Not one after the other: a command may run for hours.
        return this.#whenLive(async () => clientCalls.serve(event.call))
      }
      case 'call-answered':
        return
      case 'unsupported':
        return this.#refuse(event)
      case 'stated':
        return this.#report(event.statement)
      default:
        return event satisfies never
    }
  }

  #refuse({ rpc, method }: { rpc: number | string; method: string }): void {
    const error = { code: ERROR.methodNotFound, message: `${method} is not offered` }
    this.#whenLive(() => this.#options.channel.write({ id: rpc, error }))
  }

  /** The next call that opens the agent's conversation. */
  async continueHandshake(): Promise<void> {
    const { handshake, ending } = this.#options
    const failure = ending.exit ? null : await handshake.proceed()
    if (failure) this.#failHandshake(failure)
  }

  #failHandshake(event: Extract<AcpEvent, { kind: 'handshake-failed' }>): void {
    const { session, handshake, notices, isCatchingUp, record, onChanged } = this.#options
    handshake.failed(event)
    notices.ready()
    const { notice } = handshake
    if (!isCatchingUp() && notice) record('session.noticed', { session: session.id, ...notice })
    onChanged()
  }

  #closeMessage({ closed, outcome }: Extract<AcpEvent, { kind: 'message-closed' }>): void {
    const { messages, ending } = this.#options
    const hasError = closed.blocks.at(-1)?.kind === 'error'
    if (outcome === 'interrupted') return messages.close(closed, { ending: 'interrupted', waits: false })
    const isFailed = outcome === 'failed' && !hasError
    const how = isFailed ? (ending.exit === null ? 'failed' : 'crashed') : null
    messages.close(closed, { ending: how, waits: false })
  }

  #noticeError(message: string): void {
    const { session, isCatchingUp, record } = this.#options
    const text = `Session ${session.number}: the agent ended its turn with an error: ${message}`
    if (!isCatchingUp()) record('session.noticed', { session: session.id, kind: 'error', text })
  }

  #report(statement: AgentReport['statement']): void {
    const { session, channel, onReport } = this.#options
    const at = Math.round(session.startedAt + channel.t * 1000)
    onReport({ id: `${session.id}/acp/${++this.#reports}`, channel: 'acp', at, statement })
  }

  /** What acts on the agent or the ledger; old messages cause nothing. */
  #whenLive(work: () => Promise<void>): void {
    if (!this.#options.isCatchingUp()) this.#options.later(work)
  }
}
