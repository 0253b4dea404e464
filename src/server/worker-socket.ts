import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { type WebSocket, WebSocketServer } from 'ws'
import { SignalboxError } from '../errors/index.js'
import { channelProof, MESSAGE_MAX_BYTES, SUBPROTOCOL, type WorkerHub } from '../workers/index.js'

export const WORKER_PATH = '/api/v1/worker'

/**
 * The WebSocket of workers: `GET /api/v1/worker`. A worker proves its key in its first message, for
 * this channel only; a page never has such a key.
 */
export class WorkerSockets {
  readonly #hub: WorkerHub
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_MAX_BYTES,
    handleProtocols: protocols => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  })

  constructor(hub: WorkerHub) {
    this.#hub = hub
  }

  /** @throws SignalboxError `E_ORIGIN` */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (request.headers.origin !== undefined)
      throw new SignalboxError('E_ORIGIN', 'the socket of workers accepts no requests from web pages')
    this.#sockets.handleUpgrade(request, socket, head, webSocket => this.#open(webSocket, request))
  }

  #open(socket: WebSocket, { socket: channel }: IncomingMessage): void {
    const isSecure = (channel as Partial<TLSSocket>).encrypted === true
    const connection = this.#hub.accept({
      proof: isSecure ? channelProof(channel as TLSSocket) : '',
      send: message => {
        if (socket.readyState === socket.OPEN) socket.send(message, { binary: typeof message !== 'string' })
      },
      close: reason => socket.close(4000, reason.slice(0, 100)),
    })
    socket.on('message', (data, isBinary) => {
      if (isBinary) connection.binary(data as Buffer)
      else connection.message(String(data))
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => connection.closed())
  }
}
