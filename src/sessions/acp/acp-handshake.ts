import type { SessionRecord } from '../live/session-record.js'
import type { AcpConversation, AcpEvent } from './acp-conversation.js'
import { ERROR, METHOD, PROTOCOL_VERSION } from './wire.js'

type Failure = Extract<AcpEvent, { kind: 'handshake-failed' }>
type Capabilities = Extract<AcpEvent, { kind: 'initialized' }>

interface AcpHandshakeOptions {
  record: Pick<SessionRecord, 'agent' | 'number' | 'cwd' | 'resumedFrom' | 'agentSessionId'>
  version: string
  /** What Signalbox does for the agent. */
  offers: { reading: boolean; writing: boolean; terminals: boolean }
  conversation: AcpConversation
  call(method: string, params: unknown): Promise<void>
}

const OPENING_METHODS = [METHOD.initialize, METHOD.newSession, METHOD.loadSession, METHOD.resumeSession]

/**
 * Opens the agent's conversation: initialize, then a new session or an earlier one. Each call
 * follows from the messages so far, so that a new daemon continues where another one stopped.
 */
export class AcpHandshake {
  readonly #options: AcpHandshakeOptions
  #capabilities: Capabilities | null = null
  #failure: Failure | null = null

  constructor(options: AcpHandshakeOptions) {
    this.#options = options
  }

  get failure(): Failure | null {
    return this.#failure
  }

  /** The agent wants a sign-in, which is done with its own program. */
  get needsSignIn(): boolean {
    return this.#failure?.error.code === ERROR.authRequired
  }

  get agentVersion(): string | undefined {
    return this.#capabilities?.version
  }

  initialized(capabilities: Capabilities): void {
    this.#capabilities = capabilities
  }

  failed(failure: Failure): void {
    this.#failure = failure
  }

  /** For the person who waits for the session. */
  get notice(): { kind: 'auth' | 'not-ready'; text: string } | null {
    if (!this.#failure) return null
    const { method, error } = this.#failure
    const { number, agent } = this.#options.record
    if (this.needsSignIn)
      return {
        kind: 'auth',
        text: `Session ${number}: ${agent} asks for a sign-in. Sign in with its own program, then start the session again.`,
      }
    return {
      kind: 'not-ready',
      text: `Session ${number}: ${agent} did not open a conversation (${method}: ${error.message}).`,
    }
  }

  /**
   * The next call, if none is under way. @returns the failure, if the agent cannot do what is
   * needed.
   */
  async proceed(): Promise<Failure | null> {
    const { record, version, offers, conversation, call } = this.#options
    if (conversation.agentSession !== null || this.#failure || conversation.isCalling(...OPENING_METHODS)) return null
    if (!this.#capabilities) {
      await call(METHOD.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        // In a sandbox the agent has its own: those of the daemon would be outside.
        clientCapabilities: {
          fs: { readTextFile: offers.reading, writeTextFile: offers.writing },
          terminal: offers.terminals,
        },
        clientInfo: { name: 'signalbox', title: 'Signalbox', version },
      })
      return null
    }
    const directories = { cwd: record.cwd, mcpServers: [] }
    const { canLoad, canResume } = this.#capabilities
    const { resumedFrom, agentSessionId: sessionId } = record
    if (resumedFrom === undefined || sessionId === undefined) await call(METHOD.newSession, directories)
    else if (canResume) await call(METHOD.resumeSession, { sessionId, ...directories })
    else if (canLoad) await call(METHOD.loadSession, { sessionId, ...directories })
    else {
      const message = 'the agent cannot load an earlier conversation'
      return {
        kind: 'handshake-failed',
        method: METHOD.loadSession,
        error: { code: ERROR.methodNotFound, message },
      }
    }
    return null
  }
}
