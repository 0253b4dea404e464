import { homedir } from 'node:os'
import { type Clock, idPrefix, newId, systemClock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, newEvent } from '../events/index.js'
import type { EventStore, NewEvent, StreamAppend } from '../store/index.js'
import { canonicalJson, createRedactor, type Redactor } from '../text/index.js'
import { checkDecision, judgeDecision, type ProposedDecision } from './decide.js'
import { hasSignature, signatureOf } from './decision-signature.js'
import { sha256 } from './fingerprint.js'
import { GrantDecisions } from './grant-decisions.js'
import { GrantRegistry, type SettingsHash } from './grant-registry.js'
import { grantFrom, grantStream } from './grants.js'
import { Lockdown } from './lockdown.js'
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
import {
  appliedOutcome,
  expiredOutcome,
  type ObservedAnswer,
  type OutcomeEvidence,
  observedOutcome,
  type RequestOutcome,
  staleOutcome,
} from './request-outcomes.js'
import { rateRisk } from './risk.js'
import { toStoredRequest } from './stored-request.js'

export interface LedgerOptions {
  clock?: Clock
  policy?: Partial<ApprovalPolicy>
  /** Removes secrets from what is stored and shown. */
  redactor?: Redactor
  roleOf?: DecideRules['roleOf']
  home?: string
  /**
   * Changes with the effective settings: a grant ends when they differ from those it was made
   * under.
   */
  settingsHash?: SettingsHash
  /**
   * Events that must be appended in the transaction of a decision: the answer of a gate, in its
   * run's stream.
   */
  gateAppends?: (record: ApprovalRecord, decision: ApprovalDecision) => Promise<readonly StreamAppend[]>
  /** Signs decisions (decision-signature.ts); without it they are neither signed nor checked. */
  secret?: string
  /** Whether the ledger of another process, with a secret of its own, accepted a decision. */
  isAccepted?: (record: ApprovalRecord) => Promise<boolean>
}

/**
 * The ledger: it records every request for a decision, and decides each once. It neither shows
 * requests nor delivers answers.
 */
export class Ledger {
  readonly grants: GrantRegistry
  readonly lockdown: Lockdown
  readonly policy: ApprovalPolicy
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #redactor: Redactor
  readonly #roleOf: DecideRules['roleOf']
  readonly #home: string
  readonly #gateAppends: LedgerOptions['gateAppends']
  readonly #open: OpenRecords
  readonly #grantDecisions: GrantDecisions
  readonly #secret: string | undefined
  readonly #isAccepted: LedgerOptions['isAccepted']
  readonly #skipped = new Set<string>()

  constructor(store: EventStore, options: LedgerOptions = {}) {
    this.#store = store
    this.#clock = options.clock ?? systemClock
    this.policy = { ...DEFAULT_POLICY, ...options.policy }
    this.#redactor = options.redactor ?? createRedactor()
    this.#roleOf = options.roleOf
    this.#home = options.home ?? homedir()
    this.#gateAppends = options.gateAppends
    this.#secret = options.secret
    this.#isAccepted = options.isAccepted
    this.grants = new GrantRegistry(store, this.#clock, options.settingsHash)
    this.lockdown = new Lockdown(store, this.#clock)
    this.#open = new OpenRecords(store)
    this.#grantDecisions = new GrantDecisions({
      store,
      grants: this.grants,
      lockdown: this.lockdown,
      sign: (id, decision) => this.#signed(id, decision),
      isProven: grant => this.#isGrantProven(grant),
    })
  }

  /**
   * Records a request. If a grant covers it, request, decision and use of the grant are written in
   * one transaction.
   */
  async request(request: ApprovalRequest): Promise<ApprovalRecord> {
    const pending = (await this.#open.list()).filter(({ state }) => state === 'pending').length
    if (pending >= this.policy.maxPending)
      throw new SignalboxError(
        'E_LIMIT',
        `${pending} requests are pending; the limit is ${this.policy.maxPending} (approvals.max_pending)`,
        {
          next: 'decide some of them; until then agents ask in their own dialogs',
        },
      )
    const id = newId('apr')
    await this.#raise(id, { ...request, ...(await this.#history(request)) }, [])
    return (await this.get(id))!
  }

  /**
   * What earlier requests of the session say about this one. A request that another one supersedes
   * is the same question, so that it does not count.
   */
  async #history(request: ApprovalRequest, supersedes?: string): Promise<Pick<ApprovalRequest, 'repeats' | 'changed'>> {
    const { session } = request.subject
    if (session === undefined) return {}
    const earlier = (await this.recent(session)).filter(record => record.id !== supersedes && !isSuperseded(record))
    return historyOf(request, earlier, this.#clock.now())
  }

  /** The request as the log keeps it, for a writer that stores it together with other events. */
  stored(request: ApprovalRequest): ApprovalRequest {
    return toStoredRequest(request, { redactor: this.#redactor, now: this.#clock.now(), policy: this.policy })
  }

  /**
   * Supersedes a request by one that describes it in more detail. Null when the old one is no
   * longer pending.
   */
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
        const history = await this.#history(request, old.id)
        await this.#raise(id, { ...request, ...history, follows: old.id }, [stale])
        return (await this.get(id))!
      } catch (error) {
        if (!isCode(error, 'E_VERSION')) throw error
      }
    }
  }

  /**
   * Adds another channel's report of the same request. A report that contradicts it cannot join a
   * decided request: the decision would apply to something else.
   */
  async join(record: ApprovalRecord, report: EventData<'approval.joined'>): Promise<boolean> {
    const mayJoin = ({ state }: ApprovalRecord) =>
      state === 'pending' || (state === 'decided' && report.mismatch === undefined)
    return this.#appendIf(record.id, mayJoin, newEvent('approval.joined', report))
  }

  async get(id: string): Promise<ApprovalRecord | null> {
    return (await this.#store.document<ApprovalRecord>(approvalsProjection.name, id))?.state ?? null
  }

  /** The request itself, or the last one that supersedes it. */
  async newestVersion(id: string): Promise<ApprovalRecord | null> {
    const record = await this.get(id)
    const next = record?.outcome?.followedBy
    return next === undefined ? record : this.newestVersion(next)
  }

  /** Oldest first. Superseded requests are not listed. */
  async list(options: { isOpenOnly: boolean }): Promise<ApprovalRecord[]> {
    if (options.isOpenOnly) return this.#open.list()
    const documents = await this.#store.documents<ApprovalRecord>(approvalsProjection.name, { isReadOnly: true })
    const from = this.#clock.now() - (this.policy.keepMs ?? Number.POSITIVE_INFINITY)
    return documents
      .map(document => document.state)
      .filter(record => isOpen(record) || (!isSuperseded(record) && (record.outcome?.at ?? record.requestedAt) >= from))
      .sort((a, b) => a.requestedAt - b.requestedAt)
  }

  /**
   * The requests of a session that a report may be about: open ones, and those closed while this
   * process ran.
   */
  async recent(session: string): Promise<ApprovalRecord[]> {
    const open = await this.#open.list()
    const closed = await this.#open.recentlyClosed()
    return [...closed, ...open].filter(({ subject }) => subject.session === session)
  }

  /** By id or by a unique prefix of it. @throws SignalboxError `E_UNKNOWN`, `E_ID_AMBIGUOUS` */
  async find(word: string): Promise<ApprovalRecord> {
    const exact = await this.get(word)
    if (exact) return exact
    const prefix = idPrefix('apr', word)
    const found =
      prefix === null ? [] : await this.#store.documents<ApprovalRecord>(approvalsProjection.name, { prefix, limit: 9 })
    if (found.length === 1) return found[0]!.state
    if (found.length === 0)
      throw new SignalboxError('E_UNKNOWN', `unknown request "${word}"`, {
        next: 'signalbox approvals --all lists them',
      })
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${word}" matches ${found.map(({ state }) => state.id).join(', ')}`)
  }

  /**
   * Decides a request once. After a version conflict the record is read and judged again: another
   * decision was faster, and this one is refused with the name of who decided first. `extraAppends`
   * returns appends for the same transaction, such as the used button; it is called for every
   * attempt, and throws if the button was used meanwhile.
   */
  async decide(
    id: string,
    request: ProposedDecision,
    extraAppends: () => Promise<readonly StreamAppend[]> = async () => [],
  ): Promise<ApprovalDecision> {
    const early = checkDecision(request, this.#rules())
    if (early) {
      const record = await this.find(id).catch(() => null)
      if (record) await this.refuse(record.id, request, early)
      throw early
    }
    const { id: whole } = await this.find(id)
    for (;;) {
      const { isLocked, guard } = await this.lockdown.check()
      const { record, version } = await this.#read(whole)
      const result = judgeDecision(record, request, { ...this.#rules(), isLocked })
      if ('repeat' in result) return result.repeat
      if ('refuse' in result) {
        await this.refuse(whole, request, result.refuse)
        throw result.refuse
      }
      const { decision: unsigned, appends } = this.#withGrant(record, result.accept, request)
      const decision = this.#signed(whole, unsigned)
      const decided = {
        stream: approvalStream(whole),
        expected: version,
        events: [newEvent('approval.decided', decision)],
      }
      const others = (await this.#gateAppends?.(record, decision)) ?? []
      if (await this.#appendAll([decided, ...appends, ...others, ...(await extraAppends()), guard])) return decision
    }
  }

  /** Decides a pending request by a grant that covers it; false if none does. */
  async decideByGrant(id: string): Promise<boolean> {
    return this.#grantDecisions.decide(id, async () => {
      const { record, version } = await this.#read(id)
      if (record.state !== 'pending') return null
      const others = async (decision: ApprovalDecision) => (await this.#gateAppends?.(record, decision)) ?? []
      return { request: record, compared: record, expected: version, before: [], others }
    })
  }

  /** Accepts only denials from now on, and ends every grant. Sessions and runs are not touched. */
  async lockDown(by: Actor): Promise<{ since: number; grants: number }> {
    const active = await this.grants.list()
    const since = await this.lockdown.begin(by.name, active.length)
    return { since, grants: await this.grants.endWhere(() => true, 'revoked', by) }
  }

  /** Records a refusal; it changes nothing else. */
  async refuse(
    id: string,
    { actor, surface }: Pick<ProposedDecision, 'actor' | 'surface'>,
    { code, message }: SignalboxError,
  ): Promise<void> {
    await this.#store.append(approvalStream(id), 'any', [
      newEvent('approval.refused', { actor, surface, code, reason: message }),
    ])
  }

  /** Records that a surface showed the request to a person, and whether completely. */
  async seen(id: string, seen: EventData<'approval.seen'>): Promise<void> {
    await this.#store.append(approvalStream(id), 'any', [newEvent('approval.seen', seen)], { durability: 'normal' })
  }

  /**
   * Written before each step of a delivery: before the selection is moved, before an option is
   * confirmed, before a hook is answered. `attempt` counts these events of the request.
   * @throws SignalboxError `E_STATE` when the request is no longer decided: then no key may be
   * sent.
   */
  async delivering(record: ApprovalRecord, step: string): Promise<void> {
    const attempt = Math.max(0, ...record.delivery.map(earlier => earlier.attempt)) + 1
    const event = newEvent('approval.delivering', { attempt, channel: record.source.channel, fence: 0, step })
    if (await this.#move(record.id, { by: 'delivering', event })) return
    throw new SignalboxError('E_STATE', `approval ${record.id} is closed: no more keys are sent for it`)
  }

  async applied(record: ApprovalRecord, evidence: OutcomeEvidence, at: number): Promise<boolean> {
    const { requestedAt } = record
    const decision = (await this.get(record.id))?.decision
    return this.#move(record.id, appliedOutcome({ requestedAt, ...(decision && { decision }) }, evidence, at))
  }

  async observed(
    record: ApprovalRecord,
    evidence: OutcomeEvidence,
    at: number,
    answer: ObservedAnswer = {},
  ): Promise<boolean> {
    return this.#move(record.id, observedOutcome(record, evidence, at, answer))
  }

  async stale(
    { id }: ApprovalRecord,
    reason: EventData<'approval.stale'>['reason'],
    evidence?: OutcomeEvidence,
  ): Promise<boolean> {
    return this.#move(id, staleOutcome(reason, evidence))
  }

  async cancelled({ id }: ApprovalRecord, reason: string): Promise<boolean> {
    return this.#move(id, { by: 'withdrawn', event: newEvent('approval.cancelled', { reason }) })
  }

  async expired(record: ApprovalRecord): Promise<boolean> {
    return this.#move(record.id, expiredOutcome(record))
  }

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

  /**
   * Writes the request, the decision of a grant that covers it, and `others` in one transaction.
   */
  async #raise(id: string, asked: ApprovalRequest, others: readonly StreamAppend[]): Promise<void> {
    const request = this.stored(asked)
    const requested = newEvent('approval.requested', request)
    const compared = { ...request, request: asked.request }
    const candidate = { request, compared, expected: 0, before: [requested], others: async () => others }
    if (await this.#grantDecisions.decide(id, async () => candidate)) return
    await this.#store.appendAll([{ stream: approvalStream(id), expected: 0, events: [requested] }, ...others])
  }

  /** Whether this ledger, or one with the same secret, accepted the decision of a request. */
  async isProven(record: ApprovalRecord): Promise<boolean> {
    const { id, decision } = record
    if (this.#secret === undefined) return true
    if (decision === undefined) return false
    return hasSignature(this.#secret, id, decision) || ((await this.#isAccepted?.(record)) ?? false)
  }

  /** Whether it can tell its own decisions from those that any process wrote. */
  get isSigning(): boolean {
    return this.#secret !== undefined
  }

  /** This process closes a gate without an answer. */
  skip(id: string): void {
    this.#skipped.add(id)
  }

  isSkipped(id: string): boolean {
    return this.#skipped.has(id)
  }

  #signed(id: string, decision: ApprovalDecision): ApprovalDecision {
    return this.#secret === undefined ? decision : { ...decision, signature: signatureOf(this.#secret, id, decision) }
  }

  /** A grant is valid only if the decision that created it is. */
  async #isGrantProven({ id, approval }: { id: string; approval: string }): Promise<boolean> {
    if (this.#secret === undefined) return true
    const record = await this.get(approval)
    return record !== null && record.decision?.madeGrant === id && (await this.isProven(record))
  }

  #withGrant(
    record: ApprovalRecord,
    accepted: ApprovalDecision,
    { grant, actor, surface }: ProposedDecision,
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
      ...this.grants.settingsOf(record.subject.project),
      policy: this.policy,
      now: this.#clock.now(),
    })
    return {
      decision: { ...decision, madeGrant: id },
      appends: [{ stream: grantStream(id), expected: 0, events: [newEvent('grant.made', made)] }],
    }
  }

  /**
   * Appends only what the table has a row for, at the version that was read.
   * @returns false, and changes nothing, if the request was closed meanwhile
   */
  #move(id: string, { by, event }: RequestOutcome): Promise<boolean> {
    return this.#appendIf(id, ({ state }) => canMove(state, by), event)
  }

  async #appendIf(id: string, may: (record: ApprovalRecord) => boolean, event: NewEvent): Promise<boolean> {
    for (;;) {
      const { record, version } = await this.#read(id)
      if (!may(record)) return false
      if (await this.#appendAll([{ stream: approvalStream(id), expected: version, events: [event] }])) return true
    }
  }

  /** Reads the version first: an append in between makes the next one fail, never pass. */
  async #read(id: string): Promise<{ record: ApprovalRecord; version: number }> {
    const version = await this.#store.streamVersion(approvalStream(id))
    const record = await this.get(id)
    if (!record) throw new SignalboxError('E_UNKNOWN', `unknown request "${id}"`)
    return { record, version }
  }

  /** False when another process appended first. */
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

function isCode(error: unknown, code: string): boolean {
  return error instanceof SignalboxError && error.code === code
}
