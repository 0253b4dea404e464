import { pathVariablesOf } from '../agents/index.js'
import type { Ledger } from '../approvals/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { KeptSession } from '../keeper/index.js'
import { isAlive, processStart } from '../process/index.js'
import { type SessionRecord, sessionStream, sessionsProjection } from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { activeSession, findSession, isRunning } from './find-session.js'
import type { PreparedSession, StartRequest } from './prepare-session.js'

/** Reads the sessions of the log, and writes what the host itself records about them. */
export class SessionRecords {
  readonly #store: EventStore
  readonly #ledger: Ledger
  readonly #owner: 'daemon' | 'foreground'
  #starting: Promise<void> = Promise.resolve()

  constructor(store: EventStore, ledger: Ledger, owner: 'daemon' | 'foreground') {
    this.#store = store
    this.#ledger = ledger
    this.#owner = owner
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  async get(id: string): Promise<SessionRecord> {
    const document = await this.#store.document<SessionRecord>(sessionsProjection.name, id)
    if (!document)
      throw new SignalboxError('E_UNKNOWN', `there is no session "${id}"`, {
        next: 'signalbox sessions --all lists them',
      })
    return document.state
  }

  /** Oldest first. */
  async all(): Promise<SessionRecord[]> {
    const documents = await this.#store.documents<SessionRecord>(sessionsProjection.name)
    return documents.map(document => document.state).sort((a, b) => a.startedAt - b.startedAt)
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

  /** One at a time: two concurrent starts must not take the same number. */
  start(request: StartRequest, prepared: PreparedSession, kept: KeptSession): Promise<void> {
    const done = this.#starting.then(() => this.#appendStart(request, prepared, kept))
    this.#starting = done.catch(() => undefined)
    return done
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
  async recordStats(id: string, stats: EventData<'crew.dismissed'>): Promise<void> {
    await this.#store.append(sessionStream(id), 'any', [newEvent('crew.dismissed', stats)])
  }

  /** No process owns it: no terminal, or its foreground command is gone. */
  isOrphan(record: SessionRecord): boolean {
    if (record.owner === 'daemon') return this.#owner === 'daemon'
    const [, pid, start] = record.owner.split(':')
    // If the system does not tell when a process started, its existence must do.
    return start === 'null' ? !isAlive(Number(pid)) : processStart(Number(pid)) !== start
  }

  async lose(record: SessionRecord): Promise<void> {
    const { id: session, number, agentSessionId } = record
    const next = agentSessionId ? ` To resume it: signalbox resume ${number}` : ''
    const text = `Session ${number} is lost: its terminal is gone, and its end was not recorded.${next}`
    await this.#store.append(sessionStream(session), 'any', [
      newEvent('session.lost', { reason: 'its terminal is gone' }),
      newEvent('session.noticed', { session, kind: 'lost', text }),
    ])
    for (const approval of await this.#ledger.list({ isOpenOnly: true })) {
      if (approval.subject.session === record.id) await this.#ledger.cancelled(approval, 'session ended')
    }
  }

  async #appendStart(request: StartRequest, prepared: PreparedSession, kept: KeptSession): Promise<void> {
    const number = await this.#nextNumber(request.person)
    const owner = this.#owner === 'daemon' ? 'daemon' : `foreground:${process.pid}:${processStart(process.pid)}`
    await this.#store.append(sessionStream(kept.id), 0, [
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
          owner,
          ...(request.label && { label: request.label }),
          ...(request.resumedFrom && { resumedFrom: request.resumedFrom }),
          places: pathVariablesOf(prepared.spawn.env),
        },
        kept.startedAt,
      ),
    ])
  }

  async #nextNumber(person: string): Promise<number> {
    const live = (await this.all()).filter(record => record.person === person && isRunning(record))
    const taken = new Set(live.map(record => record.number))
    let number = 1
    while (taken.has(number)) number++
    return number
  }
}
