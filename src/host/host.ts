import { join } from 'node:path'
import type { LivePack, LivePacks } from '../agents/index.js'
import { type Ledger, type LedgerPort, LedgerSweeper } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, type EventType, newEvent } from '../events/index.js'
import type { KeeperPort } from '../keeper/index.js'
import { type NotificationCenter, PushService } from '../notifications/index.js'
import { AgentChannels, type HookInbox, type SessionUsage } from '../reports/index.js'
import { LiveSession, type LocalSession, type SessionPort, type SessionRecord, type Viewer } from '../sessions/index.js'
import type { Explanation } from '../sessions/replay/index.js'
import type { EventStore } from '../store/index.js'
import { DriftFiles } from '../supervision/drift/index.js'
import type { PaneRegistry } from '../supervision/index.js'
import { storedRecording } from '../terminal/recording/index.js'
import { createRedactor, type Redactor, secretsFromEnvironment } from '../text/index.js'
import { DecisionDispatcher } from './decision-dispatcher.js'
import { homeId } from './home-id.js'
import { openNotifications, openPacks, openPanes, type WriteHostEvent } from './host-parts.js'
import { LiveBus } from './live-bus.js'
import { LiveSessions } from './live-sessions.js'
import { LoopMonitor } from './loop-monitor.js'
import { openLedger } from './open-ledger.js'
import { openHomeStore } from './open-store.js'
import { packFor, type StartRequest } from './prepare-session.js'
import { RemoteSessions } from './remote/index.js'
import { forkRequest, type ResumeOptions, resumeRequest } from './resume-session.js'
import { SessionBudgets } from './session-budgets.js'
import { SessionRecords } from './session-records.js'
import { SessionSnapshots } from './session-snapshots.js'
import type { AgentStatsView } from './session-stats.js'
import type { BudgetSettings, HostOptions, HostSettings } from './settings.js'
import { SettingsFiles } from './settings-files.js'
import { SettingsWatcher } from './settings-watcher.js'
import { RecordingCompressor, SessionSweep, UploadSweep } from './sweeps.js'
import { openSwitches, type Switches } from './switches.js'

const NO_BUDGETS: BudgetSettings = { session: { usd: null, tokens: null }, dayUsd: null }

/**
 * Owns the live sessions and the one store that writes their events. It wires the rooms below and
 * decides nothing itself. The daemon is a host with a keeper behind a socket; a foreground command
 * is a host with its keeper in the same process.
 */
export class Host {
  readonly store: EventStore
  readonly ledger: Ledger
  /** The ledger as sessions use it; on a worker, that of its server. */
  readonly sessionLedger: LedgerPort
  /** Sessions on workers; none on a worker itself. */
  readonly remote: RemoteSessions
  readonly bus: LiveBus
  readonly packs: LivePacks
  /** All supervised panes; null in a host without supervision. */
  readonly panes: PaneRegistry | null
  /** Notifications to people; null if there are none. */
  readonly notifications: NotificationCenter | null
  /** The browsers that are notified while the dashboard is closed. */
  readonly push: PushService
  /** Switches that take effect without a restart. */
  readonly switches: Switches
  /** Budgets of a session and of a day. */
  readonly budgets: SessionBudgets
  /** How long this process blocks its event loop; measured in a daemon only. */
  readonly loop: LoopMonitor
  readonly #options: HostOptions
  /** The id of this home directory, or of this worker. */
  readonly #worker: string
  readonly #records: SessionRecords
  readonly #sessions: LiveSessions
  readonly #channels: AgentChannels
  readonly #redactor = createRedactor({ secretValues: secretsFromEnvironment(process.env) })
  readonly #snapshots: SessionSnapshots
  readonly #sweeps: readonly { start(): void; stop(): void }[]
  readonly #ledgerSweeper: LedgerSweeper
  readonly #decisions: DecisionDispatcher
  readonly #settingsWatcher: SettingsWatcher | null
  readonly #caughtUpListeners = new Set<(id: string) => void>()

  static async open(options: HostOptions): Promise<Host> {
    const { clock, onError, settings, upstream } = options
    const store = upstream?.store ?? (await openHomeStore({ ...settings, clock, onError }))
    // Servers of a shared store accept each other's decisions; its password keeps agents out of it.
    const isSigned = options.owner === 'daemon' && !upstream && !settings.sharedStore
    const host = new Host(store, options, isSigned ? await options.keeper.secret() : null)
    if (!upstream) await host.budgets.start()
    await host.#sessions.takeOver()
    if (!upstream) {
      await host.#decisions.start()
      await host.#ledgerSweeper.start()
    }
    if (!options.catchesUpLater) host.startCatchUp()
    if (options.owner !== 'daemon') return host
    host.loop.start()
    if (upstream) return host
    for (const sweep of host.#sweeps) sweep.start()
    host.#settingsWatcher?.start()
    return host
  }

  private constructor(store: EventStore, options: HostOptions, secret: string | null) {
    const { settings, clock, owner, onError, upstream } = options
    this.store = store
    this.#options = options
    this.#settingsWatcher = this.#openSettingsWatcher()
    this.ledger = openLedger({ store, settings, redactor: this.#redactor, secret })
    this.#ledgerSweeper = new LedgerSweeper({ store, ledger: this.ledger, clock: store.clock, onError })
    this.sessionLedger = upstream?.ledger ?? this.ledger
    this.#worker = upstream?.worker ?? homeId(settings.dataDirectory)
    this.#records = new SessionRecords(store, this.sessionLedger, {
      owner,
      worker: this.#worker,
      recordStart: upstream?.recordStart,
    })
    this.bus = new LiveBus(onError)
    this.loop = new LoopMonitor(clock)
    const writeEvent: WriteHostEvent = (type, data) => this.#writeEvent(type, data)
    this.packs = openPacks(options, writeEvent)
    this.#channels = this.#openChannels()
    this.panes = openPanes(options, { packs: this.packs, redactor: this.#redactor, writeEvent })
    this.panes?.listen(() => this.hooks.assignPanes())
    this.push = new PushService({ directory: settings.dataDirectory, clock, onError })
    this.notifications =
      this.panes && settings.notify
        ? openNotifications(options, this.panes, {
            notify: settings.notify(),
            writeEvent,
            push: this.push,
            request: id => this.ledger.get(id),
          })
        : null
    this.switches = openSwitches(this.panes, this.notifications, settings, change =>
      writeEvent('supervision.switched', change),
    )
    this.#snapshots = new SessionSnapshots(
      join(settings.dataDirectory, 'snapshots'),
      clock,
      () => this.#sessions.terminals(),
      onError,
      settings.sessions.snapshotMs,
    )
    this.budgets = this.#openBudgets()
    const recordings = new RecordingCompressor({ settings, clock, records: () => this.records(), onError })
    this.#sessions = new LiveSessions({
      host: options,
      store,
      ledger: this.sessionLedger,
      records: this.#records,
      packs: this.packs,
      channels: this.#channels,
      panes: this.panes,
      snapshots: this.#snapshots,
      drift: new DriftFiles(settings.dataDirectory),
      redactor: this.#redactor,
      bus: this.bus,
      loop: this.loop,
      budgets: this.budgets,
      onCaughtUp: id => {
        for (const listener of this.#caughtUpListeners) listener(id)
      },
      onEnded: record => {
        if (owner === 'daemon') recordings.ended(record)
      },
      writeEvent,
    })
    this.remote = new RemoteSessions({
      store,
      ledger: this.ledger,
      records: this.#records,
      panes: this.panes,
      bus: this.bus,
      budgets: this.budgets,
      dataDirectory: settings.dataDirectory,
      clock,
      onError,
    })
    this.#decisions = new DecisionDispatcher({
      store,
      ledger: this.ledger,
      remote: this.remote,
      panes: this.panes,
      recordOf: id => this.#records.get(id),
      whenLive: id => this.whenLive(id),
      onError,
    })
    this.#sweeps = [
      new UploadSweep({ settings, clock, records: () => this.records(), onError }),
      new SessionSweep({ store, settings, clock: store.clock, records: () => this.records(), onError }),
      recordings,
    ]
  }

  // — sessions —

  startSession(request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    return this.#sessions.start(request, viewer)
  }

  /** A session of a worker continues there: its conversation is among the agent's files. */
  async resumeSession(record: SessionRecord, options: ResumeOptions): Promise<SessionRecord> {
    if (this.isHere(record)) return this.#sessions.resume(record, options)
    const started = await this.remote.start(resumeRequest(record, options), { worker: record.worker! })
    await this.#records.resumed(record, started.id)
    return started
  }

  /** A new session that begins with the conversation of another one. */
  async forkSession(record: SessionRecord, options: ResumeOptions): Promise<SessionRecord> {
    const request = forkRequest(record, options)
    return this.isHere(record) ? this.startSession(request) : this.remote.start(request, { worker: record.worker! })
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  record(id: string): Promise<SessionRecord> {
    return this.#records.get(id)
  }

  records(): Promise<SessionRecord[]> {
    return this.#records.all()
  }

  /** @param person who names the session. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  find(word: string, person?: string): Promise<SessionRecord> {
    return this.#records.find(word, person)
  }

  /** The session that a person's prompts go to on a surface. @throws SignalboxError `E_UNKNOWN` */
  active(who: { person: string; surface: string }): Promise<SessionRecord> {
    return this.#records.active(who)
  }

  choose(record: SessionRecord, who: { person: string; surface: string }): Promise<void> {
    return this.#records.choose(record, who)
  }

  /**
   * Null for a session that has ended, is still catching up, or is on a worker that is away.
   */
  live(id: string): SessionPort | null {
    return this.#sessions.get(id) ?? this.remote.get(id)
  }

  /**
   * Waits while the session starts, or catches up after a restart. Null if it has ended.
   * @throws SignalboxError `E_WORKER_AWAY`
   */
  async whenLive(id: string): Promise<SessionPort | null> {
    return (await this.#sessions.whenLive(id)) ?? this.remote.whenLive(id)
  }

  /** This machine has its terminal and its files; paths in other records mean nothing here. */
  isHere({ worker }: SessionRecord): boolean {
    return worker === undefined || worker === this.#worker
  }

  /**
   * The file of a session's recording; that of a worker's session is fetched. @throws
   * SignalboxError `E_WORKER_AWAY`
   */
  async recordingOf(record: SessionRecord): Promise<string> {
    return this.isHere(record) ? this.localRecording(record) : this.remote.recordingOf(record)
  }

  /**
   * Where the recording of a session of this machine is. A backup may have been restored at another
   * place.
   */
  localRecording({ id, recording }: SessionRecord): string {
    const moved = join(this.settings.dataDirectory, 'recordings', `${id}.cast`)
    return storedRecording(recording) ?? storedRecording(moved) ?? moved
  }

  /** @throws SignalboxError `E_STATE` for a session whose files another machine has. */
  mustBeHere(record: SessionRecord): void {
    if (this.isHere(record)) return
    const where = this.remote.whereIs(record)?.name
    throw new SignalboxError(
      'E_STATE',
      `the files of session ${record.number} are on ${where === undefined ? 'another machine' : `worker ${where}`}`,
      { next: 'use its page on the dashboard' },
    )
  }

  /** A session whose agent this machine runs. */
  local(id: string): LocalSession | null {
    return this.#sessions.get(id)
  }

  whenLocal(id: string): Promise<LocalSession | null> {
    return this.#sessions.whenLive(id)
  }

  /** A session with a terminal. @throws SignalboxError `E_STATE` for one without. */
  async whenTerminal(id: string): Promise<LiveSession | null> {
    const session = await this.whenLocal(id)
    if (session === null || session instanceof LiveSession) return session
    throw new SignalboxError('E_STATE', `session ${id} has no terminal: its agent speaks a protocol`, {
      next: 'signalbox read shows its conversation, signalbox send continues it',
    })
  }

  localSessions(): LocalSession[] {
    return this.#sessions.all()
  }

  isCatchingUp(id: string): boolean {
    return this.#sessions.isCatchingUp(id)
  }

  /** It is being started, or catching up. */
  isOpening(id: string): boolean {
    return this.#sessions.isOpening(id)
  }

  /** How many sessions are catching up. */
  get catchingUp(): number {
    return this.#sessions.catchingUp
  }

  /** The threads that read terminals, and how often one failed. */
  get readers(): { threads: number; failures: number } {
    return this.#sessions.readers
  }

  /** It is live, or will be when it has started or caught up. */
  isRunning(id: string): boolean {
    return this.live(id) !== null || this.isOpening(id) || this.remote.has(id)
  }

  /** Called for each session that has caught up. */
  onCaughtUp(listener: (id: string) => void): () => void {
    this.#caughtUpListeners.add(listener)
    return () => this.#caughtUpListeners.delete(listener)
  }

  /** Sessions of an earlier host catch up from now on. */
  startCatchUp(): void {
    this.#sessions.startCatchUp()
  }

  liveSessions(): SessionPort[] {
    return [...this.#sessions.all(), ...this.remote.all()]
  }

  /** What a live session's agent reports about its own work: context, usage, sub-agents. */
  agentStats(id: string): AgentStatsView | null {
    return this.#sessions.statsOf(id) ?? this.remote.get(id)?.stats ?? null
  }

  /** Why a session is read as it is: now, or at a time of its recording. */
  async explain(record: SessionRecord, at: number | null): Promise<Explanation> {
    if (!this.remote.has(record.id))
      return this.#sessions.explain({ ...record, recording: await this.recordingOf(record) }, at)
    return (await this.remote.askFor(record.id, 'session.explain', { at })) as Explanation
  }

  /** Changes or removes a session's label. */
  async rename(id: string, label: string | null, person: string): Promise<void> {
    await this.#records.rename(id, label, person)
    const { title = null } = await this.#records.get(id)
    this.panes?.renamed(id, label ?? title)
  }

  // — what surfaces need besides —

  /** Removes secrets from what is shown. */
  get redactor(): Redactor {
    return this.#redactor
  }

  /** The pack that describes the screens of a session's agent; the caller releases it. */
  packOf(record: Pick<SessionRecord, 'agent' | 'channel' | 'args'>): Promise<LivePack> {
    return packFor(record, this.packs)
  }

  /** Receives the hooks of agents. */
  get hooks(): HookInbox {
    return this.#channels.inbox
  }

  /** What a running session has used so far; null if its agent does not report it. */
  usageOf(session: string): SessionUsage | null {
    return this.#channels.usageOf(session) ?? this.remote.get(session)?.usage ?? null
  }

  get keeper(): KeeperPort {
    return this.#options.keeper
  }

  /** The time of the store. */
  get clock(): Clock {
    return this.store.clock
  }

  get settings(): HostSettings {
    return this.#options.settings
  }

  async close(): Promise<void> {
    this.loop.stop()
    this.notifications?.close()
    this.panes?.close()
    this.packs.close()
    this.#decisions.close()
    await this.#ledgerSweeper.close()
    this.#snapshots.stop()
    for (const sweep of this.#sweeps) sweep.stop()
    this.#settingsWatcher?.stop()
    this.budgets.close()
    this.#sessions.close()
    await this.#channels.stop()
    await this.#snapshots.saveAll()
    this.#sessions.end()
    await this.store.close()
  }

  // — its parts —

  #openSettingsWatcher(): SettingsWatcher | null {
    const { settings, clock, onError } = this.#options
    if (settings.settingsFile === undefined) return null
    return new SettingsWatcher({
      files: new SettingsFiles(settings.settingsFile),
      clock,
      projects: async () => (await this.records()).filter(({ id }) => this.isRunning(id)).map(({ project }) => project),
      onChanged: change => {
        this.#writeEvent('config.changed', change)
        this.budgets.reload()
        if (settings.notify) this.notifications?.reload(settings.notify())
      },
      onError,
    })
  }

  #openBudgets(): SessionBudgets {
    const { settings, onError } = this.#options
    return new SessionBudgets({
      store: this.store,
      records: this.#records,
      bus: this.bus,
      clock: this.clock,
      limits: settings.budgets ?? (() => NO_BUDGETS),
      statsOf: id => this.agentStats(id),
      live: id => this.live(id),
      release: id => this.local(id)?.releasePrompts(),
      onError,
    })
  }

  #openChannels(): AgentChannels {
    const { settings, clock, onError } = this.#options
    return new AgentChannels({
      settings,
      clock,
      sessions: () => this.records(),
      untilOpen: id => this.whenLocal(id),
      isAttended: id => (this.local(id)?.viewers ?? 0) > 0,
      foreign: call => (settings.hooks.isEnabled ? (this.panes?.receiverOf(call) ?? null) : null),
      onMalformed: about => this.#writeEvent('hook.malformed', about),
      onError,
    })
  }

  /** Writes an event about the host itself, without waiting for it. */
  #writeEvent<T extends EventType>(type: T, data: EventData<T>): void {
    void this.store.append('host', 'any', [newEvent(type, data)]).catch(this.#options.onError)
  }
}
