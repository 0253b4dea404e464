import { hostname } from 'node:os'
import { join } from 'node:path'
import { type LivePack, PackShelf, placesOf } from '../agents/index.js'
import { type ApprovalRecord, Ledger, LedgerWatch } from '../approvals/index.js'
import { type Clock, newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, type EventType, newEvent } from '../events/index.js'
import type { KeeperListener, KeeperPort, KeptSession } from '../keeper/index.js'
import type { Pane } from '../panes/index.js'
import { isAlive, processStart } from '../process/index.js'
import {
  deliveredSink,
  LiveSession,
  SessionJournal,
  type SessionRecord,
  type SessionSnapshot,
  sessionStream,
  sessionsProjection,
  type Viewer,
} from '../sessions/index.js'
import { type Explanation, explainRecording } from '../sessions/replay/index.js'
import type { EventStore, Subscription } from '../store/index.js'
import { openRecording } from '../terminal/recording/index.js'
import { createRedactor, type Redactor, secretsFromEnvironment } from '../text/index.js'
import { AgentChannels } from './agent-channels.js'
import type { SessionUsage } from './agent-reports.js'
import { LiveBus } from './bus.js'
import { busSink } from './bus-sink.js'
import { catchUp } from './catch-up.js'
import { DriftFiles } from './drift/index.js'
import { findSession } from './find-session.js'
import { gateAnswer } from './gate-answers.js'
import type { HookInbox } from './hook-inbox.js'
import { NotifyCenter } from './notify-center.js'
import { openOutlets } from './notify-outlets.js'
import { openHomeStore } from './open-store.js'
import { PaneBoard } from './panes-board.js'
import { sessionPane } from './panes-session.js'
import { openSwitches, type Switches } from './panes-switches.js'
import { agentTraits, type PreparedSession, packFor, prepareSession, type StartRequest } from './prepare-session.js'
import { type ResumeWish, resumeRequest } from './resume-session.js'
import { absenceOf } from './session-absence.js'
import { checkLimits } from './session-limits.js'
import { SessionSnapshots } from './session-snapshots.js'
import { SessionWatch } from './session-watch.js'
import type { HostSettings } from './settings.js'
import { UploadSweep } from './upload-sweep.js'

export interface HostOptions {
  settings: HostSettings
  clock: Clock
  keeper: KeeperPort
  /** Sessions of a foreground host end with it; those of the daemon are taken over by the next one. */
  owner: 'daemon' | 'foreground'
  version: string
  onError(error: unknown): void
}

/**
 * Owns live sessions and the store's one writer for them. The only place that wires: it decides nothing itself. The daemon is a host with
 * a keeper behind a socket; a foreground command is a host with its keeper in process.
 */
export class Host {
  readonly store: EventStore
  readonly ledger: Ledger
  readonly bus: LiveBus
  readonly #options: HostOptions
  readonly packs: PackShelf
  readonly #live = new Map<string, LiveSession>()
  readonly #watches = new Map<string, SessionWatch>()
  readonly #drift: DriftFiles
  readonly #channels: AgentChannels
  readonly #redactor = createRedactor({ secretValues: secretsFromEnvironment(process.env) })
  readonly #snapshots: SessionSnapshots
  readonly #sweep: UploadSweep
  #sinks: Awaited<ReturnType<typeof deliveredSink>>[] = []
  readonly #ledgerWatch: LedgerWatch
  /** Every pane that is supervised; null in a host without supervision. */
  readonly board: PaneBoard | null
  /** Calls to the person; null where nobody is called. */
  readonly notices: NotifyCenter | null
  /** Off switches that take effect without a restart. */
  readonly switches: Switches
  #decisions: Subscription | null = null
  #starting: Promise<void> = Promise.resolve()

  static async open(options: HostOptions): Promise<Host> {
    const { clock, onError, settings } = options
    const store = await openHomeStore({ dataDirectory: settings.dataDirectory, clock, onError })
    const host = new Host(store, options)
    await host.#openSinks()
    await host.#takeOver()
    await host.#ledgerWatch.start()
    if (options.owner === 'daemon') host.#sweep.start()
    return host
  }

  private constructor(store: EventStore, options: HostOptions) {
    this.store = store
    this.ledger = new Ledger(store, {
      clock: options.clock,
      alongside: (record, decision) => gateAnswer(record, decision, options.clock.now()),
      redactor: this.#redactor,
      ...(options.settings.approvals && { policy: options.settings.approvals }),
    })
    this.#ledgerWatch = new LedgerWatch({ store, ledger: this.ledger, clock: options.clock, onError: options.onError })
    this.bus = new LiveBus(options.onError)
    this.#options = options
    this.#drift = new DriftFiles(options.settings.dataDirectory)
    this.#channels = new AgentChannels({
      settings: options.settings,
      clock: options.clock,
      sessions: () => this.records(),
      isAttended: id => (this.live(id)?.viewers ?? 0) > 0,
      foreign: call => (options.settings.hooks.isEnabled ? (this.board?.hearerOf(call) ?? null) : null),
      onMalformed: about => this.#note('hook.malformed', about),
      onError: options.onError,
    })
    this.packs = new PackShelf({
      directories: { user: options.settings.packDirectory },
      clock: options.clock,
      onFailed: ({ agent, file, line, message }) =>
        this.#note('pack.failed', { agent, file, ...(line !== null && { line }), message }),
      onReloaded: agent => this.#note('pack.reloaded', { agent }),
    })
    if (options.owner === 'daemon') this.packs.watch()
    const { supervision } = options.settings
    this.board =
      supervision && options.owner === 'daemon'
        ? new PaneBoard({
            clock: options.clock,
            settings: supervision,
            packs: this.packs,
            redactor: this.#redactor,
            env: process.env,
            onSwitch: change => this.#note('supervision.switched', change),
            onError: options.onError,
          })
        : null
    this.notices = this.board && options.settings.notify ? this.#openNotices(this.board, options.settings.notify) : null
    this.switches = openSwitches(this.board, this.notices, options.settings, change =>
      this.#note('supervision.switched', change),
    )
    this.#snapshots = new SessionSnapshots(
      join(options.settings.dataDirectory, 'snapshots'),
      options.clock,
      () => this.#live.values(),
      options.onError,
      options.settings.sessions.snapshotMs,
    )
    const { settings, clock, onError } = options
    this.#sweep = new UploadSweep({ settings, clock, records: () => this.records(), onError })
  }

  async startSession(request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    const { settings, keeper } = this.#options
    checkLimits(await this.records(), request.person, settings)
    const id = newId('ses')
    const prepared = await prepareSession(request, {
      id,
      settings,
      packs: this.packs,
      env: process.env,
      isReachable: this.#options.owner === 'daemon',
    })
    const kept = await keeper.spawn(prepared.spawn).catch(async error => {
      await this.#channels.close(id)
      throw error
    })
    try {
      await this.#alone(() => this.#appendStart(request, prepared, kept))
    } catch (error) {
      // A program that the log does not know would run on unseen.
      await discard(keeper, kept).catch(this.#options.onError)
      await this.#channels.close(id)
      throw error
    }
    const record = await this.record(id)
    const session = await this.#open(record, prepared.live, null, prepared.spawn.env)
    if (viewer) session.watch(viewer)
    session.goLive()
    const attached = await keeper.attach(id, 0, session)
    if (attached.state === 'behind') await catchUp(session, kept, keeper)
    return record
  }

  /** Goes on with the conversation of a session that has ended, in a new one. */
  async resumeSession(record: SessionRecord, wish: ResumeWish): Promise<SessionRecord> {
    const started = await this.startSession(resumeRequest(record, wish))
    const { agentSessionId } = record
    await this.store.append(sessionStream(record.id), 'any', [
      newEvent('session.resumed', { by: started.id, ...(agentSessionId !== undefined && { agentSessionId }) }),
    ])
    return started
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  async record(id: string): Promise<SessionRecord> {
    const document = await this.store.document<SessionRecord>(sessionsProjection.name, id)
    if (!document)
      throw new SignalboxError('E_UNKNOWN', `there is no session "${id}"`, {
        next: 'signalbox sessions --all lists them',
      })
    return document.state
  }

  async records(): Promise<SessionRecord[]> {
    const documents = await this.store.documents<SessionRecord>(sessionsProjection.name)
    return documents.map(document => document.state).sort((a, b) => a.startedAt - b.startedAt)
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(word: string): Promise<SessionRecord> {
    return findSession(await this.records(), word)
  }

  live(id: string): LiveSession | null {
    return this.#live.get(id) ?? null
  }

  liveSessions(): LiveSession[] {
    return [...this.#live.values()]
  }

  /** Why a session is read as it is: now, or at a time of its recording. */
  async explain(record: SessionRecord, at: number | null): Promise<Explanation> {
    const watch = this.#watches.get(record.id)
    if (at === null && watch) return watch.explain()
    const recording = await openRecording(record.recording)
    const live = await packFor(record.agent, this.packs)
    if (watch?.version) await live.useVersion(watch.version)
    live.release()
    const events = async function* () {
      for await (const { event } of recording.events()) yield event
    }
    return explainRecording(events(), { pack: live.pack, cols: recording.header.cols, rows: recording.header.rows, at })
  }

  /** Gives a session another label, or none. */
  async rename(id: string, label: string | null, person: string): Promise<void> {
    const event = newEvent('session.renamed', { label, person })
    await this.store.append(sessionStream((await this.record(id)).id), 'any', [event])
    this.board?.renamed(id, label)
  }

  /** Takes secrets out of what is shown. */
  get redactor(): Redactor {
    return this.#redactor
  }

  /** The pack that reads an agent’s screens; the caller lets go of it. */
  async packOf(agent: string): Promise<LivePack> {
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
    await this.#ledgerWatch.close()
    this.#snapshots.stop()
    this.#sweep.stop()
    for (const sink of this.#sinks) sink.stop()
    await this.#channels.stop()
    await Promise.all([...this.#live.values()].map(session => session.settled()))
    await this.store.close()
  }

  // — inside —

  #openNotices(board: PaneBoard, notify: NonNullable<HostSettings['notify']>): NotifyCenter {
    const { clock, onError } = this.#options
    const notices = new NotifyCenter({
      clock,
      settings: notify,
      quietRunS: board.settings.panes.quiet_run_s,
      outlets: openOutlets({ env: process.env, usesDesktop: notify.desktop, command: notify.command, onError }),
      counters: board.counters,
      hostName: hostname(),
      utcOffset: -new Date(clock.now()).getTimezoneOffset(),
    })
    board.listen(change => notices.take(change))
    return notices
  }

  async #appendStart(request: StartRequest, prepared: PreparedSession, kept: KeptSession): Promise<void> {
    const number = await this.#nextNumber(request.person)
    await this.store.append(sessionStream(kept.id), 0, [
      newEvent(
        'session.started',
        {
          agent: prepared.agentName,
          ...(prepared.agentSessionId && { agentSessionId: prepared.agentSessionId }),
          project: prepared.spawn.cwd,
          cwd: prepared.spawn.cwd,
          args: prepared.agentArgs,
          pid: kept.pid,
          size: { cols: kept.cols, rows: kept.rows },
          person: request.person,
          number,
          recording: kept.recording,
          owner: this.#owner,
          ...(request.label && { label: request.label }),
          ...(request.resumedFrom && { resumedFrom: request.resumedFrom }),
          places: placesOf(prepared.spawn.env),
        },
        kept.startedAt,
      ),
    ])
  }

  async #openSinks(): Promise<void> {
    const { clock, onError, settings } = this.#options
    const { typingRepeatMs } = settings.sessions
    const approval = (id: string) => this.ledger.get(id)
    this.#sinks = [
      await deliveredSink(busSink(this.bus), { store: this.store, clock, typingRepeatMs, approval, onError }),
    ]
  }

  /** One at a time: two starts at once must not take the same number. */
  #alone(work: () => Promise<void>): Promise<void> {
    const done = this.#starting.then(work)
    this.#starting = done.catch(() => undefined)
    return done
  }

  async #open(
    record: SessionRecord,
    live: LivePack,
    restored: SessionSnapshot | null,
    env: NodeJS.ProcessEnv = { ...process.env, ...record.places },
  ): Promise<LiveSession> {
    const { settings, clock, keeper, version, onError } = this.#options
    const session = new LiveSession({
      record,
      pack: live.pack,
      keeper,
      journal: await SessionJournal.open(this.store, record.id),
      ledger: this.ledger,
      sinks: this.#sinks,
      clock,
      emulator: { ...record.size, scrollback: settings.scrollback, version, hostname: hostname() },
      hostName: hostname(),
      agent: await agentTraits(record.agent, settings),
      times: settings.sessions.times,
      absence: () => absenceOf(record),
      answers: await this.#channels.answersFor(record),
      onError,
      ...(restored && { restored }),
      onEnded: () => {
        this.#live.delete(record.id)
        this.#watches.delete(record.id)
        this.board?.removeSession(record.id)
        this.#snapshots.forget(record.id)
        void this.#channels.close(record.id).catch(onError)
      },
      onLagging: () => void this.#readOn(record).catch(onError),
    })
    this.#live.set(record.id, session)
    const watch = this.#watch(session, live, record)
    await this.#channels.open(record, env, report => {
      session.hear(report)
      watch.hear(report)
    })
    return session
  }

  #watch(session: LiveSession, live: LivePack, record: SessionRecord): SessionWatch {
    const { clock, onError } = this.#options
    const { board } = this
    const watch = new SessionWatch({
      screen: session.screen,
      live,
      clock,
      drift: this.#drift,
      redactor: this.#redactor,
      record: (type, data) => this.#note(type, data),
      ...(board && {
        supervise: (pane: Pane) => board.supervise(pane),
        changed: () => board.changed(session.id),
      }),
      onError,
    })
    this.#watches.set(session.id, watch)
    board?.addSession(sessionPane(session, watch, record, clock))
    session.observe(watch)
    return watch
  }

  /** An event about the host itself, which nobody waits for. */
  #note<T extends EventType>(type: T, data: EventData<T>): void {
    void this.store.append('host', 'any', [newEvent(type, data)]).catch(this.#options.onError)
  }

  /** Takes over what the keeper kept while no host was there; what it did not keep is lost. */
  async #takeOver(): Promise<void> {
    const kept = new Map((await this.#options.keeper.list()).map(session => [session.id, session]))
    const records = await this.records()
    const known = new Set(records.filter(({ state }) => state === 'starting' || state === 'live').map(({ id }) => id))
    // A host that died between two steps leaves sessions that the log does not know yet, or has ended already.
    for (const [id, session] of kept) {
      if (known.has(id)) continue
      kept.delete(id)
      await discard(this.#options.keeper, session).catch(this.#options.onError)
    }
    for (const record of records) {
      const session = kept.get(record.id)
      if (session) await this.#adopt(record, session).catch(error => this.#options.onError(error))
      else if ((record.state === 'starting' || record.state === 'live') && this.#isOrphan(record))
        await this.#lose(record)
    }
    if (this.#options.owner === 'daemon') this.#channels.sweep()
    const after = await this.store.head()
    this.#decisions = this.store.subscribe(
      { after, types: ['approval.decided'], onError: this.#options.onError },
      events => {
        for (const event of events)
          void this.#applyDecision(event.stream.slice('approval/'.length)).catch(error => this.#options.onError(error))
      },
    )
    for (const record of await this.ledger.list({ isOpenOnly: true })) {
      if (record.state === 'decided') void this.#applyDecision(record.id).catch(error => this.#options.onError(error))
    }
  }

  async #adopt(record: SessionRecord, kept: KeptSession): Promise<void> {
    const live = await packFor(record.agent, this.packs)
    const session = await this.#open(record, live, this.#snapshots.load(record.id))
    await catchUp(session, kept, this.#options.keeper)
    session.goLive()
  }

  /** We were too slow for the keeper: what was missed is in the recording. */
  async #readOn(record: SessionRecord): Promise<void> {
    const session = this.#live.get(record.id)
    const kept = (await this.#options.keeper.list()).find(candidate => candidate.id === record.id)
    if (!session || !kept) return
    await catchUp(session, kept, this.#options.keeper)
    session.goLive()
  }

  /** Nobody keeps it: ours without a terminal, or a foreground command's that is gone. */
  #isOrphan(record: SessionRecord): boolean {
    if (record.owner === 'daemon') return this.#options.owner === 'daemon'
    const [, pid, start] = record.owner.split(':')
    // Where the system does not tell when a process was started, its being there must do.
    return start === 'null' ? !isAlive(Number(pid)) : processStart(Number(pid)) !== start
  }

  get #owner(): string {
    return this.#options.owner === 'daemon' ? 'daemon' : `foreground:${process.pid}:${processStart(process.pid)}`
  }

  async #lose(record: SessionRecord): Promise<void> {
    const { id: session, number, agentSessionId } = record
    const next = agentSessionId ? ` To go on: signalbox resume ${number}` : ''
    const text = `Session ${number} is lost: its terminal is gone, and nobody saw how it ended.${next}`
    await this.store.append(sessionStream(session), 'any', [
      newEvent('session.lost', { reason: 'its terminal is gone' }),
      newEvent('session.noticed', { session, kind: 'lost', text }),
    ])
    for (const approval of await this.ledger.list({ isOpenOnly: true })) {
      if (approval.subject.session === record.id) await this.ledger.cancelled(approval, 'session ended')
    }
  }

  async #applyDecision(id: string): Promise<void> {
    const record: ApprovalRecord | null = await this.ledger.get(id)
    const session = record?.subject.session ? this.live(record.subject.session) : null
    if (record && session) await session.apply(record)
  }

  async #nextNumber(person: string): Promise<number> {
    const live = (await this.records()).filter(
      record => record.person === person && (record.state === 'live' || record.state === 'starting'),
    )
    const taken = new Set(live.map(record => record.number))
    let number = 1
    while (taken.has(number)) number++
    return number
  }
}

/** Ends what runs on a terminal that belongs to no session, and lets the keeper forget it. */
async function discard(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  if (!kept.exit) {
    await keeper.signal(kept.id, 'SIGKILL')
    await exitOf(keeper, kept)
  }
  await keeper.forget(kept.id)
}

function exitOf(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => undefined
    const listener: KeeperListener = {
      output: ignore,
      resized: ignore,
      unrecorded: ignore,
      exited: () => resolve(),
      lagging: listen,
    }
    function listen(offset: number): void {
      keeper
        .attach(kept.id, offset, listener)
        .then(result => result.state === 'behind' && listen(result.oldestOffset), reject)
    }
    listen(kept.offset)
  })
}
