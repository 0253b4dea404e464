import type { Clock } from '../clock/index.js'
import type { RunHost, Servers } from '../engine/index.js'
import type { Home } from '../host/home/index.js'
import type { Host } from '../host/index.js'
import type { AttractorApi } from '../runs/index.js'
import type { Schedules } from '../schedules/index.js'
import type { SearchIndex } from '../search/index.js'
import type { TrustStore } from '../trust/index.js'
import type { WorkerHub } from '../workers/index.js'
import type { RateLimit } from './admission/rate-limits.js'
import type { InMilliseconds, Paired, Pairing, TelegramBot } from './api-types.js'
import type { Audit } from './audit.js'
import type { Auth } from './auth/auth.js'
import type { LocalPeers } from './auth/local-peers.js'
import type { Doctor } from './doctor.js'
import type { Idempotency } from './idempotency.js'
import type { EventFeed, UpdateFeed } from './live/event-stream.js'
import type { PaneFeed } from './live/pane-feed.js'
import type { RecordFeed } from './live/record-feed.js'
import type { Streams } from './live/streams.js'
import type { LockdownControl } from './lockdown.js'
import type { Metrics } from './metrics.js'
import type { ServerSettings } from './settings.js'
import type { RunProgress } from './views/run-progress.js'
import type { CleanText } from './wire/clean-text.js'

/** Everything that routes may use. */
export interface ServerParts {
  host: Host
  /** Null in a host that drives no runs. */
  runs: RunHost | null
  /** The servers of a shared store; null for a store of its own. */
  servers: Servers | null
  /** The workers of this server; null in a host that drives no runs. */
  workers: WorkerHub | null
  /** Null in a host that drives no runs. */
  schedules: Schedules | null
  clock: Clock
  version: string
  /** Facts that a newer version reads before it replaces this daemon. */
  build: DaemonBuild
  startedAt: number
  settings: ServerSettings
  auth: Auth
  /** Which process of this machine sent a request. */
  peers: LocalPeers
  limits: Limits
  events: EventFeed
  search: SearchIndex
  updates: UpdateFeed
  records: RecordFeed
  /** Redacts secrets in everything that is sent over TCP. */
  text: CleanText
  panes: PaneFeed
  progress: RunProgress
  streams: Streams
  /** The environment of the daemon. */
  env: NodeJS.ProcessEnv
  /** The home directory with its settings as they are now. */
  home(): Home
  /** Settings by key, as they were when the daemon started. */
  startedWith: ReadonlyMap<string, string>
  doctor: Doctor
  bot: BotControl
  idempotency: Idempotency
  lockdown: LockdownControl
  /** Graph runs under attractor's HTTP API. */
  attractor: AttractorApi
  trust: TrustStore
  metrics: Metrics
  audit: Audit
  /** The address of the dashboard; null while it does not listen. */
  address(): string | null
  /** Shuts the daemon down. */
  stop(): void
  /** Shuts it down and starts another one; null if a command did not start it. */
  restart: (() => void) | null
  log(line: string): void
}

/** The Telegram bot as far as the API shows and steers it. */
export interface BotControl {
  health(): { state: string; detail?: string }
  /**
   * The pairing of a chat with a person. @throws SignalboxError `E_STATE` if the bot is not
   * running.
   */
  pairing(): {
    open(): InMilliseconds<Pairing>
    confirm(code: string): Paired['person']
    close(): InMilliseconds<Pairing>
  }
  /**
   * Stores the token of a bot that Telegram accepts, and starts it. A bot with a webhook, unless
   * that is removed, is left as it is. @throws SignalboxError `E_CONFIG`, `E_NETWORK`
   */
  setUp(bot: { token: string; removesWebhook: boolean }): Promise<TelegramBot>
}

export interface DaemonBuild {
  /** When the program was built. */
  time: number
  /** A command started the daemon, so a command may stop it; false: a person started it. */
  isDetached: boolean
}

interface Limits {
  requests: RateLimit
  decisions: RateLimit
  sessions: RateLimit
}
