import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentReport, LivePacks } from '../agents/index.js'
import type { LedgerPort } from '../approvals/index.js'
import { newId } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventData, EventType } from '../events/index.js'
import { distrustRepository } from '../git/index.js'
import type { KeptSession } from '../keeper/index.js'
import { type ReaderFactory, type SessionQueue, SessionScheduler } from '../panes/reader/index.js'
import type { AgentChannels } from '../reports/index.js'
import { LiveSession, type LocalSession, SessionJournal, type SessionRecord, type Viewer } from '../sessions/index.js'
import { type Explanation, explainRecording } from '../sessions/replay/index.js'
import type { EventStore } from '../store/index.js'
import type { DriftFiles } from '../supervision/drift/index.js'
import { type PaneRegistry, type SessionMonitor, sessionPane } from '../supervision/index.js'
import { openRecording } from '../terminal/recording/index.js'
import type { Redactor } from '../text/index.js'
import { CatchUpQueue } from './catch-up-queue.js'
import { isRunning } from './find-session.js'
import { catchUp, discardKeptSession, endSessionProcesses } from './kept-sessions.js'
import type { LiveBus } from './live-bus.js'
import type { LoopMonitor } from './loop-monitor.js'
import { createMonitor, createSession, type OpenSessionOptions, withCost } from './open-session.js'
import { checkLimits, packFor, prepareSession, type StartRequest } from './prepare-session.js'
import { ReaderFactories } from './reader-factories.js'
import { type ResumeOptions, resumeRequest } from './resume-session.js'
import { projectGrants } from './sandbox/sandbox-requests.js'
import { SessionPaths } from './sandbox/session-paths.js'
import { SessionProxies } from './sandbox/session-proxies.js'
import type { SessionBudgets } from './session-budgets.js'
import type { SessionRecords } from './session-records.js'
import type { SessionSnapshots } from './session-snapshots.js'
import { type AgentStatsView, SessionStats } from './session-stats.js'
import type { HostOptions } from './settings.js'

export interface LiveSessionsOptions {
  host: HostOptions
  store: EventStore
  ledger: LedgerPort
  records: SessionRecords
  packs: LivePacks
  channels: AgentChannels
  panes: PaneRegistry | null
  snapshots: SessionSnapshots
  drift: DriftFiles
  redactor: Redactor
  bus: LiveBus
  loop: LoopMonitor
  budgets: Pick<SessionBudgets, 'pauseOf'>
  /** A session that was taken over is live now. */
  onCaughtUp(id: string): void
  onEnded(record: SessionRecord): void
  /** Writes an event about the host itself. */
  writeEvent<T extends EventType>(type: T, data: EventData<T>): void
}

/** Failures of the reader that one terminal may cause before it is given up. */
const FAILURES_MAX = 2

/** A live session with the parts that this host attaches to it. */
interface Entry {
  session: LocalSession
  /** Has caught up. */
  isLive: boolean
  monitor: SessionMonitor
  stats: SessionStats
  detach(): void
}

/**
 * The live sessions of this host: started here, or taken over from an earlier host. It wires each
 * of them to the keeper (through the scheduler), to the agent's reports, to the monitor and the
 * stats that surfaces show, and to the bus.
 */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #scheduler: SessionScheduler
  readonly #queues = new Map<string, SessionQueue>()
  readonly #live = new Map<string, Entry>()
  /** Sessions that are being started: the log may have them already. */
  readonly #starting = new Map<string, Promise<unknown>>()
  readonly #catchUps: CatchUpQueue
  readonly #proxies: SessionProxies
  readonly #paths: SessionPaths
  readonly #readers: ReaderFactories
  /** Sessions whose terminal a thread could not read: how often. */
  readonly #failuresOf = new Map<string, number>()
  #failures = 0

  constructor(options: LiveSessionsOptions) {
    this.#options = options
    this.#scheduler = new SessionScheduler(options.host.clock, options.host.onError, {
      onSlice: (id, ms) => options.loop.worked(id, ms),
    })
    const { settings, clock, owner } = options.host
    this.#readers = new ReaderFactories({ clock, owner, threads: settings.threads })
    this.#catchUps = new CatchUpQueue(clock, this.#readers.width)
    const { ledger, store } = options
    const directory = join(settings.runtimeDirectory, 'sandbox')
    const { onError } = options.host
    this.#proxies = new SessionProxies({ ledger, store, clock, directory, onError })
    this.#paths = new SessionPaths({ ledger, store, clock, directory, onError })
  }

  /** Null for a session that has ended, and for one that is still catching up. */
  get(id: string): LocalSession | null {
    const entry = this.#live.get(id)
    return entry?.isLive ? entry.session : null
  }

  all(): LocalSession[] {
    return [...this.#live.values()].filter(({ isLive }) => isLive).map(({ session }) => session)
  }

  /** Those with a terminal, also while they catch up, as far as they have been opened. */
  terminals(): LiveSession[] {
    return [...this.#live.values()].flatMap(({ session }) => (session instanceof LiveSession ? [session] : []))
  }

  /** It runs, and this host has not read everything yet that it printed while no host was there. */
  isCatchingUp(id: string): boolean {
    return this.get(id) === null && this.#catchUps.has(id)
  }

  get catchingUp(): number {
    return this.#catchUps.ids.filter(id => this.isCatchingUp(id)).length
  }

  /** It runs, and is not live yet: it is being started, or it is catching up. */
  isOpening(id: string): boolean {
    return this.get(id) === null && (this.#starting.has(id) || this.#catchUps.has(id))
  }

  /** Waits while the session starts or catches up. Null if it has ended. */
  async whenLive(id: string): Promise<LocalSession | null> {
    // Its error goes to the caller that starts it.
    await this.#starting.get(id)?.catch(() => undefined)
    if (this.isCatchingUp(id)) await this.#catchUps.until(id)
    return this.get(id)
  }

  startCatchUp(): void {
    this.#catchUps.start()
  }

  /** Resolves when no session is catching up. */
  caughtUp(): Promise<void> {
    return this.#catchUps.untilEmpty()
  }

  statsOf(id: string): AgentStatsView | null {
    return this.#live.get(id)?.stats.view ?? null
  }

  /** The host closes; the agents continue. */
  close(): void {
    this.#catchUps.close()
    this.#proxies.closeAll()
    this.#paths.closeAll()
    for (const { session, stats } of this.#live.values()) {
      session.detach()
      stats.close()
    }
  }

  /** After `close`, when the state of all sessions was saved: no terminal is read any more. */
  end(): void {
    this.#readers.close()
  }

  get readers(): { threads: number; failures: number } {
    return { threads: this.#readers.count, failures: this.#failures }
  }

  start(request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    const id = request.id ?? newId('ses')
    const started = this.#start(id, request, viewer).finally(() => this.#starting.delete(id))
    this.#starting.set(id, started)
    return started
  }

  async #start(id: string, request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    const { records, channels, packs, host } = this.#options
    const { settings, keeper, owner, onError } = host
    checkLimits(await records.all(), request.person, settings)
    const isReachable = owner === 'daemon'
    const grantsOf = async (project: string) => (await projectGrants(this.#options.ledger, project)).paths
    const prepared = await prepareSession(request, { id, settings, packs, env: process.env, isReachable, grantsOf })
    await this.#openProxy({
      id,
      agent: prepared.agentName,
      cwd: prepared.spawn.cwd,
      project: prepared.spawn.cwd,
      ...(prepared.sandbox && {
        sandbox: {
          backend: prepared.sandbox.backend,
          network: prepared.sandbox.plan.network,
          hosts: [...prepared.sandbox.plan.hosts],
        },
      }),
    })
    const kept = await keeper.spawn(prepared.spawn).catch(async error => {
      await channels.close(id)
      throw error
    })
    try {
      if (prepared.spawn.pipes && !kept.pipes) throw olderKeeper()
      await records.start(request, prepared, kept)
    } catch (error) {
      // A program that is not in the log would run without anyone knowing.
      await discardKeptSession(keeper, kept).catch(onError)
      await channels.close(id)
      throw error
    }
    const record = await records.get(id)
    const queue = this.#queueOf(id)
    const journal = await SessionJournal.open(this.#options.store, id, { redactor: this.#options.redactor })
    const session = await this.#open(record, {
      live: prepared.live,
      journal,
      startedAt: kept.startedAt,
      env: prepared.spawn.env,
    })
    if (viewer && session instanceof LiveSession) session.watch(viewer)
    await this.#goLive(session)
    const attached = await keeper.attach(id, 0, queue.listener(session))
    if (attached.state === 'behind') await this.#read(session, kept)
    else this.#attached(id, attached.detach)
    return record
  }

  /** Opens the way out of a sandbox with a filtered network. */
  async #openProxy(session: Pick<SessionRecord, 'id' | 'agent' | 'project' | 'cwd' | 'sandbox'>): Promise<void> {
    const { sandbox } = session
    if (sandbox?.network === 'filtered') await this.#proxies.open({ ...session, hosts: sandbox.hosts })
  }

  async resume(record: SessionRecord, options: ResumeOptions): Promise<SessionRecord> {
    const started = await this.start(resumeRequest(record, options))
    await this.#options.records.resumed(record, started.id)
    return started
  }

  /**
   * Takes over the sessions that the keeper kept while no host was there; the others are lost. The
   * sessions are known when it resolves, and catch up later.
   */
  async takeOver(): Promise<void> {
    const { records, host, channels } = this.#options
    const { keeper, onError, owner } = host
    const kept = new Map((await keeper.list()).map(session => [session.id, session]))
    const all = await records.all()
    const known = new Set(all.filter(isRunning).map(({ id }) => id))
    // A host that died between two steps leaves sessions that the log does not have yet, or has
    // ended. A command that runs for the agent of a session belongs to it: `<session>/<terminal>`.
    const isOwned = (id: string) => known.has(id) || (known.has(id.split('/')[0]!) && kept.has(id.split('/')[0]!))
    for (const [id, session] of kept) {
      if (isOwned(id)) continue
      kept.delete(id)
      await discardKeptSession(keeper, session).catch(onError)
    }
    for (const record of all) {
      const session = kept.get(record.id)
      if (session) {
        await this.#openProxy(record).catch(onError)
        this.#takeOverSession(record, session)
      } else if (known.has(record.id) && records.isOwnerGone(record)) {
        await records.lose(record)
        await endSessionProcesses(record, host.clock)
      }
    }
    if (owner === 'daemon') channels.sweep(new Set(kept.keys()))
  }

  /** Why a session is read as it is: now, or at a time of its recording. */
  async explain(record: SessionRecord, at: number | null): Promise<Explanation> {
    const { packs } = this.#options
    const monitor = this.#live.get(record.id)?.monitor
    if (at === null && monitor) return monitor.explain()
    if (record.channel !== undefined)
      throw new SignalboxError('E_STATE', `session ${record.id} speaks a protocol: its recording has no screen`, {
        next: `signalbox replay ${record.id} prints what each message said`,
      })
    const recording = await openRecording(record.recording)
    const live = await packFor(record, packs)
    if (monitor?.version) await live.useVersion(monitor.version)
    live.release()
    const events = async function* () {
      for await (const { event } of recording.events()) yield event
    }
    return explainRecording(events(), { pack: live.pack, cols: recording.header.cols, rows: recording.header.rows, at })
  }

  #takeOverSession(record: SessionRecord, kept: KeptSession): void {
    const { packs, snapshots, channels, onCaughtUp, host } = this.#options
    const { id } = record
    // Its hooks are known, and wait until it is live.
    channels.expect(id)
    const reading = this.#catchUps.add(id, kept.offset - snapshots.offsetOf(id), async pause => {
      const live = await packFor(record, packs)
      const journal = await SessionJournal.open(this.#options.store, id, { pause, redactor: this.#options.redactor })
      const session = await this.#open(record, {
        live,
        journal,
        startedAt: kept.startedAt,
        restored: snapshots.load(id),
      })
      this.#attached(id, await catchUp(session, kept, { keeper: host.keeper, queue: this.#queueOf(id), pause }))
      await this.#goLive(session)
      onCaughtUp(id)
    })
    void reading.catch(host.onError)
  }

  /** The host was too slow for the keeper: the recording has the bytes that it missed. */
  async #readMissed(record: SessionRecord): Promise<void> {
    const { keeper } = this.#options.host
    const session = this.#live.get(record.id)?.session
    const kept = (await keeper.list()).find(candidate => candidate.id === record.id)
    if (!session || !kept) return
    await this.#read(session, kept)
    await this.#goLive(session)
  }

  async #read(session: LocalSession, kept: KeptSession): Promise<void> {
    const { keeper } = this.#options.host
    await this.#catchUps.add(session.id, kept.offset - session.offset, async pause =>
      this.#attached(session.id, await catchUp(session, kept, { keeper, queue: this.#queueOf(session.id), pause })),
    )
  }

  /** It follows the keeper until it is behind; then it continues from its recording. */
  #attached(id: string, detach: () => void): void {
    const entry = this.#live.get(id)
    if (!entry) return
    entry.detach = detach
    const queue = this.#queueOf(id)
    queue.onceBehind(() => {
      detach()
      queue.run(() => entry.session.lagging(entry.session.offset))
    })
  }

  async #goLive(session: LocalSession): Promise<void> {
    await session.goLive()
    const entry = this.#live.get(session.id)
    if (entry?.session === session) entry.isLive = true
  }

  /**
   * Where a session's terminal is read. A terminal whose reader has failed once gets a thread of
   * its own, so that it fails alone.
   */
  #readerFactoryFor(record: SessionRecord): ReaderFactory {
    const { id } = record
    const queue = this.#queueOf(id)
    return this.#readers.factoryFor(() => queue.clock.monotonic(), {
      isAlone: this.#failuresOf.has(id),
      deliver: (work, options) => queue.run(work, options),
      onUnread: bytes => queue.addUnread(bytes),
      onLost: (why, { isCause }) => void this.#readAgain(record, why, isCause).catch(this.#options.host.onError),
    })
  }

  /**
   * The reader of the session's terminal has failed. The session is taken over as by a new host:
   * from its snapshot and its recording. If its terminal was the reason twice, it is not read
   * again: the agent continues, and people can attach to it.
   */
  async #readAgain(record: SessionRecord, why: string, isCause: boolean): Promise<void> {
    const { writeEvent, channels, panes, snapshots, host } = this.#options
    const { id } = record
    const entry = this.#live.get(id)
    if (!(entry?.session instanceof LiveSession) || entry.session.exit) return
    const failures = (this.#failuresOf.get(id) ?? 0) + (isCause ? 1 : 0)
    if (isCause) {
      this.#failures++
      this.#failuresOf.set(id, failures)
    }
    const isReadAgain = failures < FAILURES_MAX
    writeEvent('reader.lost', { session: id, why, isCause, isReadAgain })
    if (!isReadAgain) return entry.session.unreadable(why)
    entry.isLive = false
    entry.detach()
    this.#queues.get(id)?.close()
    this.#queues.delete(id)
    entry.session.replace()
    entry.stats.close()
    entry.monitor.close()
    panes?.removeSession(id)
    this.#live.delete(id)
    // Its snapshot may be what cannot be read.
    if (isCause) snapshots.forget(id)
    await entry.session.effectsDone()
    await channels.release(id)
    const kept = (await host.keeper.list()).find(candidate => candidate.id === id)
    if (kept) this.#takeOverSession(record, kept)
  }

  async #open(record: SessionRecord, opening: OpenSessionOptions): Promise<LocalSession> {
    const { host, channels, panes, bus } = this.#options
    const { live, env = { ...process.env, ...record.agentVariables } } = opening
    const { clock } = this.#queueOf(record.id)
    const report: (report: AgentReport) => void = taken => {
      if (session instanceof LiveSession) session.report(taken)
      monitor.report(taken)
      stats.report(withCost(taken, stats.view.model, host.settings.prices))
      this.#paths.report(record.id, taken)
    }
    const session: LocalSession = await createSession(this.#options, record, opening, {
      clock,
      reader: () => this.#readerFactoryFor(record),
      onReport: report,
      onEnded: () => this.#ended(record),
      onLagging: () => void this.#readMissed(record).catch(host.onError),
    })
    const stats = new SessionStats(session, clock, view =>
      bus.emit({ type: 'session.stats', session: record.id, stats: view }),
    )
    const monitor = createMonitor(this.#options, session, { live, stats, clock })
    if (session instanceof LiveSession) live.onReplaced = () => session.terminal.packChanged()
    this.#live.set(record.id, { session, isLive: false, monitor, stats, detach: () => undefined })
    panes?.addSession(sessionPane(session, monitor, record, host.clock))
    await this.#paths.open(record)
    if (await this.#isRepositoryOfAgent(record)) distrustRepository(record.cwd)
    session.observe({
      outputs: (outputs, t, isLive) => {
        monitor.outputs(outputs, t, isLive)
        channels.sessionChanged(record.id)
        this.#paths.outputs(record.id, outputs, isLive)
      },
      input: (t, bytes) => monitor.input(t, bytes),
      exited: (exit, isExpected) => monitor.exited(exit, isExpected),
    })
    // An agent that speaks a protocol reports there: neither its hooks nor its files are read.
    if (record.channel === undefined) await channels.open(record, env, report)
    return session
  }

  /** Some sandbox was started in the directory while it had no repository. */
  async #isRepositoryOfAgent({ cwd, sandbox }: SessionRecord): Promise<boolean> {
    if (!sandbox?.paths) return false
    const repository = join(cwd, '.git')
    return (await this.#options.records.all()).some(
      earlier =>
        earlier.cwd === cwd && earlier.sandbox?.paths && !earlier.sandbox.paths.some(({ path }) => path === repository),
    )
  }

  #queueOf(id: string): SessionQueue {
    const queue = this.#queues.get(id) ?? this.#scheduler.add(() => isAsking(this.get(id)), id)
    this.#queues.set(id, queue)
    return queue
  }

  #ended(record: SessionRecord): void {
    const { panes, snapshots, channels, records, host, onEnded } = this.#options
    const { id } = record
    const { stats, session } = this.#live.get(id) ?? {}
    this.#live.delete(id)
    this.#queues.delete(id)
    this.#failuresOf.delete(id)
    session?.close()
    stats?.close()
    const final = stats?.final
    if (final) void records.recordStats(id, final).catch(host.onError)
    panes?.removeSession(id)
    snapshots.forget(id)
    void channels.close(id).catch(host.onError)
    this.#proxies.close(id)
    this.#paths.close(id)
    if (record.sandbox) rmSync(join(host.settings.runtimeDirectory, 'sandbox', id), { recursive: true, force: true })
    onEnded(record)
  }
}

function olderKeeper(): SignalboxError {
  return new SignalboxError(
    'E_KEEPER_VERSION',
    'the running keeper is older and supports only sessions with a terminal',
    {
      next: 'end the sessions that are running, then try again',
    },
  )
}

/** The session waits for a person, or for proof that the agent took their answer. */
function isAsking(session: LocalSession | null): boolean {
  return session !== null && (session.approval !== null || session.phase === 'tool-pending')
}
