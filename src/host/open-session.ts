import { hostname } from 'node:os'
import type { AgentReport, LivePack } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { type Prices, withEstimatedCost } from '../engine/index.js'
import { errorAbout } from '../errors/index.js'
import type { Pane } from '../panes/index.js'
import type { ReaderFactory } from '../panes/reader/index.js'
import { terminalGroups } from '../process/index.js'
import {
  AcpSession,
  LiveSession,
  type LocalSession,
  type SendPort,
  type SessionJournal,
  type SessionRecord,
  type SessionSnapshot,
} from '../sessions/index.js'
import { SessionMonitor } from '../supervision/index.js'
import type { LiveSessionsOptions } from './live-sessions.js'
import { agentTraits } from './prepare-session.js'
import { clientDirectoriesOf } from './sandbox/session-sandbox.js'
import type { SessionStats } from './session-stats.js'

/** What a session is opened with. */
export interface OpenSessionOptions {
  live: LivePack
  journal: SessionJournal
  /** When its program was started, by the clock of this machine; the log has the store's time. */
  startedAt: number
  restored?: SessionSnapshot | null
  env?: NodeJS.ProcessEnv
}

/** What the live sessions of a host give to one of them. */
export interface SessionWiring {
  /** The clock of the session's queue. */
  clock: Clock
  reader(): ReaderFactory
  onReport(report: AgentReport): void
  onEnded(): void
  /** The host was too slow for the keeper. */
  onLagging(): void
}

/** The session of a record: in a terminal, or over the protocol that its agent speaks. */
export function createSession(
  options: LiveSessionsOptions,
  record: SessionRecord,
  opening: OpenSessionOptions,
  wiring: SessionWiring,
): Promise<LocalSession> {
  return record.channel === 'acp'
    ? createAcpSession(options, record, opening.journal, wiring)
    : createTerminalSession(options, record, opening, wiring)
}

async function createTerminalSession(
  options: LiveSessionsOptions,
  record: SessionRecord,
  { live, journal, startedAt, restored = null }: OpenSessionOptions,
  wiring: SessionWiring,
): Promise<LiveSession> {
  const { host, ledger, channels, bus } = options
  const { settings, keeper, version, onError } = host
  return new LiveSession({
    record,
    startedAt,
    pack: live.pack,
    keeper,
    journal,
    ledger,
    clock: wiring.clock,
    reader: wiring.reader(),
    onRuleOff: ({ rule, ms, reason }) => {
      const { agent, file } = live.pack
      options.writeEvent('pack.rule-off', { agent, pack: file, rule, ms, reason })
    },
    emulator: { ...record.size, scrollback: settings.scrollback, version, hostname: hostname() },
    hostName: hostname(),
    agent: await agentTraits(record.agent, settings),
    times: settings.sessions.times,
    absence: () => absenceOf(record),
    pause: () => options.budgets.pauseOf(record.id),
    answers: await channels.answersFor(record),
    emit: update => bus.emit(update),
    onError: error => onError(errorAbout(record.id, error)),
    ...(restored && { restored }),
    onEnded: () => wiring.onEnded(),
    onLagging: () => wiring.onLagging(),
  })
}

async function createAcpSession(
  options: LiveSessionsOptions,
  record: SessionRecord,
  journal: SessionJournal,
  wiring: SessionWiring,
): Promise<AcpSession> {
  const { host, ledger, bus } = options
  const { settings, keeper, version, onError } = host
  return new AcpSession({
    record,
    keeper,
    journal,
    ledger,
    clock: wiring.clock,
    hostName: hostname(),
    agent: await agentTraits(record.agent, settings),
    times: settings.sessions.times,
    pause: () => options.budgets.pauseOf(record.id),
    version,
    clientDirectories: await clientDirectoriesOf(record, settings),
    emit: update => bus.emit(update),
    onReport: report => wiring.onReport(report),
    onError: error => onError(errorAbout(record.id, error)),
    onEnded: () => wiring.onEnded(),
    onLagging: () => wiring.onLagging(),
  })
}

export function createMonitor(
  options: LiveSessionsOptions,
  session: LocalSession,
  { live, stats, clock }: { live: LivePack; stats: SessionStats; clock: Clock },
): SessionMonitor {
  const { panes, drift, redactor, writeEvent, host } = options
  return new SessionMonitor({
    screen: session.screen,
    live,
    clock,
    drift,
    redactor,
    record: writeEvent,
    ...(panes && { supervise: (pane: Pane) => panes.supervise(pane) }),
    changed: () => {
      panes?.changed(session.id)
      stats.changed()
    },
    onError: host.onError,
  })
}

/** The cost of tokens by the price of their model, where the agent reports none. */
export function withCost(report: AgentReport, model: string | null, prices: Prices = {}): AgentReport {
  const { statement } = report
  return statement.kind === 'usage'
    ? { ...report, statement: withEstimatedCost(statement, statement.model ?? model, prices) }
    : report
}

/**
 * Why keys would not reach the agent of a session: it is suspended, or another program has its
 * terminal. Null: no reason is known, or this system does not report one. An unknown program may
 * start any other.
 */
function absenceOf({ agent, pid }: SessionRecord): ReturnType<NonNullable<SendPort['absence']>> {
  const groups = agent === 'generic' ? null : terminalGroups(pid)
  if (!groups) return null
  if (groups.isStopped) return { reason: 'no-agent', detail: 'the agent is suspended' }
  if (groups.foreground > 0 && groups.foreground !== groups.own)
    return { reason: 'no-agent', detail: 'another program uses the agent’s terminal' }
  return null
}
