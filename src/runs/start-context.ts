import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Clock } from '../clock/index.js'
import type { Limits, RunRecord } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { Home } from '../host/home/index.js'
import { homeId, type SandboxRequest } from '../host/index.js'
import { parseBackend } from '../sandbox/index.js'
import type { EventStore } from '../store/index.js'
import { type ExecutableFiles, executableHashes, type TrustCheck } from '../trust/index.js'
import type { PlacementRequest } from '../workers/index.js'

/** Where, for whom and with which settings a run is started. */
export interface StartContext {
  store: EventStore
  /** The settings of the home; those of the project are added once it is trusted. */
  home: Home
  env: NodeJS.ProcessEnv
  /** The project's directory, or one inside it. */
  cwd: string
  clock: Clock
  /** The id of the person who starts it; `local` is the person at this machine. */
  person: string
  /** Asks the person; null without one: a start that needs an answer then fails with the reason. */
  asker: Asker | null
  /**
   * Makes sure that a daemon runs; called before a run is created that only the daemon can drive.
   */
  requireDaemon(): Promise<void>
}

/** The questions that starting or resuming a run may ask. A terminal implements it. */
export interface Asker {
  /** Shows what would run and what is new or changed; true allows it. */
  trust(question: TrustQuestion): Promise<boolean>
  /** A yes-or-no question; no is the default. */
  confirm(question: string): Promise<boolean>
}

export interface TrustQuestion {
  found: ExecutableFiles
  check: TrustCheck
  /** A unified diff between the trusted version of a file and the present one; null if not kept. */
  difference(file: string): Promise<string | null>
}

/** The options that every kind of run takes. */
export interface RunOptions {
  /** The id of the new run; a fresh one by default. */
  id?: string | undefined
  /** Limits of the whole run; those left out come from the settings or the graph. */
  limits?: Limits | undefined
  labels?: Readonly<Record<string, string>> | undefined
  /** The daemon drives the run, not the process that starts it. */
  isDetached?: boolean | undefined
  /** Workers may perform it: all of this must apply. If absent, the server does. */
  placement?: PlacementRequest | undefined
  /** The sandbox of its agents and commands. If absent, as the settings define. */
  sandbox?: SandboxRequest | undefined
  /** The hash of the files that the person has inspected, for a project that is not trusted yet. */
  trust?: string | undefined
}

/** A run that is ready to be driven. */
export interface StartedRun {
  id: string
  /** The effective settings of the run: the home's, with those of a trusted project. */
  home: Home
  /** The process that drives it: the daemon, or the one that started it. */
  driver: 'daemon' | 'caller'
  /** What the person should know, a sentence each. */
  notices: readonly string[]
}

/** The labels by which the daemon of this home directory finds the runs that it drives. */
export function driverLabel(
  { store, home }: Pick<StartContext, 'store' | 'home'>,
  driver: StartedRun['driver'],
): Record<string, string> {
  if (driver !== 'daemon') return {}
  return { host: 'daemon', ...(store.isShared && { server: homeId(home.settings.dataDirectory) }) }
}

/**
 * Whether this server may drive a run: one that no worker performs works where it was started.
 */
export function isDrivenBy(self: string, { labels, placement }: Pick<RunRecord, 'labels' | 'placement'>): boolean {
  return labels.host === 'daemon' && (placement !== null || labels.server === undefined || labels.server === self)
}

/**
 * The sandbox of a run, as its journal keeps it: what the person asks for, or what the settings of
 * the home and of the trusted project say.
 */
export function sandboxOf({ settings }: Pick<Home, 'settings'>, asked: SandboxRequest | undefined) {
  const use = asked?.use ?? settings.sandbox?.use ?? 'off'
  const network = asked?.network ?? settings.sandbox?.policy.network
  if (use === 'off') return {}
  return { sandbox: { use: parseBackend(use), ...(network && { network }) } }
}

/**
 * Where a run may go, with what a worker checks before anything of the project runs there.
 * @param others files besides the settings of agents that the run would execute.
 */
export function onWorker(placement: RunOptions['placement'], directory: string, others: readonly string[] = []) {
  return placement ? { placement, executable: executableHashes(directory, others) } : {}
}

/**
 * The context of a start inside the daemon, for a page or a chat. No person can be asked.
 * @throws SignalboxError `E_INPUT` if the project is not a directory.
 */
export function daemonContext(
  base: Pick<StartContext, 'store' | 'home' | 'env' | 'clock' | 'person'>,
  project: string,
): StartContext {
  // A path with a zero byte cannot be looked up.
  const isPath = isAbsolute(project) && !project.includes('\u0000')
  if (!isPath || !statSync(project, { throwIfNoEntry: false })?.isDirectory())
    throw new SignalboxError('E_INPUT', `"${project}" is not a directory`, {
      next: 'give an absolute path',
      details: { fields: [{ path: 'project', message: 'not a directory' }] },
    })
  return { ...base, cwd: project, asker: null, requireDaemon: () => Promise.resolve() }
}
