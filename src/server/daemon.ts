import { join } from 'node:path'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { Host, type HostSettings } from '../host/index.js'
import { startKeeper } from '../keeper/index.js'
import { acquireLock } from '../process/index.js'
import { openRuns } from '../runs/index.js'
import { OWNER } from './credential.js'
import type { ServerExtras } from './extras.js'
import { ApiServer } from './open-server.js'
import type { ServerParts } from './parts.js'
import type { ServerSettings } from './settings.js'

export interface Daemon {
  socketPath: string
  /** The address of the dashboard; null if it could not listen. */
  address: string | null
  /** A new login link for the owner; null if the dashboard has no address. */
  link(): string | null
  /** Resolves when the daemon was asked to stop. */
  stopping: Promise<void>
  /** Resolves when the daemon has stopped. */
  stopped: Promise<void>
  stop(): void
}

/**
 * Starts the daemon of a home directory. A lock, not the socket file, ensures that there is only
 * one. The keeper owns the sessions, so stopping or killing the daemon does not end them.
 */
export async function startDaemon(options: {
  settings: HostSettings
  server: ServerSettings
  /** Operations that other rooms implement. */
  extras?: ServerExtras
  /** Another surface on the same host, such as the bot: opened last, closed first. */
  surface?(parts: { host: Host; lockdown: ServerParts['lockdown'] }): { stop(): Promise<void> }
  /**
   * A command started the daemon for a session, not for the dashboard: a port that is in use is
   * then not an error.
   */
  isDetached: boolean
  clock: Clock
  version: string
  /** When the program was built. */
  buildTime?: number
  log(line: string): void
}): Promise<Daemon> {
  const { settings, clock, version, log } = options
  const lock = await acquireLock(join(settings.runtimeDirectory, 'daemon.lock'))
  if (!lock)
    throw new SignalboxError('E_DAEMON_RUNNING', 'a daemon is already running for this home directory', {
      next: 'signalbox serve --link opens its dashboard; signalbox serve --stop ends it',
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
      // Without its keeper the daemon has no sessions; the next command starts a new daemon and
      // keeper.
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
    ...(settings.prices && { prices: settings.prices }),
    ...(settings.maxParallel && { maxParallel: settings.maxParallel }),
    ...(settings.commands && { commands: settings.commands }),
    // A run that was started at a terminal stays there, with its environment and the person who can
    // resume it.
    isWanted: run => run.labels.host === 'daemon',
    onError,
  })
  runs.start()
  const end = async () => {
    await runs.close().catch(onError)
    await host.close().catch(onError)
    await keeper.close()
    lock.release()
  }
  const server = await open(options, { host, runs, stop: () => stop() }).catch(async error => {
    await end()
    throw error
  })
  const surface = options.surface?.({ host, lockdown: server.parts.lockdown })
  const finished = stopped.then(async () => {
    await surface?.stop().catch(onError)
    await server.close()
    await host.store
      .append('host', 'any', [newEvent('host.stopped', { pid: process.pid, reason: 'asked to' })])
      .catch(onError)
    await end()
  })
  return {
    socketPath: settings.daemonSocket,
    address: server.address,
    link: () => server.address && `${server.address}/login#${server.parts.auth.codes.make(OWNER)}`,
    stopping: stopped,
    stopped: finished,
    stop: () => stop(),
  }
}

async function open(
  {
    settings,
    server: serverSettings,
    extras,
    isDetached,
    clock,
    version,
    buildTime = 0,
    log,
  }: Parameters<typeof startDaemon>[0],
  parts: Pick<Parameters<typeof ApiServer.open>[0], 'host' | 'runs' | 'stop'>,
): Promise<ApiServer> {
  const server = await ApiServer.open({
    ...parts,
    settings: serverSettings,
    ...(extras && { extras }),
    clock,
    version,
    build: { time: buildTime, isDetached },
    log,
  })
  try {
    const address = await server.listenOnTcp()
    log(`the dashboard is at ${address}`)
  } catch (error) {
    if (!(isDetached && error instanceof SignalboxError && error.code === 'E_PORT')) {
      await server.close()
      throw error
    }
    log(`error: ${error.message}`)
  }
  await server.listenOnSocket(settings.daemonSocket)
  log(`listening on ${settings.daemonSocket}`)
  return server
}
