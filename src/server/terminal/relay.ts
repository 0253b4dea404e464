import { SignalboxError } from '../../errors/index.js'
import type { RemoteSession } from '../../host/index.js'
import type { TerminalChannel } from '../../workers/index.js'
import { INPUT_MAX_BYTES, UNSENT_CLOSE_BYTES, type ViewerSocket } from './connection.js'
import type { ViewerHello, ViewerMessage } from './messages.js'

/** What a worker needs to open a terminal for a viewer; the server has checked who that is. */
export interface TerminalRequest {
  hello: Omit<ViewerHello, 'proof'>
  name: string
  mayType: boolean
  hasScrollback: boolean
  maxViewers: number
}

/**
 * A terminal of a session on a worker: passes its messages on, unchanged and in both directions.
 * The worker draws, and waits for the viewer's acknowledgements; nothing is collected here.
 */
export class RelayedTerminal {
  readonly #channel: TerminalChannel

  private constructor(channel: TerminalChannel) {
    this.#channel = channel
  }

  static async open(socket: ViewerSocket, session: RemoteSession, request: TerminalRequest): Promise<RelayedTerminal> {
    const send = (data: string | Uint8Array) => {
      if (socket.readyState !== socket.OPEN) return
      // It acknowledges what it does not read.
      if (socket.bufferedAmount > UNSENT_CLOSE_BYTES) return socket.terminate()
      socket.send(data, { binary: typeof data !== 'string' }, () => undefined)
    }
    const { proof: _, ...hello } = request.hello as ViewerHello
    const channel = await session.attach(
      { ...request, hello },
      { text: send, bytes: send, closed: () => socket.close() },
    )
    if (socket.readyState === socket.OPEN) return new RelayedTerminal(channel)
    channel.close()
    throw new SignalboxError('E_STATE', 'the viewer has left')
  }

  receive(message: Exclude<ViewerMessage, ViewerHello>): void {
    this.#channel.text(JSON.stringify(message))
  }

  input(bytes: Uint8Array): void {
    if (bytes.length <= INPUT_MAX_BYTES) this.#channel.bytes(bytes)
  }

  close(): void {
    this.#channel.close()
  }
}
