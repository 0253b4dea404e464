// From a key to its echo: the terminal of the dashboard beside the least that a terminal over a
// WebSocket can be, a PTY whose bytes are passed on as they come. ttyd is such a bridge, written in
// C; Debian 12 does not have it, and the package "ttyd" of npm is its page only.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { WebSocket, WebSocketServer } from 'ws'
import { DaemonHome, sleep } from '../daemon-home.mjs'

const KEYS = 200
const EVERY_MS = 20

/** @returns milliseconds from a key to its echo, sorted, for both; keys are sent in turns. */
export async function measureLatency() {
  const home = new DaemonHome()
  const bridge = await startBridge()
  try {
    home.startDaemon()
    const session = await home.post('/sessions', { agent: null, args: ['cat'], cwd: home.cwd, env: home.env })
    const ours = await openOurs(home, session.id)
    const theirs = await openSocket(new WebSocket(`ws://127.0.0.1:${bridge.port}`))
    const times = { ours: [], theirs: [] }
    for (let n = 0; n < KEYS; n++) {
      const key = String.fromCharCode(97 + (n % 26))
      times.theirs.push(await echoOf(theirs, key))
      await sleep(EVERY_MS)
      times.ours.push(await echoOf(ours, key))
      await sleep(EVERY_MS)
      // A terminal holds a line of at most 4 096 bytes.
      if (n % 50 === 49) for (const socket of [ours, theirs]) socket.send(Buffer.from('\r'))
    }
    ours.terminate()
    theirs.terminate()
    for (const list of Object.values(times)) list.sort((a, b) => a - b)
    return times
  } finally {
    bridge.close()
    await home.close()
  }
}

/** A PTY for each connection: output and input are binary frames, nothing is parsed or kept. */
async function startBridge() {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  const programs = []
  sockets.on('connection', socket => {
    const program = spawnPty('cat', [], { cols: 80, rows: 24, encoding: null })
    programs.push(program)
    program.onData(bytes => socket.send(bytes))
    socket.on('message', bytes => program.write(bytes.toString()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    for (const program of programs) program.kill()
    sockets.close()
    server.close()
    server.closeAllConnections()
  }
  return { port: server.address().port, close }
}

async function openOurs(home, id) {
  const path = join(home.home, 'run', 'signalbox.sock')
  const socket = await openSocket(
    new WebSocket(`ws+unix://${path}:/api/v1/panes/${id}/terminal`, 'signalbox.terminal.v1'),
  )
  socket.send(JSON.stringify({ type: 'hello', want: 'input', cols: 80, rows: 24 }))
  socket.send(JSON.stringify({ type: 'take' }))
  for (;;) {
    const [data, isBinary] = await once(socket, 'message')
    if (!isBinary && JSON.parse(data).isYours) return socket
  }
}

async function openSocket(socket) {
  await once(socket, 'open')
  return socket
}

function echoOf(socket, key) {
  const sentAt = performance.now()
  return new Promise(resolve => {
    const listen = (data, isBinary) => {
      if (!isBinary || !data.includes(key)) return
      socket.off('message', listen)
      resolve(performance.now() - sentAt)
    }
    socket.on('message', listen)
    socket.send(Buffer.from(key))
  })
}
