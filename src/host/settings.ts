import type { ApprovalPolicy } from '../approvals/index.js'
import type { Prices } from '../engine/index.js'
import type { NotificationPreferences } from '../notifications/index.js'
import type { SupervisorSettings } from '../panes/index.js'
import type { ReportSettings } from '../reports/index.js'
import type { SessionTimes } from '../sessions/index.js'

/** The settings a host needs, taken from the configuration by whoever starts it. */
export interface HostSettings extends ReportSettings {
  dataDirectory: string
  keeperSocket: string
  packDirectory: string
  /** The person's own settings; grants end when they change. */
  settingsFile?: string
  size: { cols: number; rows: number }
  scrollback: number
  maxSessions: number
  /** Below this much free space no session is started; decisions still work. */
  minFreeMb: number
  envPass: readonly string[]
  /** Runs that the daemon drives at once (`runs.max_concurrent`). */
  maxRuns: number
  /** What models cost whose agents do not tell, by their names. */
  prices?: Prices
  /** Steps of an agent at once, by its name (`agents.<name>.max_parallel`). */
  maxParallel?: Readonly<Record<string, number | null>>
  sessions: {
    times: SessionTimes
    /** How often "typing" is repeated while an agent thinks. */
    typingRepeatMs: number
    /** For people who come from elsewhere; 0 is no limit. */
    maxPerPerson: number
    /** How often their state is saved for the next host. */
    snapshotMs: number
  }
  /** Ended sessions are forgotten after so many days; null keeps them. */
  keepDays?: number | null
  files: {
    uploadMaxMb: number
    downloadMaxMb: number
    /** All uploads of one session together. */
    quotaMb: number
    /** How long uploads outlive their session. */
    keepMs: number
  }
  /** Programs of agents that the person set (`agents.<name>.command`). */
  commands?: Readonly<Record<string, string>>
  /** Arguments before all others, and variables, that the person set for an agent (`agents.<name>.args`, `agents.<name>.env`). */
  agents?: Readonly<Record<string, { args: readonly string[]; env: Readonly<Record<string, string>> }>>
  /** Supervision of panes; none where a host has no board. */
  supervision?: SupervisorSettings
  /** Whom to call, when and how; nobody where it is left out. */
  notify?: NotificationPreferences & { desktop: boolean; command: readonly string[] }
  /** How decisions and grants are taken; the defaults where absent. */
  approvals?: Partial<ApprovalPolicy>
}
