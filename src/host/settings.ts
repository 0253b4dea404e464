import type { ApprovalPolicy, LedgerPort } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import type { Config } from '../config/index.js'
import type { Prices } from '../engine/index.js'
import type { KeeperPort } from '../keeper/index.js'
import type { SupervisorSettings } from '../panes/index.js'
import type { ReportSettings } from '../reports/index.js'
import type { SandboxPolicy } from '../sandbox/index.js'
import type { FileLimits, SessionBudget, SessionTimes } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import type { RecordStart } from './session-records.js'

export interface HostOptions {
  settings: HostSettings
  clock: Clock
  keeper: KeeperPort
  /** Sessions of a foreground host end with it; the next daemon takes over those of a daemon. */
  owner: 'daemon' | 'foreground'
  version: string
  /** On a worker: the server that has the log and the ledger. */
  upstream?: Upstream
  /** Sessions of an earlier host wait for `startCatchUp`, so that surfaces are opened first. */
  catchesUpLater?: boolean
  onError(error: unknown): void
}

/** The server of a worker, as its host uses it. */
interface Upstream {
  /** The id of the worker. */
  worker: string
  store: EventStore
  ledger: LedgerPort
  recordStart: RecordStart
}

/** Where the events are. */
export interface StoreSettings {
  /** Holds the SQLite file, unless there is a shared store. */
  dataDirectory: string
  /** A PostgreSQL database (`store.url`, `store.password_file`). */
  sharedStore?: { url: string; passwordFile: string | null }
}

/** What a session and a day may use; null: no limit. */
export interface BudgetSettings {
  session: SessionBudget
  /** Of all runs and sessions (`runs.day_usd`). */
  dayUsd: number | null
}

/** The settings that a host needs; its starter takes them from the configuration. */
export interface HostSettings extends ReportSettings, StoreSettings {
  /** The settings `sandbox.*`, and what no sandbox shows: the directories of Signalbox. */
  sandbox?: { use: 'off' | 'auto'; policy: SandboxPolicy; hidden: readonly string[]; packs?: string | null }
  keeperSocket: string
  packDirectory: string
  /** The person's own settings file; grants end when it changes. */
  settingsFile?: string
  size: { cols: number; rows: number }
  scrollback: number
  /** Threads that read terminals, at most; 0: the host reads them itself; null: as needed. */
  threads: number | null
  maxSessions: number
  /** With less free space no session is started; decisions still work. */
  minFreeMb: number
  envPass: readonly string[]
  /** How many runs the daemon drives at once (`runs.max_concurrent`). */
  maxRuns: number
  /** The model behind a URL for the agent `direct` (`oneshot.endpoint`); null if there is none. */
  endpoint?: { url: string; apiKeyEnv: string | null } | null
  /** Prices by model, for agents that do not report their cost. */
  prices?: Prices
  /** How many steps of an agent run at once, by agent (`agents.<name>.max_parallel`). */
  maxParallel?: Readonly<Record<string, number | null>>
  sessions: {
    times: SessionTimes
    /** For people who use Telegram; 0 means no limit. */
    maxPerPerson: number
    /** How often the state of sessions is saved for the next host. */
    snapshotMs: number
  }
  /** Sessions that ended more days ago are removed; null keeps them. */
  keepDays?: number | null
  files: FileLimits & {
    /** How long uploads are kept after their session has ended. */
    keepMs: number
  }
  /** Programs of agents that the person set (`agents.<name>.command`). */
  commands?: Readonly<Record<string, string>>
  /** A person's arguments and variables for an agent (`agents.<name>.args`, `.env`). */
  agents?: Readonly<Record<string, { args: readonly string[]; env: Readonly<Record<string, string>> }>>
  /** Supervision of panes; absent in a host that supervises none. */
  supervision?: SupervisorSettings
  /** Reads whom to notify, when and how; left out, no notifications are sent. */
  notify?(): Config['notify']
  /** Reads what sessions and a day may use; absent: no limit. */
  budgets?(): BudgetSettings
  /** The address of the dashboard that other machines can open; left out if there is none. */
  dashboard?: string
  /** How decisions and grants are taken; the defaults where absent. */
  approvals?: Partial<ApprovalPolicy>
}
