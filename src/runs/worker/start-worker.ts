import { randomInt } from 'node:crypto'
import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { agentNames, loadAgent } from '../../agents/index.js'
import { type Clock, newNonce, type Timer } from '../../clock/index.js'
import { errorLine, SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import { remoteStore } from '../../host/worker/index.js'
import { acquireLock, endProcesses, isOfStep } from '../../process/index.js'
import { startTracing } from '../../telemetry/index.js'
import {
  answerCall,
  BlobFiles,
  HEARTBEAT_MS,
  ServerLinks,
  type ServerMessage,
  type WorkerInventory,
  WorkerSteps,
} from '../../workers/index.js'
import { openPerformers, WORKFLOWS } from '../create-run-host.js'
import { profileReader } from '../pipelines/read-profile.js'
import { WorkerWorkspaces } from '../workspaces/worker-workspaces.js'
import { Contact } from './contact.js'
import { type KnownServers, knownServers, readJoined, saveServers } from './joined-worker.js'
import { RemoteApprovals } from './server-calls.js'

const KILL_GRACE_MS = 5_000
/** The keeper ends what this process did not end by itself: after the grace period of its steps. */
const KEEPER_DELAY_MS = KILL_GRACE_MS

export interface WorkerOptions {
  home: Home
  env: NodeJS.ProcessEnv
  clock: Clock
  version: string
  maxSteps: number
  maxSessions: number
  /** Takes nothing new, and ends when nothing is left. */
  isDraining: boolean
  /** Opens the part that has the sessions of this worker. */
  openSessions(options: { link: ServerLinks; worker: string }): WorkerSessionsEnd
  /** A worker that drains has nothing left. */
  onDrained(): void
  log(line: string): void
}

/** The sessions of a worker, as far as its connection concerns them. */
export interface WorkerSessionsEnd {
  readonly ids: string[]
  /** A server is connected; of the sessions, these have ended in its log. */
  connected(ended: readonly string[]): void
  disconnected(): void
  answer(method: string, params: Record<string, unknown>): Promise<unknown>
  /** The sessions of its keeper, and those of which it has a recording. */
  inventory(): Promise<Pick<WorkerInventory, 'sessions' | 'recordings'>>
  terminal(message: Extract<ServerMessage, { type: 'channel' }>): void
  bytes(channel: number, bytes: Uint8Array): void
  /** No server was reachable for too long. */
  giveUp(): Promise<void>
  /** Unless it is called again in time, the sessions and the processes of these steps end. */
  setDeadline(deadline: { ms: number; steps: readonly string[] }): Promise<void>
  close(): Promise<void>
}

export interface RunningWorker {
  name: string
  server: string
  stop(): Promise<void>
}

/**
 * Gives this machine's agents to a server: connects to it, performs the steps that it wants, and
 * reports. One worker per home directory.
 * @throws SignalboxError `E_CONFIG` if it has not joined, `E_DAEMON_RUNNING`
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { home, env, clock, version, maxSteps, log } = options
  const joined = readJoined(home)
  const { settings } = home
  const lock = await acquireLock(join(settings.runtimeDirectory, 'worker.lock'))
  if (!lock)
    throw new SignalboxError('E_DAEMON_RUNNING', 'a worker of this home directory is already running', {
      next: 'stop it first',
    })
  const onError = (error: unknown) => log(errorLine(error))
  const { endpoint } = home.loaded.config.telemetry
  const tracing = await startTracing({ endpoint, service: 'signalbox-worker', version, env })
  const agents = await foundAgents(home, env)
  const boot = newNonce()
  const { pool } = home.loaded.config.worker
  const labels = Object.fromEntries(home.loaded.config.worker.labels.map(text => text.split(/=(.*)/s).slice(0, 2)))
  let known = knownServers(home, joined)
  const learn = (more: Partial<KnownServers>) => {
    known = { ...known, ...more }
    saveServers(home, joined, known)
  }
  const contact = new Contact(clock, known.lostAfterMs, () => {
    log('no server was reachable for too long: steps and sessions are stopped')
    void steps.giveUp().catch(onError)
    void sessions.giveUp().catch(onError)
  })
  const { servers } = known
  const link: ServerLinks = new ServerLinks({ servers, clock, random: () => randomInt(2 ** 32) / 2 ** 32 }, joined, {
    greeting: () => ({
      boot,
      version,
      maxSteps,
      maxSessions: options.maxSessions,
      agents,
      runs: steps.runs,
      sessions: sessions.ids,
      clock: clock.now(),
      ...(options.isDraining && { isDraining: true }),
      ...(pool !== null && { pool }),
      labels,
    }),
    welcome: ({ lostAfterMs, ended }, address) => {
      log(`connected to ${address}`)
      contact.learned(lostAfterMs)
      if (lostAfterMs !== known.lostAfterMs) learn({ lostAfterMs })
      steps.reportAll()
      sessions.connected(ended)
    },
    message: message => {
      if (message.type === 'wanted') steps.wanted(message)
      if (message.type === 'drained') options.onDrained()
      if (message.type === 'ack') steps.acknowledged(message.key, message.seq)
      if (message.type === 'channel') sessions.terminal(message)
      if (message.type === 'call') void answer(message.id, message.method, message.params as Record<string, unknown>)
    },
    bytes: (channel, bytes) => sessions.bytes(channel, bytes),
    reached: sentAt => {
      contact.reached(sentAt)
      void renew().catch(onError)
    },
    away: (reason, address) => log(`not connected to ${address}: ${reason}`),
    disconnected: () => sessions.disconnected(),
    servers: addresses => learn({ servers: addresses }),
  })
  // The keeper outlives this process: it ends what runs here if this process does not.
  const renew = async () => {
    const ms = contact.leftMs
    if (ms !== null && ms > 0) await sessions.setDeadline({ ms: ms + KEEPER_DELAY_MS, steps: steps.names })
  }
  const answer = async (id: number, method: string, params: Record<string, unknown>) =>
    link.send(
      await answerCall(id, () => (method === 'worker.inventory' ? inventory() : sessions.answer(method, params))),
    )
  const inventory = async (): Promise<WorkerInventory> => ({
    ...(await sessions.inventory()),
    steps: steps.open,
    workspaces: namesIn(join(settings.dataDirectory, 'workspaces')),
  })
  const sessions = options.openSessions({ link, worker: joined.worker })
  const steps = new WorkerSteps({
    directory: join(settings.dataDirectory, 'steps'),
    clock,
    workflows: WORKFLOWS,
    server: link,
    performers: openPerformers({
      store: remoteStore(link, clock),
      approvals: new RemoteApprovals(link),
      clock,
      env,
      dataDirectory: settings.dataDirectory,
      envPass: settings.envPass,
      sandboxes: settings,
      isInteractive: false,
      readProfile: profileReader({ home, env }),
      ...(settings.endpoint && { endpoint: settings.endpoint }),
      ...(settings.prices && { prices: settings.prices }),
      ...(settings.maxParallel && { maxParallel: settings.maxParallel }),
      ...(settings.commands && { commands: settings.commands }),
    }),
    workspaces: new WorkerWorkspaces({
      dataDirectory: settings.dataDirectory,
      blobs: new BlobFiles(join(settings.dataDirectory, 'blobs')),
      server: link,
    }),
    endProcesses: name =>
      endProcesses({ leaders: [], isWanted: found => isOfStep(found, name), graceMs: KILL_GRACE_MS, clock }),
    mayStart: () =>
      renew().then(
        () => !contact.isOver,
        error => {
          onError(error)
          return false
        },
      ),
    isCutOff: () => contact.isOver,
    onError,
  })
  let heartbeats: Timer
  const sendHeartbeat = () => {
    link.heartbeat({
      steps: steps.count,
      isFull: freeMb(settings.dataDirectory) < home.loaded.config.worker.min_free_mb,
    })
    heartbeats = clock.setTimer(HEARTBEAT_MS, sendHeartbeat)
  }
  sendHeartbeat()
  link.start()
  return {
    name: joined.name,
    server: joined.server,
    stop: async () => {
      heartbeats.cancel()
      contact.close()
      await steps.close()
      await sessions.close()
      link.close()
      await tracing?.close()
      lock.release()
    },
  }
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

function freeMb(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return (bavail * bsize) / (1024 * 1024)
}

async function foundAgents({ settings }: Home, env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await Promise.all(
    agentNames().map(async name => {
      const adapter = await loadAgent(name)
      return adapter.locate({ env, cwd: '/', configuredCommand: settings.commands?.[name] ?? null }).found ? [name] : []
    }),
  )
  return found.flat()
}
