import { type AgentAdapter, type AgentEvents, type AgentReport, type HookAnswer, loadAgent } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { type AnswerChannel, NO_CHANNEL, type SessionRecord } from '../sessions/index.js'
import { HeldRequests } from './held-requests.js'
import { HookInbox, type HookInboxOptions } from './hook-inbox.js'
import {
  HookTokens,
  mayHold,
  type ReportSettings,
  sessionDirectory,
  unwireHooks,
  wiredSessions,
} from './hook-wiring.js'
import { SessionReports, type SessionUsage } from './session-reports.js'

export interface AgentChannelsOptions {
  settings: ReportSettings
  clock: Clock
  sessions: HookInboxOptions['sessions']
  foreign?: HookInboxOptions['foreign']
  /** Resolves when the session reads its reports: it may be catching up after a restart. */
  untilOpen?(session: string): Promise<unknown>
  /** Whether a person is attached to this session's terminal. */
  isAttended(session: string): boolean
  onMalformed: HookInboxOptions['onMalformed']
  onError(error: unknown): void
}

/** All reports of agents besides their screens, and the channels for answers. */
export class AgentChannels {
  readonly inbox: HookInbox
  readonly #options: AgentChannelsOptions
  readonly #tokens = new HookTokens()
  readonly #held = new HeldRequests()
  readonly #reports = new Map<string, SessionReports>()
  readonly #channels = new Map<string, EventChannel>()

  constructor(options: AgentChannelsOptions) {
    this.#options = options
    this.inbox = new HookInbox({
      clock: options.clock,
      tokens: this.#tokens,
      held: this.#held,
      sessions: options.sessions,
      ...(options.untilOpen && { untilOpen: options.untilOpen }),
      deliver: (session, report) => {
        if (options.settings.hooks.isEnabled) this.#reports.get(session)?.receive(report)
      },
      // While a person is attached, a held hook would hide the agent's own dialog from them.
      mayWait: session => options.settings.hooks.hold !== 'unattended' || !options.isAttended(session),
      ...(options.foreign && { foreign: options.foreign }),
      onMalformed: options.onMalformed,
    })
  }

  /** A session of an earlier host will be opened: its token counts from now on. */
  expect(id: string): void {
    this.#tokens.learn(id, this.#options.settings)
  }

  async answersFor(record: SessionRecord): Promise<AnswerChannel> {
    const { settings } = this.#options
    this.#tokens.learn(record.id, settings)
    const { hooks, events } = (await adapterOf(record)) ?? {}
    if (events && this.#tokens.has(record.id)) {
      const channel = new EventChannel()
      this.#channels.set(record.id, channel)
      return channel
    }
    if (!hooks?.answer || !this.#tokens.has(record.id)) return NO_CHANNEL
    return this.#held.channel(answer => hooks.answer!(answer), { mayHold: mayHold(hooks, settings) })
  }

  /** `env`: the agent's environment if this host started it; another host knows only its own. */
  async open(record: SessionRecord, env: NodeJS.ProcessEnv, onReport: (report: AgentReport) => void): Promise<void> {
    const { clock, onError } = this.#options
    const adapter = await adapterOf(record)
    if (!adapter) return
    const channel = this.#channels.get(record.id)
    const directory = sessionDirectory(record.id, this.#options.settings)
    const events = (channel && adapter.events?.open({ directory, clock })) ?? null
    if (events) channel!.connect(events)
    const reports = new SessionReports({
      record,
      adapter,
      env,
      clock,
      events,
      onReport: report => {
        channel?.recordReport(report)
        onReport(report)
      },
      onError,
    })
    this.#reports.set(record.id, reports)
    this.inbox.assign(record)
    reports.start()
  }

  /** The session draws. */
  sessionChanged(id: string): void {
    this.#reports.get(id)?.sessionChanged()
  }

  usageOf(id: string): SessionUsage | null {
    return this.#reports.get(id)?.usage ?? null
  }

  /** The agent has exited: last reports are read, token and private files removed. */
  async close(id: string): Promise<void> {
    const reports = this.#reports.get(id)
    this.#tokens.forget(id)
    unwireHooks(id, this.#options.settings)
    await reports?.stop()
    this.#reports.delete(id)
    this.#channels.delete(id)
  }

  /** Another object reads the session: its reports stop until it is opened again. */
  async release(id: string): Promise<void> {
    await this.#reports.get(id)?.stop()
    this.#reports.delete(id)
    this.#channels.delete(id)
  }

  /**
   * Removes private files of sessions that ended while no host was running: of all but these. To be
   * called before the host starts sessions: their files are written before they are known.
   */
  sweep(running: ReadonlySet<string>): void {
    const { settings, onError } = this.#options
    try {
      for (const id of wiredSessions(settings)) if (!running.has(id)) unwireHooks(id, settings)
    } catch (error) {
      onError(error)
    }
  }

  /** The host stops; sessions keep running, with their tokens and files. */
  async stop(): Promise<void> {
    await Promise.all([...this.#reports.values()].map(reports => reports.stop()))
    this.#reports.clear()
  }
}

async function adapterOf(record: SessionRecord): Promise<AgentAdapter | null> {
  return record.agent === 'generic' ? null : loadAgent(record.agent).catch(() => null)
}

/**
 * The answer channel of an agent with an event channel of its own. Its requests stay answerable
 * there while they are open, and also in its dialog: nothing blocks, so nothing is held or
 * released. An edit, or a rule of the agent, cannot be expressed here.
 */
export class EventChannel implements AnswerChannel {
  readonly mayHold = true
  readonly can = ['deny', 'text'] as const
  /**
   * By report: the id to answer with, and the id by which the agent reports that it was answered.
   */
  readonly #open = new Map<string, { reply: string; key: string }>()
  #events: AgentEvents | null = null

  connect(events: AgentEvents): void {
    this.#events = events
  }

  /** Called before the report is delivered, so that a receiver can answer at once. */
  recordReport({ id, statement }: AgentReport): void {
    if (statement.kind === 'request' && statement.key !== null)
      this.#open.set(id, { reply: statement.reply ?? statement.key, key: statement.key })
    else if (statement.kind === 'answered')
      for (const [report, { key }] of this.#open) if (key === statement.key) this.#open.delete(report)
  }

  isOpen(report: string): boolean {
    return this.#open.has(report)
  }

  async answer(report: string, { behavior, message, updatedInput, sessionRule }: HookAnswer) {
    const asked = this.#open.get(report)
    if (!asked || !this.#events) return 'closed'
    if (updatedInput !== undefined || sessionRule !== undefined) return 'unsupported'
    const result = await this.#events.answer(asked.reply, {
      behavior: behavior === 'allow' ? 'once' : 'deny',
      ...(message !== undefined && { message }),
    })
    return result === 'taken' ? 'sent' : 'closed'
  }

  /** Nothing is held here. */
  release(): void {}
}
