import { renderMarkdown } from '../../screen/index.js'
import type { RecordingEvent } from '../../terminal/recording/index.js'
import { AcpConversation, type AcpEvent, type ClientCall } from './acp-conversation.js'
import { LineSplitter, parseMessage } from './wire.js'

/** What happened in a session over the protocol, and which message of it said so. */
interface ProtocolMoment {
  /** Seconds since the start. */
  t: number
  /** Who sent the message. */
  from: 'signalbox' | 'agent'
  /** The method of the message; null for an answer. */
  method: string | null
  is: AcpEvent['kind']
  text: string
}

/** Whether a recording has messages of the protocol instead of a screen. */
export function isProtocolRecording(events: readonly RecordingEvent[]): boolean {
  const first = events.find(event => event.kind === 'input' || event.kind === 'output')
  if (first?.kind !== 'input' && first?.kind !== 'output') return false
  const lines = new TextDecoder().decode(first.bytes).split('\n')
  return parseMessage(lines[0]!.trim()) !== null
}

/** The recording of a session over the protocol, folded again as the session itself did. */
export function* replayProtocol(events: readonly RecordingEvent[]): Generator<ProtocolMoment> {
  const conversation = new AcpConversation('recording')
  const splitters = { input: new LineSplitter(), output: new LineSplitter() }
  for (const event of events) {
    if (event.kind !== 'input' && event.kind !== 'output') continue
    const isSent = event.kind === 'input'
    for (const line of splitters[event.kind].push(event.bytes)) {
      const message = parseMessage(line)
      if (!message) continue
      const found = isSent ? conversation.sent(message, event.t) : conversation.received(message, event.t)
      for (const happened of found) {
        const text = textOf(happened)
        if (text === null) continue
        const from = isSent ? ('signalbox' as const) : ('agent' as const)
        yield { t: event.t, from, method: message.method ?? null, is: happened.kind, text }
      }
    }
  }
}

/** Null for what is part of something else. */
function textOf(event: AcpEvent): string | null {
  switch (event.kind) {
    case 'initialized':
      return event.version === undefined ? 'the agent is ready' : `the agent is ready, version ${event.version}`
    case 'identified':
      return `conversation ${event.agentSession}`
    case 'handshake-failed':
      return `${event.method} failed: ${event.error.message}`
    case 'turn-opened':
      return event.prompt
    case 'message-closed':
      return renderMarkdown(event.closed.blocks)
    case 'turn-closed':
      return event.error === undefined ? event.outcome : `${event.outcome}: ${event.error.message}`
    case 'asked':
      return event.ask.title
    case 'answered':
      return event.option === null ? 'cancelled' : (labelOf(event) ?? event.option)
    case 'called':
      return textOfCall(event.call)
    case 'call-answered':
      return event.error === null ? null : `${event.call.method} failed: ${event.error.message}`
    case 'unsupported':
      return `the agent called ${event.method}, which Signalbox does not offer`
    case 'said':
    case 'stated':
      return null
  }
}

function textOfCall({ method, params, terminal }: ClientCall): string {
  const { path, command, args, terminalId } = params
  const words = [command, ...(Array.isArray(args) ? args : []), path, terminal ?? terminalId]
  return [method, ...words.filter(word => typeof word === 'string')].join(' ')
}

function labelOf({ ask, option }: Extract<AcpEvent, { kind: 'answered' }>): string | undefined {
  return ask.options.find(({ optionId }) => optionId === option)?.name
}
