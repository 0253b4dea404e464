import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { type Clock, delay } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { Host, type HostSettings, openRuns } from '../host/index.js'
import { startKeeper } from '../keeper/index.js'
import { acquireLock } from '../process/index.js'
import { createApp } from './app.js'
import { serveTerminals } from './terminal-socket.js'

export interface Daemon {
  socketPath: string
  /** Resolves when the daemon has stopped. */
  stopped: Promise<void>
  stop(): void
}

/** How long requests under way have to be answered when the daemon stops. */
const ANSWER_MS = 100

/**
 * One per home directory: the lock decides, not the socket file. Sessions belong to the keeper, so stopping the daemon, or killing it,
 * ends none of them.
 */
export async function startDaemon(options: {
  settings: HostSettings
  clock: Clock
  version: string
  log(line: string): void
}): Promise<Daemon> {
  const { settings, clock, version, log } = options
  const lock = await acquireLock(join(settings.runtimeDirectory, 'daemon.lock'))
  if (!lock)
    throw new SignalboxError('E_DAEMON_RUNNING', 'a daemon is running for this home directory already', {
      next: 'signalbox serve --stop ends it',
    })
  const onError = (error: unknown) =>
    log(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  let stop: () => void = () => undefined
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  const keeper = await startKeeper({
    runtimeDirectory: settings.runtimeDirectory,
    socketPath: settings.keeperSocket,
    clock,
    onLost: error => {
      // Without its keeper a daemon knows nothing true any more; the next command starts a new pair.
      onError(error)
      stop()
    },
  })
  const host = await Host.open({ settings, clock, keeper, owner: 'daemon', version, onError }).catch(async error => {
    await keeper.close()
    lock.release()
    throw error
  })
  await host.store.append('host', 'any', [newEvent('host.started', { pid: process.pid, version })])
  const runs = openRuns({
    store: host.store,
    ledger: host.ledger,
    sessions: host,
    clock,
    dataDirectory: settings.dataDirectory,
    envPass: settings.envPass,
    env: process.env,
    isPersonal: false,
    maxRuns: settings.maxRuns,
    // A run that was begun at a terminal belongs there: with its environment, and with the person who can resume it.
    isWanted: run => run.labels.host === 'daemon',
    onError,
  })
  runs.start()
  const app = createApp({ host, version, startedAt: clock.now(), stop: () => stop() })
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  serveTerminals(server, host)
  const socketPath = settings.daemonSocket
  rmSync(socketPath, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, () => resolve())
  })
  chmodSync(socketPath, 0o600)
  log(`listening on ${socketPath}`)
  const finished = stopped.then(async () => {
    rmSync(socketPath, { force: true })
    server.close()
    // Whoever asked for the stop gets the answer; streams that never end are cut.
    await delay(clock, ANSWER_MS)
    server.closeAllConnections()
    await host.store
      .append('host', 'any', [newEvent('host.stopped', { pid: process.pid, reason: 'asked to' })])
      .catch(onError)
    await runs.close().catch(onError)
    await host.close().catch(onError)
    await keeper.close()
    lock.release()
  })
  return { socketPath, stopped: finished, stop: () => stop() }
}
