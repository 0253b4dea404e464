import { homedir } from 'node:os'
import { type Clock, newId, systemClock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { EventStore, NewEvent, StreamAppend } from '../store/index.js'
import { canonicalJson, createRedactor, type Redactor } from '../text/index.js'
import type { ApprovalEvent } from './approval-table.js'
import { type DecisionRequest, judgeDecision, judgeRequest } from './decide.js'
import { sha256 } from './fingerprint.js'
import { GrantRegistry, type SettingsHash } from './grant-registry.js'
import { grantFrom, grantStream } from './grants.js'
import { Lockdown } from './lockdown.js'
import { allowOnceOption } from './manual-only.js'
import { OpenRecords } from './open-records.js'
import { type Actor, type ApprovalPolicy, DEFAULT_POLICY, type DecideRules } from './policy.js'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  type ApprovalRequest,
  approvalStream,
  approvalsProjection,
  canMove,
  isOpen,
  isSuperseded,
} from './record.js'
import { historyOf } from './request-history.js'
import { rateRisk } from './risk.js'
import { toStoredRequest } from './stored-request.js'

export interface LedgerOptions {
  clock?: Clock
  policy?: Partial<ApprovalPolicy>
  /** Takes secrets out of what is stored and shown. */
  redactor?: Redactor
  roleOf?: DecideRules['roleOf']
  home?: string
  /** Grants end when it tells other settings than those they were given under. */
  settingsHash?: SettingsHash
  /** What else belongs to a decision and must be written with it or not at all: the answer of a gate in its run's stream. */
  alongside?: (record: ApprovalRecord, decision: ApprovalDecision) => Promise<readonly StreamAppend[]>
}

/** A grant that is used up, ended or paused between the look and the append is looked for again; this often. */
const COVER_TRIES = 5

/** The ledger: every decision asked for, decided once. It knows streams and versions; what to show and what to type is others' business. */
export class Ledger {
  readonly grants: GrantRegistry
  readonly lockdown: Lockdown
  readonly policy: ApprovalPolicy
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #roleOf: DecideRules['roleOf']
  readonly #home: string
  readonly #alongside: LedgerOptions['alongside']
  readonly #open: OpenRecords

  constructor(store: EventStore, options: LedgerOptions = {}) {
    this.#store = store
    this.#clock = options.clock ?? systemClock
    this.policy = { ...DEFAULT_POLICY, ...options.policy }
    this.#redactor = options.redactor ?? createRedactor()
    this.#roleOf = options.roleOf
    this.#home = options.home ?? homedir()
    this.#alongside = options.alongside
    this.grants = new GrantRegistry(store, this.#clock, options.settingsHash)
    this.lockdown = new Lockdown(store, this.#clock)
    this.#open = new OpenRecords(store)
  }

  /** Raises a request. One that a grant covers comes back decided: request, decision and use of the grant are written as one. */
  async request(request: ApprovalRequest): Promise<ApprovalRecord> {
    const pending = (await this.#open.list()).filter(({ state }) => state === 'pending').length
    if (pending >= this.policy.maxPending)
      throw new SignalboxError(
        'E_LIMIT',
        `${pending} requests are waiting, and the limit is ${this.policy.maxPending}`,
        {
          next: 'decide some; until then agents ask in their own dialogs',
        },
      )
    const id = newId('apr')
    const { session } = request.subject
    const history = session === undefined ? {} : historyOf(request, await this.recent(session), this.#clock.now())
    await this.#raise(id, { ...request, ...history }, [])
    return (await this.get(id))!
  }

  /** The same appearance is now known better: the old request is stale, the new one follows it. Null when the old one is pending no more. */
  async replace(old: ApprovalRecord, request: ApprovalRequest): Promise<ApprovalRecord | null> {
    for (;;) {
      const { record, version } = await this.#read(old.id)
      if (record.state !== 'pending') return null
      const id = newId('apr')
      const stale = {
        stream: approvalStream(old.id),
        expected: version,
        events: [newEvent('approval.stale', { reason: 'changed', followedBy: id })],
      }
      try {
        await this.#raise(id, { ...request, follows: old.id }, [stale])
        return (await this.get(id))!
      } catch (error) {
        if (!isCode(error, 'E_VERSION')) throw error
      }
    }
  }

  /** Another channel reported the same request. One that contradicts it cannot join what is decided: it would be applied to something else. */
  async join(record: ApprovalRecord, report: EventData<'approval.joined'>): Promise<boolean> {
    const mayJoin = ({ state }: ApprovalRecord) =>
      state === 'pending' || (state === 'decided' && report.mismatch === undefined)
    return this.#while(record.id, mayJoin, newEvent('approval.joined', report))
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    return (await this.#store.document<ApprovalRecord>(approvalsProjection.name, id))?.state ?? null
  }

  /** The request as it is known now: the one itself, or what stands in its place. */
  async newestVersion(id: string): Promise<ApprovalRecord | null> {
    const record = await this.get(id)
    const next = record?.outcome?.followedBy
    return next === undefined ? record : this.newestVersion(next)
  }

  /** Oldest first. One that another stands in the place of is not listed: it is asked once. */
  async list(options: { isOpenOnly: boolean }): Promise<ApprovalRecord[]> {
    if (options.isOpenOnly) return this.#open.list()
    const documents = await this.#store.documents<ApprovalRecord>(approvalsProjection.name)
    const from = this.#clock.now() - (this.policy.keepMs ?? Number.POSITIVE_INFINITY)
    return documents
      .map(document => document.state)
      .filter(record => isOpen(record) || (!isSuperseded(record) && (record.outcome?.at ?? record.requestedAt) >= from))
      .sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /** Requests of one session that a report may still be about: the open ones, and those closed while this process watched. */
  async recent(session: string): Promise<ApprovalRecord[]> {
    const open = await this.#open.list()
    const closed = await this.#open.recentlyClosed()
    return [...closed, ...open].filter(({ subject }) => subject.session === session)
  }

  /** @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(prefix: string): Promise<ApprovalRecord> {
    const exact = await this.get(prefix)
    if (exact) return exact
    const searches = prefix === '' ? [] : [prefix, `apr_${prefix}`]
    const found = await Promise.all(
      searches.map(search =>
        this.#store.documents<ApprovalRecord>(approvalsProjection.name, { prefix: search, limit: 9 }),
      ),
    )
    const records = found.flat().map(document => document.state)
    if (records.length === 1) return records[0]!
    if (records.length === 0)
      throw new SignalboxError('E_UNKNOWN', `there is no approval "${prefix}"`, {
        next: 'signalbox approvals lists them',
      })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${prefix}" could be ${records.map(record => record.id).join(', ')}`)
  }

  /**
   * Decides a request once. A conflict means that someone else was faster: the record is read again and judged again, so that the second
   * is refused and told who decided first. `along` names what must be written with the decision or not at all, such as the button that
   * was pressed; it is asked again for every try, and throws when that button was used meanwhile.
   */
  async decide(
    id: string,
    request: DecisionRequest,
    along: () => Promise<readonly StreamAppend[]> = async () => [],
  ): Promise<ApprovalDecision> {
    const early = judgeRequest(request, this.#rules())
    if (early) {
      const record = await this.find(id).catch(() => null)
      if (record) await this.refuse(record.id, request, early)
      throw early
    }
    const { id: whole } = await this.find(id)
    for (;;) {
      const { isLocked, guard } = await this.lockdown.check()
      const { record, version } = await this.#read(whole)
      const verdict = judgeDecision(record, request, { ...this.#rules(), isLocked })
      if ('repeat' in verdict) return verdict.repeat
      if ('refuse' in verdict) {
        await this.refuse(whole, request, verdict.refuse)
        throw verdict.refuse
      }
      const { decision, appends } = this.#withGrant(record, verdict.accept, request)
      const decided = {
        stream: approvalStream(whole),
        expected: version,
        events: [newEvent('approval.decided', decision)],
      }
      const others = (await this.#alongside?.(record, decision)) ?? []
      if (await this.#appendAll([decided, ...appends, ...others, ...(await along()), guard])) return decision
    }
  }

  /** Takes denials only from now on, and ends every grant. Sessions and runs are not touched. */
  async lockDown(by: Actor): Promise<{ since: number; grants: number }> {
    const active = await this.grants.list()
    const since = await this.lockdown.begin(by.name, active.length)
    return { since, grants: await this.grants.endWhere(() => true, 'revoked', by) }
  }

  /** A refusal changes nothing and is itself on record. */
  async refuse(
    id: string,
    { actor, surface }: Pick<DecisionRequest, 'actor' | 'surface'>,
    { code, message }: SignalboxError,
  ): Promise<void> {
    await this.#store.append(approvalStream(id), 'any', [
      newEvent('approval.refused', { actor, surface, code, reason: message }),
    ])
  }

  /** The request was shown to somebody; how much of it, they say. */
  async seen(id: string, seen: EventData<'approval.seen'>): Promise<void> {
    await this.#store.append(approvalStream(id), 'any', [newEvent('approval.seen', seen)], { durability: 'normal' })
  }

  /**
   * Written before a key leaves. Both steps of one attempt carry its number.
   * @throws SignalboxError `E_STATE` when the request is no longer decided: then no key may leave.
   */
  async delivering(record: ApprovalRecord, step: string): Promise<void> {
    const attempt = Math.max(0, ...record.delivery.map(earlier => earlier.attempt)) + 1
    const event = newEvent('approval.delivering', { attempt, channel: record.source.channel, fence: 0, step })
    if (await this.#move(record.id, 'delivering', event)) return
    throw new SignalboxError('E_STATE', `approval ${record.id} is closed: nothing more is sent for it`)
  }

  /** These five do nothing, and say so, when the request has come to another end meanwhile. */
  async applied(
    record: ApprovalRecord,
    evidence: { kind: string; [key: string]: unknown }[],
    at: number,
  ): Promise<boolean> {
    const decidedAt = (await this.get(record.id))?.decision?.at
    const deliveredMs = decidedAt === undefined ? undefined : Math.max(0, at - decidedAt)
    return this.#move(
      record.id,
      'moved-on',
      newEvent('approval.applied', {
        evidence,
        waitedMs: waited(record, at),
        ...(deliveredMs !== undefined && { deliveredMs }),
      }),
    )
  }

  async observed(
    record: ApprovalRecord,
    evidence: { kind: string; [key: string]: unknown }[],
    at: number,
    option: string | null = null,
  ): Promise<boolean> {
    const actor = {
      kind: 'observed' as const,
      id: 'terminal',
      name: 'someone at the terminal',
      role: 'approver' as const,
    }
    const observed = { actor, surface: 'terminal' as const, option }
    return this.#move(
      record.id,
      'observed',
      newEvent('approval.applied', { evidence, waitedMs: waited(record, at), observed }),
    )
  }

  async stale(
    record: ApprovalRecord,
    reason: EventData<'approval.stale'>['reason'],
    evidence?: { kind: string; [key: string]: unknown }[],
  ): Promise<boolean> {
    return this.#move(record.id, reason, newEvent('approval.stale', { reason, ...(evidence && { evidence }) }))
  }

  async cancelled(record: ApprovalRecord, reason: string): Promise<boolean> {
    return this.#move(record.id, 'withdrawn', newEvent('approval.cancelled', { reason }))
  }

  /** Nobody decided in time. It never allows; what follows is for the deadline's owner to do. */
  async expired(record: ApprovalRecord): Promise<boolean> {
    const onExpiry = record.deadline?.onExpiry ?? 'nothing'
    return this.#move(
      record.id,
      'deadline',
      newEvent('approval.expired', { reason: 'nobody decided in time', onExpiry }),
    )
  }

  // — inside —

  #rules(): DecideRules {
    return {
      now: this.#clock.now(),
      policy: this.policy,
      ...(this.#roleOf && { roleOf: this.#roleOf }),
      rateEdited: ({ kind, subject, request }, input) =>
        rateRisk(
          { kind, tool: request.tool, input, text: null, cwd: subject.cwd },
          { project: subject.project, home: this.#home },
        ),
    }
  }

  /** The request, the decision of a grant that covers it, and `others`, in one transaction. */
  async #raise(id: string, asked: ApprovalRequest, others: readonly StreamAppend[]): Promise<void> {
    const stored = toStoredRequest(asked, { redactor: this.#redactor, now: this.#clock.now(), policy: this.policy })
    const requested = newEvent('approval.requested', stored)
    for (let tries = 0; tries < COVER_TRIES; tries++) {
      const { isLocked, guard } = await this.lockdown.check()
      // The request as it was asked, before secrets were taken out: a grant compares that.
      const cover = isLocked ? null : await this.grants.cover({ ...stored, request: asked.request })
      if (!cover) break
      const { grant, switchVersion } = cover
      const decided = newEvent('approval.decided', grantDecision(stored, grant.id, grant.by))
      const used = [newEvent('grant.used', { approval: id })]
      if (grant.uses + 1 >= grant.maxUses) used.push(newEvent('grant.ended', { reason: 'uses' }))
      try {
        await this.#store.appendAll(
          [
            { stream: approvalStream(id), expected: 0, events: [requested, decided] },
            { stream: grantStream(grant.id), expected: grant.version, events: used },
            { stream: grantStream('all'), expected: switchVersion, events: [] },
            guard,
            ...others,
          ],
          { onlyIf: () => this.#clock.now() < grant.expiresAt },
        )
        return
      } catch (error) {
        if (!isCode(error, 'E_VERSION') && !isCode(error, 'E_PRECONDITION')) throw error
      }
    }
    await this.#store.appendAll([{ stream: approvalStream(id), expected: 0, events: [requested] }, ...others])
  }

  #withGrant(
    record: ApprovalRecord,
    accepted: ApprovalDecision,
    { grant, actor, surface }: DecisionRequest,
  ): { decision: ApprovalDecision; appends: StreamAppend[] } {
    const decision: ApprovalDecision = {
      ...accepted,
      ...(accepted.editedInput !== undefined && {
        editedInput: this.#redactor.redactValue(accepted.editedInput),
        editedHash: sha256(canonicalJson(accepted.editedInput)),
      }),
    }
    if (!grant) return { decision, appends: [] }
    const id = newId('grt')
    const made = grantFrom(record, grant, {
      by: actor,
      surface,
      approval: record.id,
      ...this.grants.markOf(record.subject.project),
      policy: this.policy,
      now: this.#clock.now(),
    })
    return {
      decision: { ...decision, madeGrant: id },
      appends: [{ stream: grantStream(id), expected: 0, events: [newEvent('grant.made', made)] }],
    }
  }

  /** Appends only what the table has a row for, at the version that was looked at. */
  #move(id: string, by: ApprovalEvent, event: NewEvent): Promise<boolean> {
    return this.#while(id, ({ state }) => canMove(state, by), event)
  }

  async #while(id: string, may: (record: ApprovalRecord) => boolean, event: NewEvent): Promise<boolean> {
    for (;;) {
      const { record, version } = await this.#read(id)
      if (!may(record)) return false
      if (await this.#appendAll([{ stream: approvalStream(id), expected: version, events: [event] }])) return true
    }
  }

  /** The version is read first: whatever is appended in between makes the append at it fail, never pass. */
  async #read(id: string): Promise<{ record: ApprovalRecord; version: number }> {
    const version = await this.#store.streamVersion(approvalStream(id))
    const record = await this.get(id)
    if (!record) throw new SignalboxError('E_UNKNOWN', `there is no approval "${id}"`)
    return { record, version }
  }

  /** False when someone else appended first. */
  async #appendAll(appends: readonly StreamAppend[]): Promise<boolean> {
    try {
      await this.#store.appendAll(appends)
      return true
    } catch (error) {
      if (isCode(error, 'E_VERSION')) return false
      throw error
    }
  }
}

function grantDecision(request: ApprovalRequest, grantId: string, by: ApprovalDecision['actor']): ApprovalDecision {
  const option = allowOnceOption(request)!
  return {
    option: option.key,
    tier: option.meaning,
    grantId,
    actor: { kind: 'grant', id: grantId, name: `a grant of ${by.name}`, role: by.role },
    surface: 'api',
    fingerprint: request.fingerprint,
    seen: { displayHash: request.display.hash, whole: false },
    idempotencyKey: `${grantId}:${request.instance}`,
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof SignalboxError && error.code === code
}

/** A wall clock that stepped back must not make a request wait less than nothing. */
function waited(record: ApprovalRecord, at: number): number {
  return Math.max(0, at - record.requestedAt)
}
