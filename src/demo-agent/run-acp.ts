import { Readable, Writable } from 'node:stream'
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import { AcpSurface } from './acp/acp-surface.js'
import { clientTools } from './acp/client-tools.js'
import type { Options } from './args.js'
import { improviser } from './headless/improvise.js'
import { openSession, VERSION } from './open-session.js'
import { Pace } from './pace.js'
import { Permissions } from './player/permissions.js'
import { progressOf, Session } from './player/session.js'
import type { TranscriptRecord } from './transcript.js'

interface Conversation {
  session: Session
  surface: AcpSurface
  close(): void
}

/** The demo agent for programs that speak the Agent Client Protocol, such as editors. */
export async function runAcp(options: Options): Promise<void> {
  const open = new Map<string, Conversation>()
  let capabilities: ClientCapabilities = {}
  const begin = (
    client: AgentContext,
    resume: string | null,
    cwd: string,
  ): { id: string; records: TranscriptRecord[] } => {
    const { scenario, transcript, records, hooks, home } = openSession({ ...options, resume }, 'tour', cwd)
    const surface = new AcpSurface(client, transcript.id)
    const session = new Session({
      scenario,
      surface,
      transcript,
      hooks,
      pace: new Pace(options.speed),
      permissions: new Permissions(options.permissionMode, false),
      tools: clientTools({ client, sessionId: transcript.id, surface, capabilities }),
      cwd,
      progress: progressOf(records),
      isResumed: records.length > 0,
      improvise: improviser(scenario, home, cwd),
    })
    open.set(transcript.id, { session, surface, close: () => transcript.close() })
    return { id: transcript.id, records }
  }
  const find = (id: string): Conversation => {
    const found = open.get(id)
    if (!found) throw RequestError.invalidParams({ sessionId: id })
    return found
  }
  const app = agent({ name: 'signalbox-demo' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'signalbox-demo', title: 'Demo agent', version: VERSION },
        agentCapabilities: { loadSession: true },
        authMethods: [],
      }
    })
    .onRequest(methods.agent.session.new, ({ params, client }) => ({
      sessionId: begin(client, null, params.cwd).id,
    }))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const { records } = begin(client, params.sessionId, params.cwd)
      await replay(client, params.sessionId, records)
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const { session, surface } = find(params.sessionId)
      const text = params.prompt.map(part => (part.type === 'text' ? part.text : '')).join('\n')
      const end = await session.prompt(text)
      await surface.untilSent()
      if (end.outcome === 'failed') throw new RequestError(-32_603, surface.failure?.message ?? 'the turn failed')
      return { stopReason: end.outcome === 'interrupted' ? ('cancelled' as const) : ('end_turn' as const) }
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => find(params.sessionId).session.interrupt())
  const leave = (code: number) => {
    for (const { session, close } of open.values()) {
      session.interrupt()
      session.background.stopAll()
      close()
    }
    process.exit(code)
  }
  process.on('SIGTERM', () => leave(143))
  process.on('SIGINT', () => leave(130))
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  await app.connect(ndJsonStream(output, input)).closed
  leave(0)
}

/** The conversation so far, in order. */
async function replay(client: AgentContext, sessionId: string, records: readonly TranscriptRecord[]): Promise<void> {
  for (const { type, text } of records) {
    if ((type !== 'user' && type !== 'assistant') || typeof text !== 'string') continue
    const sessionUpdate = type === 'user' ? ('user_message_chunk' as const) : ('agent_message_chunk' as const)
    await client.notify(methods.client.session.update, {
      sessionId,
      update: { sessionUpdate, content: { type: 'text', text } },
    })
  }
}
