import type { RunRecord } from '../engine/index.js'
import type { EventStore } from '../store/index.js'
import type { Finding, InMilliseconds, Paired, Pairing, PeopleList, PipelineList, Settings } from './api-types.js'

export interface OneshotWish {
  task: string
  project: string
  agent?: string | undefined
  worker?: string | undefined
  auditor?: string | undefined
  model?: string | undefined
  maxIterations?: number | undefined
  maxCostUsd?: number | undefined
  isInWorktree?: boolean | undefined
  /** Hash of what of the project acts by itself, as it was shown. */
  trust?: string | undefined
}

export interface PipelineDoor {
  list(): Promise<PipelineList['items']>
  /**
   * Makes a run that the daemon drives. @throws SignalboxError `E_UNKNOWN`, `E_INPUT`,
   * `E_UNTRUSTED`
   */
  start(
    name: string,
    wish: {
      input: unknown
      project: string
      person: string
      labels: Record<string, string>
      maxCostUsd?: number | undefined
      trust?: string | undefined
    },
  ): Promise<string>
}

/** Pairing of a chat, as whoever runs the bot offers it. */
export interface PairingDoor {
  open(): Promise<InMilliseconds<Pairing>>
  confirm(code: string): Promise<InMilliseconds<Paired>>
  close(): Promise<InMilliseconds<Pairing>>
}

/**
 * What the server offers and rooms beside it know how to do. Whoever starts the daemon hands it in;
 * what is missing is answered with `E_STATE`.
 */
export interface ServerExtras {
  settings?(): Settings
  /**
   * @throws SignalboxError `E_CONFIG`, `E_VERSION`, `E_ROLE` for a setting that is not changed from
   * here.
   */
  changeSettings?(changes: Record<string, unknown>, version: string | null, by: string): Promise<void>
  doctor?(): Promise<Finding[]>
  doctorFix?(check: string): Promise<Finding[]>
  /**
   * @throws SignalboxError `E_UNTRUSTED` where something of the project would act that nobody has
   * let.
   */
  startOneshot?(store: EventStore, wish: OneshotWish): Promise<string>
  forkRun?(store: EventStore, run: RunRecord, wish: { at: string; isRewind: boolean }): Promise<string>
  exportAttractor?(store: EventStore, run: RunRecord, directory: string): Promise<void>
  people?(): Promise<PeopleList['items']>
  pipelines?: PipelineDoor
  pairing?: PairingDoor
  /** Whether and how the bot runs, for `health`. */
  telegram?(): { state: string; detail?: string }
  /** Budget of all runs in a day, as it is set now; null: no limit. */
  dayUsd?(): number | null
  /** Agent of nodes that name none. */
  agent?: string | null
  /** Directories whose repositories are offered as projects. */
  roots?: readonly string[]
}
