import {
  type AgentContext,
  agent,
  type ContentBlock,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import { SignalboxError } from '../errors/index.js'
import type { AcpBackend } from './backend.js'
import { PromptTurn } from './prompt-turn.js'

export interface AcpOptions {
  backend: AcpBackend
  /** The agent that sessions start. */
  agent: string
  version: string
  /** The person who decides in the editor. */
  person: { id: string; name: string }
  input: ReadableStream<Uint8Array>
  output: WritableStream<Uint8Array>
}

interface Conversation {
  prompts: { turn: string; text: string }[]
  messages: { turn: string; markdown: string; provisional: boolean }[]
}

/** Serves one editor until it closes the connection. */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { backend, person } = options
  const turns = new Map<string, PromptTurn>()
  const app = agent({ name: 'signalbox' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'signalbox', title: `Signalbox (${options.agent})`, version: options.version },
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, ({ params }) =>
      answered(async () => {
        const body = { agent: options.agent, cwd: params.cwd }
        const { id } = (await backend.post('/sessions', body)) as { id: string }
        return { sessionId: id }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      answered(async () => {
        await replay(backend, client, params.sessionId)
        return {}
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      answered(async () => {
        const turn = new PromptTurn({ backend, person, client, session: params.sessionId, signal })
        turns.set(params.sessionId, turn)
        try {
          return { stopReason: await turn.run(textOf(params.prompt)) }
        } finally {
          turns.delete(params.sessionId)
        }
      }),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => turns.get(params.sessionId)?.cancel())
  await app.connect(ndJsonStream(options.output, options.input)).closed
}

/** Errors of Signalbox, with what to do, as errors of the protocol. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { code, message, next } = error
    throw new RequestError(-32000, message, { code, ...(next !== undefined && { next }) })
  }
}

/** The conversation so far, in order. */
async function replay(backend: AcpBackend, client: AgentContext, sessionId: string): Promise<void> {
  const path = `/sessions/${encodeURIComponent(sessionId)}/conversation`
  const { prompts, messages } = (await backend.get(path)) as Conversation
  const say = (sessionUpdate: 'user_message_chunk' | 'agent_message_chunk', text: string) =>
    client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate, content: { type: 'text', text } },
    })
  for (const { turn, text } of prompts) {
    await say('user_message_chunk', text)
    for (const message of messages) if (message.turn === turn) await say('agent_message_chunk', message.markdown)
  }
}

/** The prompt as the text that is typed: files are named, their embedded text follows. */
function textOf(parts: readonly ContentBlock[]): string {
  return parts
    .map(part => {
      if (part.type === 'text') return part.text
      if (part.type === 'resource_link') return part.uri
      if (part.type !== 'resource') return ''
      return `${part.resource.uri}\n${'text' in part.resource ? part.resource.text : ''}`
    })
    .filter(text => text !== '')
    .join('\n')
}
