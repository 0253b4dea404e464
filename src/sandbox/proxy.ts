import { rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { programBehind } from '../process/index.js'
import { CLIENT_PORT_HEADER } from './client-port.js'

/** A host that a program in the sandbox wants to reach. */
export interface HostRequest {
  host: string
  port: number
  /** The program that wants it, and its command line, as far as known. */
  program?: string
  command?: string
}

interface ProxyOptions {
  /** The hosts of the plan. */
  hosts: readonly string[]
  /** Asks a person about any other host. The connection waits for the answer. */
  ask(wanted: HostRequest): Promise<boolean>
  /** No person could be asked: the host is refused. */
  onError(error: unknown): void
}

/**
 * The only way out of a sandbox with a filtered network: an HTTP proxy on a unix socket that is
 * visible in the sandbox. It forwards to allowed hosts and asks about the others.
 */
export class FilteringProxy {
  readonly #options: ProxyOptions
  readonly #server: Server
  readonly #sockets = new Set<Duplex>()
  /** Later requests of a connection do not name the port again. */
  readonly #ports = new WeakMap<Duplex, number>()

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      void this.#forward(request)
        .then(upstream => {
          if (!upstream) return response.writeHead(403).end('refused by the sandbox\n')
          upstream.on('response', answer => {
            response.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(response)
          })
          upstream.on('error', () => response.writeHead(502).end())
          request.pipe(upstream)
        })
        .catch(() => response.writeHead(400).end())
    })
    this.#server.on('connect', (request, socket: Duplex, head: Buffer) => void this.#tunnel(request, socket, head))
    this.#server.on('connection', socket => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  listen(path: string): Promise<void> {
    rmSync(path, { force: true })
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, () => resolve())
    })
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #mayReach(wanted: HostRequest, { socket, headers }: IncomingMessage): Promise<boolean> {
    if (isAllowedHost(wanted.host, this.#options.hosts)) return true
    const port = Number(headers[CLIENT_PORT_HEADER])
    if (Number.isInteger(port)) this.#ports.set(socket, port)
    const asker = await programBehind(socket, this.#ports.get(socket) ?? null).catch(() => null)
    return this.#options.ask({ ...wanted, ...asker }).catch(error => {
      this.#options.onError(error)
      return false
    })
  }

  async #forward(request: IncomingMessage) {
    const url = new URL(request.url ?? '')
    if (url.protocol !== 'http:') return null
    const wanted = { host: plainHost(url.hostname), port: Number(url.port || 80) }
    if (!(await this.#mayReach(wanted, request))) return null
    const { 'proxy-connection': _, [CLIENT_PORT_HEADER]: _port, ...headers } = request.headers
    return httpRequest({ ...wanted, method: request.method, path: `${url.pathname}${url.search}`, headers })
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const match = /^(?:\[([0-9a-f:.]+)\]|([^:]+)):(\d{1,5})$/i.exec(request.url ?? '')
    const wanted = match && { host: plainHost(match[1] ?? match[2]!), port: Number(match[3]) }
    if (!wanted || !(await this.#mayReach(wanted, request))) {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      return
    }
    const upstream = connect(wanted.port, wanted.host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  }
}

/** Whole names only: `example.com` allows neither `example.com.evil` nor its subdomains. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  return allowed.some(entry => {
    const name = plainHost(entry)
    return name.startsWith('.') ? host.endsWith(name) && host.length > name.length : host === name
  })
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}
