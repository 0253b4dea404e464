// Runs inside a sandbox with a filtered network: makes the socket of the proxy a port of the
// sandbox. A sandbox has no other way to the network. `--fd <n>`: the port is open already
// (bridge.ts); otherwise it opens one and starts the program.
import { spawn } from 'node:child_process'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { constants } from 'node:os'
import { PROXY_SETTINGS, PROXY_VARIABLES } from './bridge.js'
import { CLIENT_PORT_HEADER } from './client-port.js'

const [socketPath, file, ...args] = process.argv.slice(2)
if (!socketPath || !file) {
  console.error('usage: bridge <socket of the proxy> --fd <number> | <program> [arguments]')
  process.exit(2)
}

/**
 * The port, if the address means this machine; in the sandbox that is the sandbox itself. Agents
 * talk to servers of their own, and not every program knows that these need no proxy.
 */
function ownPort(address: string): number | null {
  const match = /^(?:127\.[\d.]+|localhost|\[::1\])(?::(\d{1,5}))?$/i.exec(address)
  return match && Number(match[1] ?? 80)
}

/** A connection to a server in the sandbox; null if none listens there. */
function connectInside(port: number | null): Promise<Socket | null> {
  if (port === null) return Promise.resolve(null)
  return new Promise(resolve => {
    const socket = connect(port, 'localhost', () => resolve(socket.off('error', refused)))
    const refused = () => resolve(null)
    socket.on('error', refused)
  })
}

function join(one: Socket, other: Socket): void {
  one.pipe(other)
  other.pipe(one)
  for (const [socket, peer] of [
    [one, other],
    [other, one],
  ] as const) {
    socket.on('error', () => undefined)
    socket.on('close', () => void peer.destroy())
  }
}

/** Names the port of the client, so that a person sees which program asks. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host, pathname, search } = new URL(request.url ?? '')
  const inside = await connectInside(ownPort(host))
  const headers = inside
    ? request.headers
    : { ...request.headers, [CLIENT_PORT_HEADER]: String(request.socket.remotePort ?? 0) }
  const target = inside
    ? { createConnection: () => inside, path: `${pathname}${search}` }
    : { socketPath, path: request.url ?? '', agent: false as const }
  const upstream = httpRequest({ ...target, method: request.method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.on('close', () => upstream.destroy())
  request.pipe(upstream)
}

async function tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  client.on('error', () => undefined)
  const inside = await connectInside(ownPort(request.url ?? ''))
  const upstream = inside ?? connect(socketPath!)
  if (inside) client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
  else
    upstream.write(
      `CONNECT ${request.url} HTTP/1.1\r\nhost: ${request.url}\r\n${CLIENT_PORT_HEADER}: ${client.remotePort ?? 0}\r\n\r\n`,
    )
  upstream.write(head)
  join(client, upstream)
}

const server = createServer((request, response) => {
  void forward(request, response).catch(() => response.writeHead(400).end())
})
server.on('connect', (request, client: Socket, head: Buffer) => void tunnel(request, client, head))
function startProgram(): void {
  const { port } = server.address() as { port: number }
  const names = Object.fromEntries(PROXY_VARIABLES.map(name => [name, `http://127.0.0.1:${port}`]))
  const child = spawn(file!, args, { stdio: 'inherit', env: { ...process.env, ...names, ...PROXY_SETTINGS } })
  // The terminal sends these to the whole group; the program decides what they mean.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGWINCH'] as const) process.on(signal, () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void child.kill(signal))
  child.on('error', error => {
    console.error(error.message)
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal!] ?? 0)))
}

if (file === '--fd') server.listen({ fd: Number(args[0]) })
else server.listen(0, '127.0.0.1', startProgram)
