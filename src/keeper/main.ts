// The keeper as its own process. The daemon starts it; it outlives the daemon and exits when it has
// no session and no connection.
import { systemClock, type Timer } from '../clock/index.js'
import { acquireLock, loadLibc, reportStarted } from '../process/index.js'
import { Keeper } from './keeper.js'
import { KeeperServer } from './keeper-server.js'

/** How long an unused keeper waits for a connection. */
const IDLE_EXIT_MS = 30_000

const [lockPath, socketPath] = process.argv.slice(2)
if (!lockPath || !socketPath) {
  console.error('usage: keeper <lock file> <socket>')
  process.exit(2)
}
process.umask(0o077)
process.title = 'signalbox-keeper'
// SIGHUP and SIGINT are meant for the programs in the terminals, not for the keeper. SIGUSR1 would
// open Node's debugger on a port, to every program of this user.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGPIPE', 'SIGUSR1'] as const) process.on(signal, () => undefined)

// Agents run as the same user: they must not read its secret, nor type through its descriptors.
if (!process.env.SIGNALBOX_TRACEABLE) (await loadLibc())?.hideMemory()

const lock = await acquireLock(lockPath)
if (!lock) process.exit(0) // another keeper was faster: the caller will find that one

const keeper = new Keeper(systemClock)
let idleTimer: Timer | null = null
const server = new KeeperServer(keeper, leaveWhenUnused)
await server.listen(socketPath)
reportStarted()
leaveWhenUnused()

function leaveWhenUnused(): void {
  idleTimer?.cancel()
  idleTimer = null
  if (server.connectionCount > 0) return
  idleTimer = systemClock.setTimer(IDLE_EXIT_MS, () => {
    if (keeper.isNeeded) return leaveWhenUnused()
    server.close()
    lock?.release()
    process.exit(0)
  })
}

process.on('SIGTERM', () => {
  void keeper.close().finally(() => process.exit(0))
})
