import { hostname } from 'node:os'
import type { LivePack, LivePacks } from '../agents/index.js'
import type { Ledger } from '../approvals/index.js'
import { newId } from '../clock/index.js'
import type { EventData, EventType } from '../events/index.js'
import type { KeptSession } from '../keeper/index.js'
import type { Pane } from '../panes/index.js'
import type { AgentChannels } from '../reports/index.js'
import {
  LiveSession,
  SessionJournal,
  type SessionRecord,
  type SessionSnapshot,
  type Sink,
  type Viewer,
} from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import type { DriftFiles } from '../supervision/drift/index.js'
import type { PaneRegistry } from '../supervision/index.js'
import { SessionWatch, sessionPane } from '../supervision/index.js'
import type { Redactor } from '../text/index.js'
import type { LiveBus } from './bus.js'
import { catchUp } from './catch-up.js'
import { discardKept } from './discard-kept.js'
import type { HostOptions } from './host-options.js'
import { agentTraits, packFor, prepareSession, type StartRequest } from './prepare-session.js'
import { type ResumeWish, resumeRequest } from './resume-session.js'
import { absenceOf } from './session-absence.js'
import { type CrewView, SessionCrew } from './session-crew.js'
import { checkLimits } from './session-limits.js'
import type { SessionRecords } from './session-records.js'
import { type SessionLane, SessionLanes } from './session-scheduler.js'
import type { SessionSnapshots } from './session-snapshots.js'

export interface LiveSessionsOptions {
  host: HostOptions
  store: EventStore
  ledger: Ledger
  records: SessionRecords
  packs: LivePacks
  channels: AgentChannels
  board: PaneRegistry | null
  snapshots: SessionSnapshots
  drift: DriftFiles
  redactor: Redactor
  sinks(): readonly Sink[]
  bus: LiveBus
  /** An event about the host itself, which nobody waits for. */
  note<T extends EventType>(type: T, data: EventData<T>): void
}

/** The sessions that are live in this host: started here, or taken over from one that is gone. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #live = new Map<string, LiveSession>()
  readonly #watches = new Map<string, SessionWatch>()
  readonly #crews = new Map<string, SessionCrew>()
  readonly #thread: SessionLanes
  readonly #lanes = new Map<string, SessionLane>()

  constructor(options: LiveSessionsOptions) {
    this.#options = options
    this.#thread = new SessionLanes(options.host.clock, options.host.onError)
  }

  get(id: string): LiveSession | null {
    return this.#live.get(id) ?? null
  }

  all(): LiveSession[] {
    return [...this.#live.values()]
  }

  /** What follows the session's screen for supervision and drift. */
  watchOf(id: string): SessionWatch | undefined {
    return this.#watches.get(id)
  }

  crewOf(id: string): CrewView | null {
    return this.#crews.get(id)?.view ?? null
  }

  close(): void {
    for (const crew of this.#crews.values()) crew.close()
  }

  async start(request: StartRequest, viewer?: Viewer): Promise<SessionRecord> {
    const { records, channels, packs, host } = this.#options
    const { settings, keeper, owner, onError } = host
    checkLimits(await records.all(), request.person, settings)
    const id = newId('ses')
    const isReachable = owner === 'daemon'
    const prepared = await prepareSession(request, { id, settings, packs, env: process.env, isReachable })
    const kept = await keeper.spawn(prepared.spawn).catch(async error => {
      await channels.close(id)
      throw error
    })
    try {
      await records.start(request, prepared, kept)
    } catch (error) {
      // A program that the log does not know would run on unseen.
      await discardKept(keeper, kept).catch(onError)
      await channels.close(id)
      throw error
    }
    const record = await records.get(id)
    const lane = this.#laneOf(id)
    const session = await this.#open(record, prepared.live, null, prepared.spawn.env)
    if (viewer) session.watch(viewer)
    session.goLive()
    const attached = await keeper.attach(id, 0, lane.listener(session))
    if (attached.state === 'behind') await catchUp(session, kept, { keeper, lane })
    return record
  }

  /** Goes on with the conversation of a session that has ended, in a new one. */
  async resume(record: SessionRecord, wish: ResumeWish): Promise<SessionRecord> {
    const started = await this.start(resumeRequest(record, wish))
    await this.#options.records.resumed(record, started.id)
    return started
  }

  /** Takes over what the keeper kept while no host was there; what it did not keep is lost. */
  async takeOver(): Promise<void> {
    const { records, host, channels } = this.#options
    const { keeper, onError, owner } = host
    const kept = new Map((await keeper.list()).map(session => [session.id, session]))
    const all = await records.all()
    const known = new Set(all.filter(({ state }) => state === 'starting' || state === 'live').map(({ id }) => id))
    // A host that died between two steps leaves sessions that the log does not know yet, or has ended already.
    for (const [id, session] of kept) {
      if (known.has(id)) continue
      kept.delete(id)
      await discardKept(keeper, session).catch(onError)
    }
    for (const record of all) {
      const session = kept.get(record.id)
      if (session) await this.#adopt(record, session).catch(onError)
      else if (known.has(record.id) && records.isOrphan(record)) await records.lose(record)
    }
    if (owner === 'daemon') channels.sweep()
  }

  async #adopt(record: SessionRecord, kept: KeptSession): Promise<void> {
    const { packs, snapshots, host } = this.#options
    const live = await packFor(record.agent, packs)
    const session = await this.#open(record, live, snapshots.load(record.id))
    await catchUp(session, kept, { keeper: host.keeper, lane: this.#laneOf(record.id) })
    session.goLive()
  }

  /** We were too slow for the keeper: what was missed is in the recording. */
  async #readOn(record: SessionRecord): Promise<void> {
    const { keeper } = this.#options.host
    const session = this.#live.get(record.id)
    const kept = (await keeper.list()).find(candidate => candidate.id === record.id)
    if (!session || !kept) return
    await catchUp(session, kept, { keeper, lane: this.#laneOf(record.id) })
    session.goLive()
  }

  async #open(
    record: SessionRecord,
    live: LivePack,
    restored: SessionSnapshot | null,
    env: NodeJS.ProcessEnv = { ...process.env, ...record.places },
  ): Promise<LiveSession> {
    const { host, store, ledger, channels, sinks, bus } = this.#options
    const { settings, keeper, version, onError } = host
    const { clock } = this.#laneOf(record.id)
    const session = new LiveSession({
      record,
      pack: live.pack,
      keeper,
      journal: await SessionJournal.open(store, record.id),
      ledger,
      sinks: sinks(),
      clock,
      emulator: { ...record.size, scrollback: settings.scrollback, version, hostname: hostname() },
      hostName: hostname(),
      agent: await agentTraits(record.agent, settings),
      times: settings.sessions.times,
      absence: () => absenceOf(record),
      answers: await channels.answersFor(record),
      onError,
      ...(restored && { restored }),
      onEnded: () => this.#forget(record.id),
      onLagging: () => void this.#readOn(record).catch(onError),
    })
    this.#live.set(record.id, session)
    const crew = new SessionCrew(session, clock, view =>
      bus.emit({ type: 'session.crew', session: record.id, crew: view }),
    )
    this.#crews.set(record.id, crew)
    const watch = this.#watch(session, live, record, crew)
    await channels.open(record, env, report => {
      session.hear(report)
      watch.hear(report)
      crew.hear(report)
    })
    return session
  }

  /** Where the session waits for its turn. */
  #laneOf(id: string): SessionLane {
    const lane = this.#lanes.get(id) ?? this.#thread.enter(() => isAsking(this.#live.get(id)))
    this.#lanes.set(id, lane)
    return lane
  }

  #forget(id: string): void {
    const { board, snapshots, channels, records, host } = this.#options
    this.#live.delete(id)
    this.#watches.delete(id)
    const crew = this.#crews.get(id)
    crew?.close()
    this.#crews.delete(id)
    this.#lanes.delete(id)
    const kept = crew?.kept
    if (kept) void records.keepCrew(id, kept).catch(host.onError)
    board?.removeSession(id)
    snapshots.forget(id)
    void channels.close(id).catch(host.onError)
  }

  #watch(session: LiveSession, live: LivePack, record: SessionRecord, crew: SessionCrew): SessionWatch {
    const { board, drift, redactor, note, host } = this.#options
    const watch = new SessionWatch({
      screen: session.screen,
      live,
      clock: this.#laneOf(record.id).clock,
      drift,
      redactor,
      record: note,
      ...(board && { supervise: (pane: Pane) => board.supervise(pane) }),
      changed: () => {
        board?.changed(session.id)
        crew.changed()
      },
      onError: host.onError,
    })
    this.#watches.set(session.id, watch)
    board?.addSession(sessionPane(session, watch, record, host.clock))
    session.observe(watch)
    return watch
  }
}

/** It waits for a person, or for the proof that the agent has taken their answer. */
function isAsking(session: LiveSession | undefined): boolean {
  return session !== undefined && (session.approval !== null || session.phase === 'tool-pending')
}
