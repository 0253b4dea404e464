import { SignalboxError } from '../errors/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore, NewEvent, StreamAppend } from '../store/index.js'
import type { GrantRegistry } from './grant-registry.js'
import { type GrantRecord, grantStream } from './grants.js'
import type { Lockdown } from './lockdown.js'
import { allowOnceOption } from './manual-only.js'
import { type ApprovalDecision, type ApprovalRequest, approvalStream } from './record.js'

/**
 * How often another grant is searched when the first one ended between the search and the append.
 */
const COVER_TRIES = 5

interface GrantDecisionsOptions {
  store: EventStore
  grants: GrantRegistry
  lockdown: Lockdown
  sign(id: string, decision: ApprovalDecision): ApprovalDecision
  /** Whether the decision that created the grant is valid. */
  isProven(grant: GrantRecord): Promise<boolean>
}

/** A request that a grant may decide. */
interface Candidate {
  request: ApprovalRequest
  /** The request that grants are compared with: the original one, before secrets were removed. */
  compared: ApprovalRequest
  /** The version of the request's stream, and what is written to it before the decision. */
  expected: number
  before: readonly NewEvent[]
  /** Events to append in the same transaction. */
  others(decision: ApprovalDecision): Promise<readonly StreamAppend[]>
}

/** Decides requests by grants: decision and use of the grant are written in one transaction. */
export class GrantDecisions {
  readonly #options: GrantDecisionsOptions

  constructor(options: GrantDecisionsOptions) {
    this.#options = options
  }

  /**
   * Decides a request if a grant covers it.
   * @param read is called for every attempt, and returns null if there is nothing left to decide
   * @returns false if no grant covers the request
   */
  async decide(id: string, read: () => Promise<Candidate | null>): Promise<boolean> {
    const { store, grants, lockdown, sign, isProven } = this.#options
    for (let tries = 0; tries < COVER_TRIES; tries++) {
      const { isLocked, guard } = await lockdown.check()
      const candidate = await read()
      if (!candidate) return true
      const { request, compared, expected, before, others } = candidate
      const cover = isLocked ? null : await grants.cover(compared)
      if (!cover || !(await isProven(cover.grant))) return false
      const { grant, switchVersion } = cover
      const decision = sign(id, grantDecision(request, grant))
      const decided = {
        stream: approvalStream(id),
        expected,
        events: [...before, newEvent('approval.decided', decision)],
      }
      const appends = [decided, ...useOf(grant, switchVersion, id), guard, ...(await others(decision))]
      try {
        await store.appendAll(appends, { notAfter: grant.expiresAt - 1 })
        return true
      } catch (error) {
        const isOutdated = error instanceof SignalboxError && ['E_VERSION', 'E_PRECONDITION'].includes(error.code)
        if (!isOutdated) throw error
      }
    }
    return false
  }
}

/** One use of a grant, if neither it nor the switch for all grants changed meanwhile. */
function useOf({ id, version, uses, maxUses }: GrantRecord, switchVersion: number, approval: string): StreamAppend[] {
  const used = [newEvent('grant.used', { approval })]
  if (uses + 1 >= maxUses) used.push(newEvent('grant.ended', { reason: 'uses' }))
  return [
    { stream: grantStream(id), expected: version, events: used },
    { stream: grantStream('all'), expected: switchVersion, events: [] },
  ]
}

function grantDecision(request: ApprovalRequest, { id, by }: GrantRecord): ApprovalDecision {
  const option = allowOnceOption(request)!
  return {
    option: option.key,
    tier: option.meaning,
    grantId: id,
    actor: { kind: 'grant', id, name: `a grant of ${by.name}`, role: by.role },
    surface: 'api',
    fingerprint: request.fingerprint,
    seen: { displayHash: request.display.hash, whole: false },
    idempotencyKey: `${id}:${request.instance}`,
  }
}
