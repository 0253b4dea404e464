// Runs inside a sandbox with a filtered network: makes the socket of the proxy a port of the
// sandbox, and starts the program. A sandbox has no other way to the network.
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'
import { CLIENT_PORT_HEADER } from './client-port.js'

const [socketPath, file, ...args] = process.argv.slice(2)
if (!socketPath || !file) {
  console.error('usage: bridge <socket of the proxy> <program> [arguments]')
  process.exit(2)
}
/** Names the port of the client in its first request, so that a person sees which program asks. */
function withPort(chunk: Buffer, port: number): Buffer {
  const end = chunk.indexOf('\r\n')
  if (end < 0) return chunk
  const header = Buffer.from(`\r\n${CLIENT_PORT_HEADER}: ${port}`)
  return Buffer.concat([chunk.subarray(0, end), header, chunk.subarray(end)])
}

const server = createServer(client => {
  const proxy = connect(socketPath)
  const { remotePort = 0 } = client
  client.once('data', chunk => {
    proxy.write(withPort(chunk, remotePort))
    client.pipe(proxy)
  })
  proxy.pipe(client)
  for (const socket of [client, proxy]) {
    socket.on('error', () => undefined)
    socket.on('close', () => void (socket === client ? proxy : client).destroy())
  }
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  const proxy = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...Object.fromEntries(names.map(name => [name, proxy])),
      // Node's own fetch uses a proxy only with this variable (Node 24, 22.21).
      NODE_USE_ENV_PROXY: '1',
    },
  })
  // The terminal sends these to the whole group; the program decides what they mean.
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGWINCH'] as const) process.on(signal, () => undefined)
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void child.kill(signal))
  child.on('error', error => {
    console.error(error.message)
    process.exit(127)
  })
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal!] ?? 0)))
})
