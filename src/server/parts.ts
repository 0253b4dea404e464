import type { Clock } from '../clock/index.js'
import type { RunHost } from '../engine/index.js'
import type { Host } from '../host/index.js'
import type { AttractorPipelines } from '../runs/index.js'
import type { TrustStore } from '../trust/index.js'
import type { Audit } from './audit.js'
import type { Auth } from './auth/auth.js'
import type { ServerExtras } from './extras.js'
import type { RateLimit } from './gate/rate-limits.js'
import type { Idempotency } from './idempotency.js'
import type { EventFeed } from './live/event-feed.js'
import type { PaneFeed } from './live/pane-feed.js'
import type { RecordFeed } from './live/record-feed.js'
import type { Streams } from './live/streams.js'
import type { UpdateFeed } from './live/update-feed.js'
import type { Lockdown } from './lockdown.js'
import type { Metrics } from './metrics.js'
import type { ServerSettings } from './settings.js'
import type { RunProgress } from './views/run-progress.js'
import type { CleanText } from './wire/clean-text.js'

/** Everything that routes may use. */
export interface ServerParts {
  host: Host
  /** Null in a host that drives no runs. */
  runs: RunHost | null
  clock: Clock
  version: string
  /** What a newer program asks before it takes this one's place. */
  build: DaemonBuild
  startedAt: number
  settings: ServerSettings
  auth: Auth
  limits: Limits
  events: EventFeed
  updates: UpdateFeed
  records: RecordFeed
  /** Takes secrets out of what leaves over TCP. */
  text: CleanText
  panes: PaneFeed
  progress: RunProgress
  streams: Streams
  extras: ServerExtras
  idempotency: Idempotency
  /** Decisions other than denials are refused, until the daemon is started again. */
  lockdown: Lockdown
  pipelines: AttractorPipelines
  trust: TrustStore
  metrics: Metrics
  audit: Audit
  /** Where the dashboard listens; null while it does not. */
  address(): string | null
  /** Ends the daemon in good order. */
  stop(): void
  log(line: string): void
}

export interface DaemonBuild {
  /** When the program was built. */
  time: number
  /** A command started it, so a command may end it; false: a person did, who watches it. */
  isDetached: boolean
}

export interface Limits {
  requests: RateLimit
  decisions: RateLimit
  sessions: RateLimit
}
