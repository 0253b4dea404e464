import { pathVariablesOf } from '../agents/index.js'
import type { LedgerPort } from '../approvals/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { KeptSession } from '../keeper/index.js'
import { isAlive, processStart } from '../process/index.js'
import { type SessionRecord, sessionStream, sessionsProjection } from '../sessions/index.js'
import { type EventStore, isVersionConflict } from '../store/index.js'
import { activeSession, findSession, isRunning } from './find-session.js'
import type { PreparedSession, StartRequest } from './prepare-session.js'

/** `session.started` without the number, which the owner of the store assigns. */
export type StartedSession = Omit<EventData<'session.started'>, 'number'>

/** Writes the start of a session with the next free number of its person. */
export type RecordStart = (session: string, started: StartedSession, at: number) => Promise<void>

/** The number of a session that ended longer ago is no longer in use: it may be given again. */
const REMEMBERED_MS = 7 * 24 * 3_600_000

export interface SessionOwner {
  owner: 'daemon' | 'foreground'
  /** The id of this home directory, or of this worker. */
  worker: string
  /** On a worker: the server assigns the number. */
  recordStart?: RecordStart | undefined
}

/** Reads the sessions of the log, and writes what the host itself records about them. */
export class SessionRecords {
  readonly #store: EventStore
  readonly #ledger: LedgerPort
  readonly #owner: 'daemon' | 'foreground'
  readonly #worker: string
  readonly #recordStart: RecordStart

  constructor(store: EventStore, ledger: LedgerPort, { owner, worker, recordStart }: SessionOwner) {
    this.#store = store
    this.#ledger = ledger
    this.#owner = owner
    this.#worker = worker
    this.#recordStart = recordStart ?? ((...start) => this.recordStart(...start))
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  async get(id: string): Promise<SessionRecord> {
    const record = await this.getIfKnown(id)
    if (!record)
      throw new SignalboxError('E_UNKNOWN', `unknown session "${id}"`, {
        next: 'signalbox sessions --all lists them',
      })
    return record
  }

  async getIfKnown(id: string): Promise<SessionRecord | null> {
    return (await this.#store.document<SessionRecord>(sessionsProjection.name, id))?.state ?? null
  }

  /** Oldest first. */
  async all(): Promise<SessionRecord[]> {
    const documents = await this.#store.documents<SessionRecord>(sessionsProjection.name, { isReadOnly: true })
    return documents.map(document => document.state).sort((a, b) => a.startedAt - b.startedAt)
  }

  /** The sessions that a worker has or had. */
  async ofWorker(worker: string): Promise<SessionRecord[]> {
    const documents = await this.#store.documents<SessionRecord>(sessionsProjection.name, { where: { worker } })
    return documents.map(({ state }) => state)
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(word: string, person?: string): Promise<SessionRecord> {
    return findSession(await this.all(), word, person)
  }

  /**
   * The session that a person's prompts go to on a surface.
   * @throws SignalboxError `E_UNKNOWN` if none of theirs runs.
   */
  async active(who: { person: string; surface: string }): Promise<SessionRecord> {
    const found = activeSession(await this.all(), who)
    if (found) return found
    throw new SignalboxError('E_UNKNOWN', 'none of your sessions is running', { next: 'signalbox start starts one' })
  }

  async choose(record: SessionRecord, who: { person: string; surface: string }): Promise<void> {
    if (record.person !== who.person)
      throw new SignalboxError('E_ROLE', `session ${record.id} belongs to another person`, {
        next: 'send to it by its id',
      })
    if (record.state === 'ended' || record.state === 'lost')
      throw new SignalboxError('E_STATE', `session ${record.id} has ended`, {
        next: 'signalbox sessions lists the others',
      })
    await this.#store.append(sessionStream(record.id), 'any', [newEvent('session.chosen', who)])
  }

  async resumed(record: SessionRecord, by: string): Promise<void> {
    const { agentSessionId } = record
    await this.#store.append(sessionStream(record.id), 'any', [
      newEvent('session.resumed', { by, ...(agentSessionId !== undefined && { agentSessionId }) }),
    ])
  }

  /** Changes or removes a session's label. */
  async rename(id: string, label: string | null, person: string): Promise<void> {
    const event = newEvent('session.renamed', { label, person })
    await this.#store.append(sessionStream((await this.get(id)).id), 'any', [event])
  }

  /** Stores what the agent reported about its work, when the session has ended. */
  async recordStats(id: string, stats: EventData<'session.stats-final'>): Promise<void> {
    await this.#store.append(sessionStream(id), 'any', [newEvent('session.stats-final', stats)])
  }

  /** No process owns it: no terminal, or its foreground command is gone. */
  isOwnerGone(record: SessionRecord): boolean {
    // Only the home directory that started a terminal knows how it ended.
    if (record.worker !== undefined && record.worker !== this.#worker) return false
    if (record.owner === 'daemon') return this.#owner === 'daemon'
    const [, pid, start] = record.owner.split(':')
    // Where start times are unknown, a running process with this id counts as the owner.
    return start === 'null' ? !isAlive(Number(pid)) : processStart(Number(pid)) !== start
  }

  async lose(
    record: SessionRecord,
    { reason = 'its terminal is gone', cancels = 'session ended' }: { reason?: string; cancels?: string } = {},
  ): Promise<void> {
    const { id: session, number, agentSessionId } = record
    const next = agentSessionId ? ` To resume it: signalbox resume ${number}` : ''
    const text = `Session ${number} is lost: ${reason}, and its end was not recorded.${next}`
    await this.#store.append(sessionStream(session), 'any', [
      newEvent('session.lost', { reason }),
      newEvent('session.noticed', { session, kind: 'lost', text }),
    ])
    for (const approval of await this.#ledger.list({ isOpenOnly: true })) {
      if (approval.subject.session === record.id) await this.#ledger.cancelled(approval, cancels)
    }
  }

  async start(request: StartRequest, prepared: PreparedSession, kept: KeptSession): Promise<void> {
    const owner = this.#owner === 'daemon' ? 'daemon' : `foreground:${process.pid}:${processStart(process.pid)}`
    const started: StartedSession = {
      agent: prepared.agentName,
      ...(prepared.agentSessionId && { agentSessionId: prepared.agentSessionId }),
      project: prepared.spawn.cwd,
      cwd: prepared.spawn.cwd,
      args: prepared.agentArgs,
      pid: kept.pid,
      size: { cols: kept.cols, rows: kept.rows },
      person: request.person,
      recording: kept.recording,
      owner,
      worker: this.#worker,
      ...(request.label && { label: request.label }),
      ...(request.resumedFrom && { resumedFrom: request.resumedFrom }),
      ...(request.channel && { channel: request.channel }),
      agentVariables: pathVariablesOf(prepared.spawn.env),
      ...(prepared.sandbox && {
        sandbox: {
          backend: prepared.sandbox.backend,
          network: prepared.sandbox.plan.network,
          hosts: [...prepared.sandbox.plan.hosts],
          paths: [...prepared.sandbox.plan.paths],
        },
      }),
    }
    await this.#recordStart(kept.id, started, kept.startedAt)
  }

  /** Other hosts of this store may start sessions at the same moment: the first append wins. */
  async recordStart(session: string, data: StartedSession, at: number): Promise<void> {
    const { person } = data
    const stream = `numbers/${person}`
    const started = (number: number) => newEvent('session.started', { ...data, number }, at)
    for (;;) {
      const expected = await this.#store.streamVersion(stream)
      const number = await this.#nextNumber(person, at)
      try {
        await this.#store.appendAll([
          { stream, expected, events: [newEvent('session.numbered', { session, number })] },
          { stream: sessionStream(session), expected: 0, events: [started(number)] },
        ])
        return
      } catch (error) {
        if (!isVersionConflict(error) || (await this.#store.streamVersion(stream)) === expected) throw error
      }
    }
  }

  async #nextNumber(person: string, now: number): Promise<number> {
    const isRemembered = (record: SessionRecord) =>
      isRunning(record) || now - (record.endedAt ?? record.startedAt) < REMEMBERED_MS
    const theirs = (await this.all()).filter(record => record.person === person && isRemembered(record))
    return 1 + Math.max(0, ...theirs.map(({ number }) => number))
  }
}
