import { join } from 'node:path'
import type { LivePack, PackShelf } from '../agents/index.js'
import { type Ledger, LedgerSweeper } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { type EventData, type EventType, newEvent } from '../events/index.js'
import type { KeeperPort } from '../keeper/index.js'
import type { NotificationCenter } from '../notifications/index.js'
import type { HookInbox, SessionUsage } from '../reports/index.js'
import { AgentChannels } from '../reports/index.js'
import { deliveredSink, type LiveSession, type SessionRecord, type Viewer } from '../sessions/index.js'
import type { Explanation } from '../sessions/replay/index.js'
import type { EventStore, Subscription } from '../store/index.js'
import { DriftFiles } from '../supervision/drift/index.js'
import type { PaneBoard } from '../supervision/index.js'
import { createRedactor, type Redactor, secretsFromEnvironment } from '../text/index.js'
import { LiveBus } from './bus.js'
import { busSink } from './bus-sink.js'
import { explainSession } from './explain-session.js'
import type { HostOptions } from './host-options.js'
import { type Note, openBoard, openNotices, openPacks } from './host-parts.js'
import { LiveSessions } from './live-sessions.js'
import { openLedger } from './open-ledger.js'
import { openHomeStore } from './open-store.js'
import { packFor, type StartRequest } from './prepare-session.js'
import type { ResumeWish } from './resume-session.js'
import type { CrewView } from './session-crew.js'
import { SessionRecords } from './session-records.js'
import { SessionSnapshots } from './session-snapshots.js'
import { SessionSweep } from './session-sweep.js'
import type { HostSettings } from './settings.js'
import { SettingsFiles } from './settings-files.js'
import { SettingsWatcher } from './settings-watcher.js'
import { openSwitches, type Switches } from './switches.js'
import { UploadSweep } from './upload-sweep.js'

export type { HostOptions }

/**
 * Owns live sessions and the store's one writer for them. The only place that wires: it decides nothing itself. The daemon is a host with
 * a keeper behind a socket; a foreground command is a host with its keeper in process.
 */
export class Host {
  readonly store: EventStore
  readonly ledger: Ledger
  readonly bus: LiveBus
  readonly packs: PackShelf
  /** Every pane that is supervised; null in a host without supervision. */
  readonly board: PaneBoard | null
  /** Calls to the person; null where nobody is called. */
  readonly notices: NotificationCenter | null
  /** Off switches that take effect without a restart. */
  readonly switches: Switches
  readonly #options: HostOptions
  readonly #records: SessionRecords
  readonly #sessions: LiveSessions
  readonly #channels: AgentChannels
  readonly #redactor = createRedactor({ secretValues: secretsFromEnvironment(process.env) })
  readonly #snapshots: SessionSnapshots
  readonly #sweeps: readonly { start(): void; stop(): void }[]
  readonly #ledgerSweeper: LedgerSweeper
  readonly #settingsWatcher: SettingsWatcher | null
  #sinks: Awaited<ReturnType<typeof deliveredSink>>[] = []
  #decisions: Subscription | null = null

  static async open(options: HostOptions): Promise<Host> {
    const { clock, onError, settings } = options
    const store = await openHomeStore({ dataDirectory: settings.dataDirectory, clock, onError })
    const host = new Host(store, options)
    await host.#openSinks()
    await host.#sessions.takeOver()
    await host.#followDecisions()
    await host.#ledgerSweeper.start()
    if (options.owner !== 'daemon') return host
    for (const sweep of host.#sweeps) sweep.start()
    host.#settingsWatcher?.start()
    return host
  }

  private constructor(store: EventStore, options: HostOptions) {
    const { settings, clock, owner, onError } = options
    this.store = store
    this.#options = options
    this.#settingsWatcher = this.#openSettingsWatcher()
    this.ledger = openLedger({ store, clock, settings, redactor: this.#redactor })
    this.#ledgerSweeper = new LedgerSweeper({ store, ledger: this.ledger, clock, onError })
    this.#records = new SessionRecords(store, this.ledger, owner)
    this.bus = new LiveBus(onError)
    const note: Note = (type, data) => this.#note(type, data)
    this.packs = openPacks(options, note)
    this.#channels = this.#openChannels()
    this.board = openBoard(options, { packs: this.packs, redactor: this.#redactor, note })
    this.board?.listen(() => this.hooks.assignPanes())
    this.notices = this.board && settings.notify ? openNotices(options, this.board, settings.notify) : null
    this.switches = openSwitches(this.board, this.notices, settings, change => note('supervision.switched', change))
    this.#snapshots = new SessionSnapshots(
      join(settings.dataDirectory, 'snapshots'),
      clock,
      () => this.liveSessions(),
      onError,
      settings.sessions.snapshotMs,
    )
    this.#sessions = new LiveSessions({
      host: options,
      store,
      ledger: this.ledger,
      records: this.#records,
      packs: this.packs,
      channels: this.#channels,
      board: this.board,
      snapshots: this.#snapshots,
      drift: new DriftFiles(settings.dataDirectory),
      redactor: this.#redactor,
      sinks: () => this.#sinks,
      bus: this.bus,
      note,
    })
    this.#sweeps = [
      new UploadSweep({ settings, clock, records: () => this.records(), onError }),
      new SessionSweep({ store, settings, clock, records: () => this.records(), onError }),
    ]
  }

  // — sessions —

  startSession(request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    return this.#sessions.start(request, viewer)
  }

  /** Goes on with the conversation of a session that has ended, in a new one. */
  resumeSession(record: SessionRecord, wish: ResumeWish): Promise<SessionRecord> {
    return this.#sessions.resume(record, wish)
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  record(id: string): Promise<SessionRecord> {
    return this.#records.get(id)
  }

  records(): Promise<SessionRecord[]> {
    return this.#records.all()
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  find(word: string): Promise<SessionRecord> {
    return this.#records.find(word)
  }

  /** The session that a person's words go to on a surface. @throws SignalboxError `E_UNKNOWN` */
  active(who: { person: string; surface: string }): Promise<SessionRecord> {
    return this.#records.active(who)
  }

  choose(record: SessionRecord, who: { person: string; surface: string }): Promise<void> {
    return this.#records.choose(record, who)
  }

  live(id: string): LiveSession | null {
    return this.#sessions.get(id)
  }

  liveSessions(): LiveSession[] {
    return this.#sessions.all()
  }

  /** What a live session's agent tells of its own work: context, use, helpers. */
  crew(id: string): CrewView | null {
    return this.#sessions.crewOf(id)
  }

  /** Why a session is read as it is: now, or at a time of its recording. */
  async explain(record: SessionRecord, at: number | null): Promise<Explanation> {
    const watch = this.#sessions.watchOf(record.id)
    if (at === null && watch) return watch.explain()
    return explainSession(record, { packs: this.packs, version: watch?.version ?? null, at })
  }

  /** Gives a session another label, or none. */
  async rename(id: string, label: string | null, person: string): Promise<void> {
    await this.#records.rename(id, label, person)
    this.board?.renamed(id, label)
  }

  // — what surfaces need beside that —

  /** Takes secrets out of what is shown. */
  get redactor(): Redactor {
    return this.#redactor
  }

  /** The pack that reads an agent’s screens; the caller lets go of it. */
  packOf(agent: string): Promise<LivePack> {
    return packFor(agent, this.packs)
  }

  /** Where hooks of agents report. */
  get hooks(): HookInbox {
    return this.#channels.inbox
  }

  /** What a running session has taken so far; null where its agent does not tell. */
  usageOf(session: string): SessionUsage | null {
    return this.#channels.usageOf(session)
  }

  get keeper(): KeeperPort {
    return this.#options.keeper
  }

  get clock(): Clock {
    return this.#options.clock
  }

  get settings(): HostSettings {
    return this.#options.settings
  }

  async close(): Promise<void> {
    this.notices?.close()
    this.board?.close()
    this.packs.close()
    this.#decisions?.close()
    await this.#ledgerSweeper.close()
    this.#snapshots.stop()
    for (const sweep of this.#sweeps) sweep.stop()
    this.#settingsWatcher?.stop()
    for (const sink of this.#sinks) sink.stop()
    this.#sessions.close()
    await this.#channels.stop()
    await Promise.all(this.liveSessions().map(session => session.settled()))
    await this.store.close()
  }

  // — its parts —

  #openSettingsWatcher(): SettingsWatcher | null {
    const { settings, clock, onError } = this.#options
    if (settings.settingsFile === undefined) return null
    return new SettingsWatcher({
      files: new SettingsFiles(settings.settingsFile),
      clock,
      projects: async () => (await this.records()).filter(({ id }) => this.live(id)).map(({ project }) => project),
      onChanged: change => this.#note('config.changed', change),
      onError,
    })
  }

  #openChannels(): AgentChannels {
    const { settings, clock, onError } = this.#options
    return new AgentChannels({
      settings,
      clock,
      sessions: () => this.records(),
      isAttended: id => (this.live(id)?.viewers ?? 0) > 0,
      foreign: call => (settings.hooks.isEnabled ? (this.board?.hearerOf(call) ?? null) : null),
      onMalformed: about => this.#note('hook.malformed', about),
      onError,
    })
  }

  async #openSinks(): Promise<void> {
    const { clock, onError, settings } = this.#options
    const { typingRepeatMs } = settings.sessions
    const approval = (id: string) => this.ledger.get(id)
    this.#sinks = [
      await deliveredSink(busSink(this.bus), { store: this.store, clock, typingRepeatMs, approval, onError }),
    ]
  }

  /** Decisions may be made by any process that opens the store; those about our sessions are brought to the agents here. */
  async #followDecisions(): Promise<void> {
    const { onError } = this.#options
    const after = await this.store.head()
    this.#decisions = this.store.subscribe({ after, types: ['approval.decided'], onError }, events => {
      for (const event of events) void this.#applyDecision(event.stream.slice('approval/'.length)).catch(onError)
    })
    for (const record of await this.ledger.list({ isOpenOnly: true })) {
      if (record.state === 'decided') void this.#applyDecision(record.id).catch(onError)
    }
  }

  async #applyDecision(id: string): Promise<void> {
    const record = await this.ledger.get(id)
    const session = record?.subject.session ? this.live(record.subject.session) : null
    if (record && session) await session.apply(record)
  }

  /** An event about the host itself, which nobody waits for. */
  #note<T extends EventType>(type: T, data: EventData<T>): void {
    void this.store.append('host', 'any', [newEvent(type, data)]).catch(this.#options.onError)
  }
}
