import { join } from 'node:path'
import { type Clock, ClosableClock } from '../clock/index.js'
import type { OpenEngine, RunHost, Servers } from '../engine/index.js'
import { errorLine, SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import { type Home, lockDaemon, openHome } from '../host/home/index.js'
import { Host, homeId } from '../host/index.js'
import { startKeeper } from '../keeper/index.js'
import { openEventWebhooks } from '../notifications/index.js'
import { tmuxLocations } from '../panes/tmux/index.js'
import { People } from '../people/index.js'
import {
  isOwnerGone,
  type Lock,
  loadLibc,
  noteStartProgress,
  ownName,
  ownProgram,
  startDetached,
  useCommandHelper,
} from '../process/index.js'
import {
  createRunHost,
  followWorktreeUpdates,
  isDrivenBy,
  openWorkerHub,
  sessionSteps,
  UndrivenRuns,
} from '../runs/index.js'
import { Schedules } from '../schedules/index.js'
import { ApiServer, OWNER, pinOf } from '../server/index.js'
import { openBlobs } from '../store/blobs/index.js'
import { isStoreLost } from '../store/index.js'
import { startTracing } from '../telemetry/index.js'
import type { WorkerHub } from '../workers/index.js'
import { createBot } from './bot.js'
import { checkEngine, openRestate } from './engine.js'
import { launchScheduled } from './launch-scheduled.js'
import { resumeLost } from './resume-lost.js'
import { serverSettings } from './server-settings.js'
import { joinServers, serverAddresses } from './servers.js'
import { SharedPeople } from './shared-people.js'

export interface DaemonOptions {
  /** Names the home directory; agents and steps of runs inherit from it. */
  env: NodeJS.ProcessEnv
  /** From `lockDaemon`; taken here if it is missing. The daemon releases it when it stops. */
  lock?: Lock
  /** Further variables that agents may inherit. */
  envPass?: readonly string[]
  /** The port of the dashboard; `server.port` by default. */
  port?: number | undefined
  isReadOnly?: boolean
  /** Scripted agents in a temporary home: pages say so. */
  isDemo?: boolean
  /** Started by a command that needs a session: it starts even if the port is taken. */
  isDetached: boolean
  /** Hides its memory from other processes of the user; then only root can trace it. */
  hidesMemory?: boolean
  clock: Clock
  version: string
  /** When the program was built. */
  buildTime: number
  log(line: string): void
}

export interface Daemon {
  socketPath: string
  /** The address of the dashboard; null if it could not listen. */
  address: string | null
  /** A new login link for the owner; null without an address. */
  link(): Promise<string | null>
  /** Resolves when it was asked to stop. */
  stopping: Promise<void>
  stopped: Promise<void>
  stop(): void
  /** Whether it stopped because its store was lost; a supervisor starts it again. */
  hasFailed(): boolean
}

const ignoreSignal = () => undefined

/**
 * Starts the daemon of a home directory: the keeper, the host of the sessions, the driver of runs,
 * the HTTP API and the Telegram bot. A lock guarantees that there is one. Sessions belong to the
 * keeper, so stopping or killing the daemon ends none of them.
 * @throws SignalboxError `E_DAEMON_RUNNING`, `E_CONFIG`, `E_PORT`
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { env, envPass = [], version, log } = options
  const clock = new ClosableClock(options.clock)
  const home = openHome({ env })
  const settings = { ...home.settings, envPass: [...home.settings.envPass, ...envPass] }
  const lock = options.lock ?? (await lockDaemon(home))
  const note = (doing: string | null) => noteStartProgress(settings.runtimeDirectory, doing)
  // Between two stages of the start, the event loop does what waits: commands, the keeper.
  const begin = async (doing: string) => {
    note(doing)
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  let stop: () => void = () => undefined
  let hasFailed = false
  let isReplaced = false
  const onError = (error: unknown) => {
    log(errorLine(error))
    // The state of this process may be wrong: the next process starts from the store.
    if (!isStoreLost(error)) return
    hasFailed = true
    stop()
  }
  const stopping = new Promise<void>(resolve => {
    stop = resolve
  })
  /** Closes what has been opened, the last first. */
  const open: (() => Promise<void> | void)[] = [() => clock.close(), () => lock.release()]
  const end = async () => {
    for (const close of open.splice(0).reverse()) await Promise.resolve(close()).catch(onError)
  }
  const opening = async () => {
    const server = serverSettings(home.loaded.config, home.directories, options)
    checkEngine({ home, env })
    const { endpoint } = home.loaded.config.telemetry
    const tracing = await startTracing({ endpoint, service: 'signalbox-server', version, env })
    if (tracing) open.push(() => tracing.close())
    if (options.hidesMemory) (await loadLibc())?.hideMemory()
    useCommandHelper()
    // Without a listener this signal opens Node's debugger on a port, to every program of this
    // user.
    process.on('SIGUSR1', ignoreSignal)
    open.push(() => void process.off('SIGUSR1', ignoreSignal))
    await begin('starting the keeper')
    const keeper = await startKeeper({
      runtimeDirectory: settings.runtimeDirectory,
      socketPath: settings.keeperSocket,
      clock,
      onLost: error => {
        // Without its keeper a daemon has no sessions; the next command starts a new pair.
        onError(error)
        stop()
      },
    })
    open.push(() => keeper.close())
    await begin('opening the store')
    const host = await Host.open({
      settings,
      clock,
      keeper,
      owner: 'daemon',
      version,
      catchesUpLater: true,
      onError,
    })
    open.push(() => host.close())
    await begin('resuming runs')
    const servers = await joinServers({ store: host.store, clock: host.clock, home, version, onError })
    if (servers) open.push(() => servers.close())
    await host.store.append('host', 'any', [newEvent('host.started', { pid: process.pid, version })])
    const undriven = new UndrivenRuns({
      store: host.store,
      home,
      clock: host.clock,
      sessionSteps: () => sessionSteps(host),
      onError,
    })
    await undriven.endStepProcesses().catch(onError)
    const blobs = await openBlobs(home.loaded.config.blobs.url, {
      dataDirectory: settings.dataDirectory,
      env,
      store: host.store,
    })
    const {
      hub: workers,
      bundles,
      updateWorktree,
    } = openWorkerHub({
      blobs,
      dataDirectory: settings.dataDirectory,
      store: host.store,
      ledger: host.ledger,
      clock: host.clock,
      lostAfterMs: home.loaded.config.worker.lost_after * 1000,
      childPlacement: home.loaded.config.runs.placement,
      sessions: host.remote,
      ...(servers && { servers: serverAddresses(servers, homeId(settings.dataDirectory)) }),
      wake: run => runs.wake(run),
      handOver: run => runs.handOver(run),
      onError,
    })
    await host.remote.connect(workers, blobs)
    const engine = await openRestate({ home, store: host.store, servers, env, clock: host.clock, log })
    const runs = await driveRuns(
      host,
      { placer: workers, onDriven: updateWorktree },
      { env, servers, engine, clock, onError },
    )
    open.push(() => runs.close())
    if (host.store.isShared)
      open.push(await followWorktreeUpdates({ store: host.store, clock: host.clock, updateWorktree, onError }))
    workers.start()
    open.push(() => workers.close())
    bundles.start()
    open.push(() => bundles.close())
    open.push(() => undriven.close())
    await undriven.start()
    const webhooks = await openEventWebhooks(home.loaded.config.webhooks, {
      store: host.store,
      clock: host.clock,
      owner: ownName(),
      isGone: isOwnerGone,
      redact: value => host.redactor.redactValue(value),
      onError,
    })
    open.push(() => webhooks.close())
    const schedules = new Schedules({
      store: host.store,
      clock: host.clock,
      home: homeId(settings.dataDirectory),
      launch: launchScheduled(env),
      onError,
    })
    open.push(() => schedules.close())
    if (host.store.isShared) {
      const { config, state } = home.directories
      const people = new SharedPeople({
        store: host.store,
        clock: host.clock,
        people: new People(config),
        file: join(config, 'people.json'),
        syncedFile: join(state, 'people-synced.json'),
        log,
        onError,
      })
      await people.start()
      open.push(() => people.close())
    }
    await begin('opening the API')
    const bot = createBot({ home, env, log })
    const api = await listen(options, home, {
      host,
      runs,
      workers,
      ...(servers && { servers }),
      schedules,
      env,
      bot,
      settings: server,
      clock: host.clock,
      version,
      build: { time: options.buildTime, isDetached: options.isDetached },
      stop: () => stop(),
      ...(options.isDetached && {
        restart: () => {
          isReplaced = true
          stop()
        },
      }),
      log,
    })
    const reachedAt = server.workerAddress ?? api.address
    if (servers && reachedAt !== null) await servers.listening(reachedAt, pinOf(server))
    return { host, bot, api, schedules }
  }
  const { host, bot, api, schedules } = await opening().catch(async error => {
    note(null)
    await end()
    throw error
  })
  note(null)
  host.startCatchUp()
  // The commands that it starts talk to this daemon.
  void schedules.start().catch(onError)
  bot.start({ host, lockdown: api.parts.lockdown })
  if (home.loaded.config.sessions.resume_lost) void resumeLost(host, host.clock, log).catch(onError)
  // A demo shows its own sessions only. Terminals with another environment add their tmux servers.
  if (!options.isDemo)
    void host.panes?.joinTmux(tmuxLocations(env, home.loaded.config.panes.tmux_socket)).catch(onError)
  const stopped = stopping.then(async () => {
    await bot.stop().catch(onError)
    await api.close()
    if (!hasFailed)
      await host.store
        .append('host', 'any', [newEvent('host.stopped', { pid: process.pid, reason: 'asked to' })])
        .catch(onError)
    await end()
    if (isReplaced)
      startDetached(ownProgram('cli'), ['serve'], {
        logFile: join(home.directories.state, 'daemon.log'),
        cwd: '/',
        env,
      })
  })
  return {
    socketPath: settings.daemonSocket,
    address: api.address,
    link: async () => api.address && `${api.address}/login#${await api.parts.auth.codes.make(OWNER)}`,
    stopping,
    stopped,
    stop: () => stop(),
    hasFailed: () => hasFailed,
  }
}

interface DaemonRunsOptions {
  env: NodeJS.ProcessEnv
  servers: Servers | null
  engine: OpenEngine | undefined
  /** Of this machine. */
  clock: Clock
  onError(error: unknown): void
}

/**
 * Drives the runs of the daemon. A run that was started at a terminal belongs to the person there.
 */
async function driveRuns(
  host: Host,
  placing: { placer: WorkerHub; onDriven(run: string): Promise<void> },
  { env, servers, engine, clock, onError }: DaemonRunsOptions,
): Promise<RunHost> {
  const self = homeId(host.settings.dataDirectory)
  const { dataDirectory, envPass, maxRuns, endpoint, prices, maxParallel, commands } = host.settings
  const runs = createRunHost({
    store: host.store,
    ledger: host.ledger,
    sessions: host,
    clock,
    dataDirectory,
    envPass,
    sandboxes: host.settings,
    env,
    isInteractive: false,
    maxRuns,
    ...(endpoint && { endpoint }),
    ...(prices && { prices }),
    ...(maxParallel && { maxParallel }),
    ...(commands && { commands }),
    ...placing,
    ...(servers && { servers }),
    ...(engine && { engine }),
    isWanted: run => isDrivenBy(self, run) && (run.worker === null || !placing.placer.isAtOtherServer(run.worker)),
    onError,
  })
  await runs.start()
  return runs
}

async function listen(
  { isDetached }: DaemonOptions,
  { settings }: Home,
  options: Parameters<typeof ApiServer.open>[0],
): Promise<ApiServer> {
  const api = await ApiServer.open(options)
  try {
    options.log(`the dashboard is at ${await api.listenOnTcp()}`)
  } catch (error) {
    if (!(isDetached && error instanceof SignalboxError && error.code === 'E_PORT')) {
      await api.close()
      throw error
    }
    options.log(`error: ${error.message}`)
  }
  await api.listenOnSocket(settings.daemonSocket)
  await api.listenForHooks(settings.hookSocket)
  options.log(`listening on ${settings.daemonSocket}`)
  return api
}
